use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use mcpeak_core::locale::Locale;
use mcpeak_core::secret::Secret;
use sha2::{Digest as _, Sha256};

use super::{Alpn, Authority, AuthorityErrorKind};

#[test]
fn ephemeral_folder_is_private_and_goes_with_the_last_clone() {
    let authority = Authority::ephemeral().unwrap();
    let folder = authority.folder().to_owned();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join("ca.key")), 0o600);
    assert_eq!(std::fs::read_to_string(authority.certificate_path()).unwrap(), authority.certificate_pem());
    drop(authority);
    assert!(!folder.exists());
}

#[test]
fn kept_authority_is_made_once() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("ca");
    let first = Authority::open_or_create(&folder).unwrap();
    let second = Authority::open_or_create(&folder).unwrap();
    assert_eq!(first.certificate_pem(), second.certificate_pem());
    let mode = std::fs::metadata(folder.join("ca.key")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    let mode = std::fs::metadata(folder.join("ca.pem")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o644, "whoever must trust it can read it");
}

#[test]
fn damaged_halves_and_strangers_are_refused_with_a_hint() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path();
    Authority::open_or_create(folder).unwrap();
    let other = Authority::ephemeral().unwrap();
    let certificate = std::fs::read(folder.join("ca.pem")).unwrap();

    std::fs::copy(other.certificate_path(), folder.join("ca.pem")).unwrap();
    let error = Authority::open_or_create(folder).unwrap_err();
    assert!(matches!(error.kind, AuthorityErrorKind::KeyMismatch), "{error:?}");

    std::fs::write(folder.join("ca.pem"), b"not a certificate").unwrap();
    let error = Authority::open_or_create(folder).unwrap_err();
    assert!(matches!(error.kind, AuthorityErrorKind::Damaged(_)), "{error:?}");
    for locale in [Locale::En, Locale::Ko] {
        assert!(error.hint(locale).contains("ca.pem"));
        assert!(error.message(locale).contains(&*folder.to_string_lossy()));
    }

    std::fs::write(folder.join("ca.pem"), certificate).unwrap();
    std::fs::remove_file(folder.join("ca.key")).unwrap();
    let error = Authority::open_or_create(folder).unwrap_err();
    assert!(matches!(error.kind, AuthorityErrorKind::Half { missing: "ca.key" }), "{error:?}");
}

fn seed(text: &str) -> Secret<String> {
    Secret::new(text.repeat(8))
}

#[test]
fn t3_a_seed_gives_the_same_ca_on_every_machine() {
    let home = tempfile::tempdir().unwrap();
    let kept = Authority::from_seed(&seed("a seed, "), Some(&home.path().join("ca"))).unwrap();
    let again = Authority::from_seed(&seed("a seed, "), Some(&home.path().join("ca"))).unwrap();
    let elsewhere = Authority::from_seed(&seed("a seed, "), None).unwrap();
    assert_eq!(kept.certificate_pem(), again.certificate_pem());
    assert_eq!(kept.certificate_pem(), elsewhere.certificate_pem());
    let other = Authority::from_seed(&seed("another, "), None).unwrap();
    assert_ne!(kept.certificate_pem(), other.certificate_pem());
    // What a seed gave once, it gives for ever: certificates were handed out.
    let hash = hex::encode(Sha256::digest(elsewhere.certificate_pem()));
    assert_eq!(&hash[..16], "57ae6535e8e1f059");
    assert!(elsewhere.mint().config("api.example.test", Alpn::Http).is_ok());
    let mode = std::fs::metadata(home.path().join("ca/ca.key")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
}

#[test]
fn a_seed_that_can_be_guessed_and_a_folder_with_another_ca_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let error = Authority::from_seed(&Secret::new("hunter22".to_owned()), None).unwrap_err();
    assert!(matches!(error.kind, AuthorityErrorKind::SeedTooShort));
    assert!(!format!("{error:?} {error}").contains("hunter22"));
    Authority::open_or_create(home.path()).unwrap();
    let error = Authority::from_seed(&seed("a seed, "), Some(home.path())).unwrap_err();
    assert!(matches!(error.kind, AuthorityErrorKind::OtherThanSeed));
}

#[test]
fn one_name_is_minted_once_under_concurrency() {
    let authority = Authority::ephemeral().unwrap();
    let configs: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|_| scope.spawn(|| authority.mint().config("api.example.test", Alpn::Http).unwrap()))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(configs.windows(2).all(|pair| Arc::ptr_eq(&pair[0], &pair[1])));
    assert_eq!(authority.mint().minted(), 1);
}

#[test]
fn t13_leaf_cache_is_bounded() {
    let authority = Authority::ephemeral().unwrap();
    for index in 0..1100 {
        authority.mint().config(&format!("h{index}.example.test"), Alpn::Http).unwrap();
    }
    assert_eq!(authority.mint().held(), 1024);
    authority.mint().config("h0.example.test", Alpn::Http).unwrap();
    assert_eq!(authority.mint().minted(), 1101, "the oldest name had left");
}
