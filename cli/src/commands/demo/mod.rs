//! `mcpeak demo`: the main job on an example server and its HTTPS API, both inside this binary.
//!
//! | module | what it holds |
//! |---|---|
//! | [`api`] | the API: real HTTPS on a loopback port |
//! | [`client`] | the server's HTTPS client |
//! | [`server`] | the MCP server, a process of its own |
//! | [`story`] | the steps and their words |

mod api;
mod client;
mod server;
mod story;

use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use tokio_util::sync::CancellationToken;

use crate::args::operation::DemoArgs;
use crate::error::CliError;
use crate::printer::Printer;

/// Tells the story, or is the example server.
pub(crate) async fn execute(
    args: &DemoArgs,
    locale: Locale,
    printer: &Printer,
    interrupted: &CancellationToken,
) -> Result<ExitCode, CliError> {
    if args.serve {
        return Ok(server::serve().await);
    }
    story::tell(args.keep.as_deref(), locale, printer, interrupted).await
}
