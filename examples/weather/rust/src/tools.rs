//! The two tools. A refused input or a failed call is a tool error, never a protocol error (SEP-1303).

use std::env;

use serde_json::{Map, Number, Value, json};

use crate::{
    texts::Language,
    weather_api::{Answer, WeatherApi},
};

const DEFINITIONS: &str = include_str!("../../tools.json");
/// From 2^53 on a double no longer holds every integer.
const EXACT_INTEGERS: f64 = 9_007_199_254_740_992.0;

type Input = Map<String, Value>;
/// What a tool says: the text of a success, or of a refusal.
type Outcome = Result<String, String>;

pub(crate) struct Tools {
    definitions: Value,
    api: WeatherApi,
    language: Language,
}

impl Tools {
    pub(crate) fn from_environment() -> Result<Self, Box<dyn std::error::Error>> {
        let base = env::var("WEATHER_API").unwrap_or_else(|_| "https://api.weather.example".to_owned());
        let language = match env::var("WEATHER_LANG").as_deref() {
            Ok("ko") => Language::Korean,
            _ => Language::English,
        };
        Ok(Self { definitions: serde_json::from_str(DEFINITIONS)?, api: WeatherApi::new(&base)?, language })
    }

    pub(crate) fn definitions(&self) -> &Value {
        &self.definitions
    }

    /// What the tool says to this input; `None` if there is no tool of that name.
    pub(crate) async fn call(&self, name: &str, input: &Input) -> Option<Outcome> {
        match name {
            "get_weather" => Some(self.get_weather(input).await),
            "add" => Some(self.add(input)),
            _ => None,
        }
    }

    async fn get_weather(&self, input: &Input) -> Outcome {
        let language = self.language;
        let city = input.get("city").and_then(Value::as_str).ok_or_else(|| language.city_not_text())?;
        let Answer { status, body } =
            self.api.weather(city).await.map_err(|error| language.no_answer(&error.to_string()))?;
        if let (404, Some(cities)) = (status, body["available"].as_array()) {
            let names: Vec<_> = cities.iter().filter_map(|name| name[language.key()].as_str()).collect();
            return Err(language.unknown_city(city, &names.join(", ")));
        }
        if status != 200 || !body.is_object() {
            return Err(language.bad_answer(status));
        }
        let weather = json!({
            "city": body["city"][language.key()],
            "tempC": body["tempC"],
            "condition": body["condition"][language.key()],
        });
        Ok(weather.to_string())
    }

    fn add(&self, input: &Input) -> Outcome {
        let number = |name| input.get(name).and_then(Value::as_f64);
        let (Some(a), Some(b)) = (number("a"), number("b")) else {
            return Err(self.language.not_numbers());
        };
        Ok(json!({"sum": json_number(a + b)}).to_string())
    }
}

/// JSON has one kind of number: a whole sum is written without a fraction.
fn json_number(value: f64) -> Option<Number> {
    if value.fract() == 0.0 && value.abs() < EXACT_INTEGERS {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "whole and within the exact integers of a double"
        )]
        return Some(Number::from(value as i64));
    }
    Number::from_f64(value)
}
