//! MCP servers as they are published on npm and PyPI, each recorded against a stand-in of the API that it asks, then replayed
//! with the stand-in gone. `bash tests/run.sh` installs them. `docs/guide/servers.md` has the table.

mod support;

mod context7;
mod duckduckgo;
mod exa;
mod fetch;
mod firecrawl;
mod github;
mod google_maps;
mod guide;
mod notion;
mod npx;
mod tavily;
mod uvx;
mod wikipedia;
