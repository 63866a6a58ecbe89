//! The trust files, as the programs they are for read them.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::Context;
use crate::support::context::run_command;

/// A tool that is asked about a file; a missing one fails the test with how to get it.
fn ask(context: &Context, tool: &str, package: &str, arguments: &[&str]) -> String {
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|folder| folder.join(tool).is_file());
    assert!(found, "{tool} is not installed; `apt-get install {package}` or `bash tests/run.sh` installs it");
    let mut command = Command::new(tool);
    command
        .args(arguments)
        .current_dir(context.folder())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    run_command(command).expect_code(0).stdout
}

fn authority(name: &str) -> String {
    let mut parameters = rcgen::CertificateParams::default();
    parameters.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    parameters.distinguished_name.push(rcgen::DnType::CommonName, name);
    let key = rcgen::KeyPair::generate().expect("a key");
    parameters.self_signed(&key).expect("a certificate").pem()
}

fn certificates(pem: &str) -> Vec<String> {
    let blocks = pem.split("-----BEGIN CERTIFICATE-----").skip(1);
    blocks.map(|block| block.lines().take_while(|line| !line.starts_with("---")).collect()).collect()
}

fn file_names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

#[test]
fn t1_openssl_finds_every_root_in_the_folder() {
    let context = Context::new();
    context.run(["ca", "--ca-dir", "ca"]).expect_code(0);
    let names = file_names(&context.path("ca/certs"));
    assert_eq!(names.len(), certificates(&context.read("ca/bundle.pem")).len());
    for name in &names {
        let file = format!("ca/certs/{name}");
        let hash = ask(&context, "openssl", "openssl", &["x509", "-noout", "-subject_hash", "-in", &file]);
        assert_eq!(Some(hash.trim()), name.split('.').next(), "{name}");
    }
    let folder = ["verify", "-no-CAfile", "-no-CAstore", "-CApath", "ca/certs", "ca/ca.pem"];
    assert_eq!(ask(&context, "openssl", "openssl", &folder), "ca/ca.pem: OK\n");
}

#[test]
fn t1_roots_that_users_have_for_their_own_programs_are_added() {
    let context = Context::new();
    let mut command = context.command(["ca", "--ca-dir", "ca"]);
    let mut theirs = Vec::new();
    for variable in ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO"] {
        let pem = authority(variable);
        command.env(variable, context.write(&format!("{variable}.pem"), &pem));
        theirs.extend(certificates(&pem));
    }
    run_command(command).expect_code(0);
    let bundle = certificates(&context.read("ca/bundle.pem"));
    assert!(theirs.iter().all(|certificate| bundle.contains(certificate)));
    let ours = certificates(&context.read("ca/ca.pem"));
    assert!(bundle.contains(&ours[0]));
    let own = Context::new();
    own.run(["ca", "--ca-dir", "ca"]).expect_code(0);
    let system = certificates(&own.read("ca/bundle.pem")).len() - 1;
    assert_eq!(bundle.len(), system + theirs.len() + 1, "the system's roots are still there");
}

#[test]
fn t2_java_reads_the_trust_store_without_a_password() {
    let context = Context::new();
    context.run(["ca", "--ca-dir", "ca"]).expect_code(0);
    let list = ["-J-Duser.language=en", "-list", "-rfc", "-keystore", "ca/trust.jks"];
    let listed = certificates(&ask(&context, "keytool", "default-jre-headless", &list));
    let mut bundle = certificates(&context.read("ca/bundle.pem"));
    let mut listed: Vec<_> = listed;
    listed.sort();
    bundle.sort();
    assert_eq!(listed, bundle);
}
