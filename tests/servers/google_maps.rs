//! `@modelcontextprotocol/server-google-maps`, which asks with `node-fetch` and sends its key in the query.

use serde_json::json;

use crate::support::answer::{Answer, not_found, ok, unauthorized};
use crate::support::{Api, Asked, Server, cases, installed};

const KEY: &str = "dummy-key-for-the-maps-stand-in";

#[test]
fn google_maps_records_and_replays() {
    Server {
        command: installed::node("@modelcontextprotocol/server-google-maps/dist/index.js"),
        key: Some(("GOOGLE_MAPS_API_KEY", KEY)),
        apis: vec![Api::start("maps.googleapis.com", api)],
        suite: cases::suite(&[
            cases::lists(&["maps_geocode", "maps_elevation"]),
            cases::returns(
                "maps_geocode",
                &json!({"address": "서울"}),
                &json!({"type": "object", "properties": {
                    "formatted_address": {"const": "Seoul, South Korea"},
                    "location": {"type": "object", "properties": {"lat": {"const": 37.5}, "lng": {"const": 127.0}}},
                }}),
            ),
            cases::returns(
                "maps_elevation",
                &json!({"locations": [{"latitude": 37.5, "longitude": 127.25}]}),
                &json!({"type": "object", "properties": {
                    "results": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {
                        "elevation": {"const": 38},
                    }}},
                }}),
            ),
        ]),
        asks: &["GET https://maps.googleapis.com/maps/api/elevation/json", "GET https://maps.googleapis.com/maps/api/geocode/json"],
        ..Server::default()
    }
    .records_and_replays();
}

fn api(asked: &Asked) -> Answer {
    let Some(query) = asked.query.strip_suffix(&format!("&key={KEY}")) else {
        return unauthorized();
    };
    match (asked.path.as_str(), query) {
        ("/maps/api/geocode/json", "address=%EC%84%9C%EC%9A%B8") => ok(&json!({"status": "OK", "results": [{
            "formatted_address": "Seoul, South Korea", "place_id": "place-of-seoul",
            "geometry": {"location": {"lat": 37.5, "lng": 127.0}},
        }]})),
        ("/maps/api/elevation/json", "locations=37.5%2C127.25") => ok(&json!({"status": "OK", "results": [{
            "elevation": 38, "location": {"lat": 37.5, "lng": 127.25}, "resolution": 9.5,
        }]})),
        _ => not_found(asked),
    }
}
