//! The client of the weather API.

use std::time::Duration;

use reqwest::{Client, Url, header::ACCEPT};
use serde_json::Value;

const TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) struct WeatherApi {
    client: Client,
    base: String,
}

/// What the API sent; `body` is null if it was no JSON.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl WeatherApi {
    pub(crate) fn new(base: &str) -> reqwest::Result<Self> {
        let client = Client::builder().timeout(TIMEOUT).build()?;
        Ok(Self { client, base: base.trim_end_matches('/').to_owned() })
    }

    /// Asks for the weather of a city. Fails if the API cannot be reached.
    pub(crate) async fn weather(&self, city: &str) -> Result<Answer, Box<dyn std::error::Error>> {
        let url = Url::parse_with_params(&format!("{}/v1/weather", self.base), [("city", city)])?;
        // The address is in the error otherwise, and with it the port of this run.
        let response = self
            .client
            .get(url)
            .header(ACCEPT, "application/json")
            .send()
            .await
            .map_err(reqwest::Error::without_url)?;
        let status = response.status().as_u16();
        let bytes = response.bytes().await.map_err(reqwest::Error::without_url)?;
        Ok(Answer { status, body: serde_json::from_slice(&bytes).unwrap_or_default() })
    }
}
