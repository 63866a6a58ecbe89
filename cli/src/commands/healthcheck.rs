//! `mcpeak healthcheck`: the health command of a container without a shell.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::Request;
use hyper_util::rt::TokioIo;
use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use tokio::net::TcpStream;

use crate::args::operation::HealthcheckArgs;
use crate::error::CliError;
use crate::text;

const DEADLINE: Duration = Duration::from_secs(2);

/// Asks `/healthz` of the admin endpoint.
pub(crate) async fn execute(args: &HealthcheckArgs, locale: Locale) -> Result<ExitCode, CliError> {
    let address = args.admin.to_string();
    let why = match tokio::time::timeout(DEADLINE, ask(args.admin)).await {
        Ok(Ok(200)) => return Ok(ExitCode::Passed),
        Ok(Ok(status)) => format!("HTTP {status}"),
        Ok(Err(error)) => error.to_string(),
        Err(elapsed) => elapsed.to_string(),
    };
    let (message, hint) = text::of(locale).unhealthy(&address, &why);
    Err(CliError::new("UNHEALTHY", message, hint))
}

async fn ask(mut address: std::net::SocketAddr) -> std::io::Result<u16> {
    // A proxy that listens on every address is asked on this machine's own.
    if address.ip().is_unspecified() {
        address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(std::io::Error::other)?;
    let request = Request::get("/healthz")
        .header("host", address.to_string())
        .body(Empty::<Bytes>::new())
        .map_err(std::io::Error::other)?;
    let mut connection = std::pin::pin!(connection);
    let mut answer = std::pin::pin!(sender.send_request(request));
    tokio::select! {
        answer = &mut answer => answer.map(|response| response.status().as_u16()).map_err(std::io::Error::other),
        _ = &mut connection => {
            (&mut answer).await.map(|response| response.status().as_u16()).map_err(std::io::Error::other)
        }
    }
}
