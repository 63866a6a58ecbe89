//! MCP weather server over stdio.
//!
//! `WEATHER_API` is the base URL of the API (`https://api.weather.example` by default), `WEATHER_LANG=ko` makes the tools
//! answer in Korean. reqwest obeys `HTTPS_PROXY` and `NO_PROXY`; its roots are the system's, or `SSL_CERT_FILE`.

mod protocol;
mod texts;
mod tools;
mod weather_api;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, stdin, stdout};

/// Serves one message a line until stdin ends.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tools = tools::Tools::from_environment()?;
    let mut input = BufReader::new(stdin());
    let mut output = stdout();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).await? > 0 {
        if !line.trim_ascii().is_empty()
            && let Some(answer) = protocol::answer(&tools, &line).await
        {
            output.write_all(format!("{answer}\n").as_bytes()).await?;
            output.flush().await?;
        }
        line.clear();
    }
    Ok(())
}
