//! `mcpeak ca`: creates or shows the certificate authority of a folder.

use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use mcpeak_proxy::authority::Authority;
use mcpeak_proxy::error::ProxyError;

use crate::args::operation::CaArgs;
use crate::error::CliError;
use crate::ingress::trust;
use crate::printer::Printer;
use crate::recording::{proxy_error, users_own_roots};
use crate::settings::session::seed;
use crate::text;

/// Makes sure that the authority and its trust files are there, and prints the certificate.
pub(crate) fn execute(args: &CaArgs, locale: Locale, printer: &Printer) -> Result<ExitCode, CliError> {
    let text = text::of(locale);
    let made = match seed(args.ca_seed_env.as_deref(), text)? {
        Some(seed) => Authority::from_seed(&seed, Some(&args.ca_dir)),
        None => Authority::open_or_create(&args.ca_dir),
    };
    let authority = made.map_err(|error| proxy_error(&ProxyError::from(error), locale))?;
    trust::write(&args.ca_dir, authority.certificate_pem(), &users_own_roots()).map_err(|error| {
        let (message, hint) =
            text.file_unwritable("trust files", &args.ca_dir.display().to_string(), &error.to_string());
        CliError::new("TRUST_WRITE_FAILED", message, hint)
    })?;
    printer.err(&format!("{}\n", text.ca_at(&authority.certificate_path().display().to_string())));
    super::print(printer, authority.certificate_pem(), locale)?;
    Ok(ExitCode::Passed)
}
