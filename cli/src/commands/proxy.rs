//! `mcpeak proxy`: the sidecar.

use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use mcpeak_proxy::AdminServer;
use mcpeak_proxy::settings::ReverseRule;
use tokio_util::sync::CancellationToken;

use crate::args::operation::ProxyArgs;
use crate::error::CliError;
use crate::ingress::trust;
use crate::printer::Printer;
use crate::recording::{Listen, bind, proxy_error, users_own_roots};
use crate::session_report::{self, IngressUsed};
use crate::settings::environment::named;
use crate::settings::session;
use crate::text;

/// Serves until a signal, then completes the session and prints what was done.
pub(crate) async fn execute(
    args: &ProxyArgs,
    locale: Locale,
    printer: &Printer,
    interrupted: &CancellationToken,
) -> Result<ExitCode, CliError> {
    let text = text::of(locale);
    let secrets = named(&args.env, text)?;
    let settings = session::resolve(&args.session, &secrets, text)?;
    let reverse = session::parse_all::<ReverseRule>("--reverse", &args.reverse, text)?;
    let listen = Listen { address: args.listen, reverse: reverse.clone() };
    let (bound, authority) = bind(&settings, listen, locale).await?;
    if let Some(dir) = &settings.ca_dir {
        // Clients in other containers take the bundle from the mounted folder; a read-only one has it already or never will.
        if let Err(error) = trust::write(dir, authority.certificate_pem(), &users_own_roots()) {
            tracing::warn!(%error, "trust files not written");
        }
    }
    let admin = match args.admin {
        Some(address) => Some(
            AdminServer::bind(address, bound.handle()).await.map_err(|error| proxy_error(&error, locale))?,
        ),
        None => None,
    };
    printer.err(&format!("{}\n", text.proxy_listening(&bound.address().to_string())));
    for (rule, address) in reverse.iter().zip(bound.reverse_addresses()) {
        printer.err(&format!("{}\n", text.reverse_listening(&address.to_string(), &rule.origin.to_string())));
    }
    if let Some(admin) = &admin {
        printer.err(&format!("{}\n", text.admin_listening(&admin.address().to_string())));
    }
    printer.err(&format!("{}\n", text.ca_at(&authority.certificate_path().display().to_string())));

    let stop = interrupted.child_token();
    let admin_task = admin.map(|admin| tokio::spawn(admin.serve(stop.clone())));
    let report = bound.serve(stop.clone()).await;
    stop.cancel();
    if let Some(task) = admin_task {
        // A panic of the admin endpoint must not hide the report.
        let _ = task.await;
    }
    let report = report.map_err(|error| proxy_error(&error, locale))?;
    printer.err(&session_report::render(&report, IngressUsed::None, locale));
    if args.json {
        super::print(printer, &session_report::json(&report), locale)?;
    }
    Ok(if report.has_misses() { ExitCode::Failed } else { ExitCode::Passed })
}
