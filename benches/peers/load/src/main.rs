//! `load`: GETs through an HTTP proxy for a set time, every answer checked, one line of JSON at the end.
//!
//! | module | what it holds |
//! |---|---|
//! | `settings` | the command line |
//! | `route` | TCP, CONNECT and TLS to the origin through the proxy |
//! | `session` | one HTTP connection and the exchanges on it |
//! | `run` | the workers and their clock |
//! | `tally` | counts and latencies, and the line printed |

mod route;
mod run;
mod session;
mod settings;
mod tally;

use settings::Settings;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let settings = Settings::parse(lexopt::Parser::from_env())?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(settings.threads).enable_all().build()?;
    let summary = runtime.block_on(run::run(settings))?;
    println!("{}", serde_json::to_string(&summary)?);
    Ok(())
}
