//! Which replies are answers, and which break the protocol.

use serde_json::{Map, Value};

use super::message::Message;
use super::version::{Era, Version, find_version};
use super::violation::{Rule, Violation};

/// A reply whose envelope keeps to the protocol.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// `result`, members in the server's order.
    Result(Map<String, Value>),
    /// `error`.
    Error(RpcError),
}

/// A JSON-RPC error object.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcError {
    /// `code`.
    pub code: i64,
    /// `message`.
    pub message: String,
    /// `data`.
    pub data: Option<Value>,
}

/// How the id of a reply relates to the number that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdMatch {
    /// The number.
    Exact(u64),
    /// The number as a text.
    AsText(u64),
    /// Something that we never send.
    Foreign,
    /// `null` or nothing.
    Missing,
}

/// Reads the id of a reply. `1.0` is `1`: JSON has one kind of number.
pub(crate) fn match_id(id: Option<&Value>) -> IdMatch {
    match id {
        None | Some(Value::Null) => IdMatch::Missing,
        Some(Value::Number(number)) => {
            let whole = number.as_u64().or_else(|| whole_number(number.as_f64()?));
            whole.map_or(IdMatch::Foreign, IdMatch::Exact)
        }
        Some(Value::String(text)) => text.trim().parse().map_or(IdMatch::Foreign, IdMatch::AsText),
        Some(_) => IdMatch::Foreign,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be whole and in range"
)]
fn whole_number(double: f64) -> Option<u64> {
    (double.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&double)).then_some(double as u64)
}

/// Judges the envelope of a reply to the request `id`: version, id, outcome, their shapes.
pub fn judge_reply(message: &Message, id: u64) -> Result<Reply, Violation> {
    let broken = |rule, path: &str, seen| Err(Violation::new(rule, path, seen, message.raw()));
    let value = message.value();
    let Some(object) = value.as_object() else {
        return broken(Rule::ResultXorError, "", Some(value));
    };
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return broken(Rule::JsonRpcVersion, "jsonrpc", object.get("jsonrpc"));
    }
    match (object.get("result"), object.get("error")) {
        (Some(_), Some(_)) => return broken(Rule::ResultXorError, "", Some(value)),
        (None, None) => return broken(Rule::ResultXorError, "", None),
        _ => {}
    }
    match match_id(object.get("id")) {
        IdMatch::Exact(seen) if seen == id => {}
        // A server that could not read the request cannot name its id (JSON-RPC 2.0, 5).
        IdMatch::Missing if object.contains_key("error") => {}
        IdMatch::AsText(seen) if seen == id => return broken(Rule::IdType, "id", object.get("id")),
        _ => return broken(Rule::IdUnknown, "id", object.get("id")),
    }
    if let Some(error) = object.get("error") {
        let code = error.get("code").and_then(|code| {
            code.as_i64().or_else(|| code.as_f64().filter(|code| code.fract() == 0.0).map(double_to_code))
        });
        let (Some(code), Some(message)) = (code, error.get("message").and_then(Value::as_str)) else {
            return broken(Rule::ErrorShape, "error", Some(error));
        };
        return Ok(Reply::Error(RpcError {
            code,
            message: message.to_owned(),
            data: error.get("data").cloned(),
        }));
    }
    match object.get("result") {
        Some(Value::Object(result)) => Ok(Reply::Result(result.clone())),
        other => broken(Rule::ResultObject, "result", other),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "saturates; such a code has no meaning anyway")]
fn double_to_code(double: f64) -> i64 {
    double as i64
}

/// A result with the bytes to quote from.
pub(crate) struct Judged<'a> {
    /// The result.
    pub(crate) result: &'a Map<String, Value>,
    /// The message.
    pub(crate) raw: &'a [u8],
}

impl Judged<'_> {
    fn broken<T>(&self, rule: Rule, path: impl Into<String>, seen: Option<&Value>) -> Result<T, Violation> {
        Err(Violation::new(rule, path, seen, self.raw))
    }

    /// The result of `initialize`: a legacy version that exists, capabilities, a server with name and version.
    pub(crate) fn initialize(&self) -> Result<&'static Version, Violation> {
        let result = self.result;
        let name = result.get("protocolVersion");
        let version = name.and_then(Value::as_str).and_then(find_version);
        let Some(version) = version.filter(|version| version.era == Era::Legacy) else {
            return self.broken(Rule::ProtocolVersion, "result.protocolVersion", name);
        };
        self.capabilities()?;
        let info = result.get("serverInfo");
        let Some(Value::Object(info)) = info else {
            return self.broken(Rule::ServerInfo, "result.serverInfo", info);
        };
        for (member, rule) in [("name", Rule::ServerInfoName), ("version", Rule::ServerInfoVersion)] {
            if !info.get(member).is_some_and(Value::is_string) {
                return self.broken(rule, format!("result.serverInfo.{member}"), info.get(member));
            }
        }
        Ok(version)
    }

    /// The result of `server/discover`: the versions that the server names.
    pub(crate) fn discover(&self) -> Result<Vec<String>, Violation> {
        self.result_type()?;
        let versions = self.result.get("supportedVersions");
        let names: Option<Vec<String>> = versions
            .and_then(Value::as_array)
            .and_then(|items| items.iter().map(|item| item.as_str().map(str::to_owned)).collect());
        let Some(names) = names else {
            return self.broken(Rule::SupportedVersions, "result.supportedVersions", versions);
        };
        self.capabilities()?;
        Ok(names)
    }

    fn capabilities(&self) -> Result<(), Violation> {
        match self.result.get("capabilities") {
            Some(Value::Object(_)) => Ok(()),
            other => self.broken(Rule::Capabilities, "result.capabilities", other),
        }
    }

    /// The discriminator of modern results; absent means complete. `Ok(true)`: the server asks for input.
    pub(crate) fn result_type(&self) -> Result<bool, Violation> {
        match self.result.get("resultType") {
            None => Ok(false),
            Some(Value::String(kind)) if kind == "complete" => Ok(false),
            Some(Value::String(kind)) if kind == "input_required" => Ok(true),
            other => self.broken(Rule::ResultType, "result.resultType", other),
        }
    }

    /// A page of `tools/list`: the definitions, each with its name, and the cursor of the next page.
    pub(crate) fn tools_page(&self) -> Result<ToolsPage, Violation> {
        let tools = self.result.get("tools");
        let Some(Value::Array(items)) = tools else {
            return self.broken(Rule::ToolsArray, "result.tools", tools);
        };
        let mut page = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            page.push(Self::tool(index, item)?);
        }
        match self.result.get("nextCursor") {
            // Some servers write the absent cursor as null; what it means is beyond doubt.
            None | Some(Value::Null) => Ok(ToolsPage { tools: page, next: None }),
            Some(Value::String(cursor)) => Ok(ToolsPage { tools: page, next: Some(cursor.clone()) }),
            other => self.broken(Rule::NextCursor, "result.nextCursor", other),
        }
    }

    fn tool(index: usize, item: &Value) -> Result<(String, Map<String, Value>), Violation> {
        let path = format!("result.tools[{index}]");
        // A list may be long: what is quoted is the tool, not the beginning of the message.
        let broken =
            |rule, path: String, seen| Err(Violation::new(rule, path, seen, item.to_string().as_bytes()));
        let Value::Object(tool) = item else { return broken(Rule::ToolObject, path, Some(item)) };
        let name = match tool.get("name") {
            Some(Value::String(name)) if !name.is_empty() => name.clone(),
            other => return broken(Rule::ToolName, format!("{path}.name"), other),
        };
        match tool.get("inputSchema") {
            Some(Value::Object(_)) => Ok((name, tool.clone())),
            None => broken(Rule::InputSchemaMissing, format!("{path}.inputSchema"), None),
            other => broken(Rule::InputSchemaObject, format!("{path}.inputSchema"), other),
        }
    }

    /// A result of `tools/call`: content, or structured content, or the `toolResult` of the first drafts.
    pub(crate) fn tool_result(&self) -> Result<(), Violation> {
        let result = self.result;
        match result.get("isError") {
            None | Some(Value::Bool(_)) => {}
            other => return self.broken(Rule::IsError, "result.isError", other),
        }
        match result.get("content") {
            Some(Value::Array(_)) => Ok(()),
            None if result.contains_key("structuredContent") || result.contains_key("toolResult") => Ok(()),
            other => self.broken(Rule::ToolContent, "result.content", other),
        }
    }
}

/// A page of `tools/list`.
pub(crate) struct ToolsPage {
    /// Name and definition of each tool.
    pub(crate) tools: Vec<(String, Map<String, Value>)>,
    /// `nextCursor`.
    pub(crate) next: Option<String>,
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{IdMatch, Judged, Reply, Rule, judge_reply, match_id};
    use crate::wire::{Era, Message, VERSIONS};

    fn judge(value: &Value) -> Result<Reply, Rule> {
        let message = Message::parse(Bytes::from(value.to_string())).unwrap();
        judge_reply(&message, 1).map_err(|violation| violation.rule)
    }

    #[test]
    fn envelopes() {
        assert!(matches!(judge(&json!({"jsonrpc":"2.0","id":1,"result":{"x":1}})), Ok(Reply::Result(_))));
        assert!(matches!(judge(&json!({"jsonrpc":"2.0","id":1.0,"result":{}})), Ok(Reply::Result(_))));
        assert!(matches!(
            judge(&json!({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}})),
            Ok(Reply::Error(_))
        ));
        for (rule, value) in [
            (Rule::JsonRpcVersion, json!({"id":1,"result":{}})),
            (Rule::JsonRpcVersion, json!({"jsonrpc":2.0,"id":1,"result":{}})),
            (Rule::IdType, json!({"jsonrpc":"2.0","id":"1","result":{}})),
            (Rule::IdUnknown, json!({"jsonrpc":"2.0","id":"x","result":{}})),
            (Rule::ResultXorError, json!({"jsonrpc":"2.0","id":1,"result":{},"error":{}})),
            (Rule::ResultXorError, json!({"jsonrpc":"2.0","id":1})),
            (Rule::ResultObject, json!({"jsonrpc":"2.0","id":1,"result":[]})),
            (Rule::ErrorShape, json!({"jsonrpc":"2.0","id":1,"error":"no"})),
            (Rule::ErrorShape, json!({"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"x"}})),
        ] {
            assert_eq!(judge(&value), Err(rule), "{value}");
        }
    }

    #[test]
    fn ids() {
        assert_eq!(match_id(Some(&json!(7))), IdMatch::Exact(7));
        assert_eq!(match_id(Some(&json!("7"))), IdMatch::AsText(7));
        assert_eq!(match_id(Some(&json!(-1))), IdMatch::Foreign);
        assert_eq!(match_id(Some(&json!(1.5))), IdMatch::Foreign);
        assert_eq!(match_id(None), IdMatch::Missing);
    }

    #[test]
    fn results() {
        let check = |value: Value, rule: Option<Rule>, judged: fn(&Judged<'_>) -> Option<Rule>| {
            let object = value.as_object().unwrap();
            assert_eq!(judged(&Judged { result: object, raw: b"" }), rule, "{value}");
        };
        let page = |judged: &Judged<'_>| judged.tools_page().err().map(|violation| violation.rule);
        check(json!({"tools":[{"name":"a","inputSchema":{},"x-vendor":1}]}), None, page);
        check(json!({"tools":{}}), Some(Rule::ToolsArray), page);
        check(json!({"tools":[1]}), Some(Rule::ToolObject), page);
        check(json!({"tools":[{"inputSchema":{}}]}), Some(Rule::ToolName), page);
        check(json!({"tools":[{"name":7,"inputSchema":{}}]}), Some(Rule::ToolName), page);
        check(json!({"tools":[{"name":"a"}]}), Some(Rule::InputSchemaMissing), page);
        check(json!({"tools":[{"name":"a","inputSchema":"s"}]}), Some(Rule::InputSchemaObject), page);
        check(json!({"tools":[],"nextCursor":3}), Some(Rule::NextCursor), page);
        let call = |judged: &Judged<'_>| judged.tool_result().err().map(|violation| violation.rule);
        check(json!({"content":[]}), None, call);
        check(json!({"structuredContent":null}), None, call);
        check(json!({"toolResult":1}), None, call);
        check(json!({}), Some(Rule::ToolContent), call);
        check(json!({"content":"text"}), Some(Rule::ToolContent), call);
        check(json!({"content":[],"isError":"yes"}), Some(Rule::IsError), call);
    }

    #[test]
    fn the_table_of_versions_is_what_is_judged() {
        let samples = [
            (
                "initialize",
                json!({"protocolVersion": "2025-11-25", "capabilities": {},
                    "serverInfo": {"name": "a", "version": "1"}}),
            ),
            ("server/discover", json!({"supportedVersions": [], "capabilities": {}})),
            ("tools/list", json!({"tools": []})),
            ("tools/call", json!({"content": []})),
        ];
        let judge = |method: &str, value: &Value| {
            let judged = Judged { result: value.as_object().unwrap(), raw: b"" };
            match method {
                "initialize" => judged.initialize().is_ok(),
                "server/discover" => judged.discover().is_ok(),
                "tools/list" => judged.tools_page().is_ok(),
                _ => judged.tool_result().is_ok(),
            }
        };
        for version in &VERSIONS {
            for (method, members) in version.required_results {
                let sample = &samples.iter().find(|(name, _)| name == method).unwrap().1;
                assert!(judge(method, sample), "{method}");
                for member in *members {
                    let mut without = sample.clone();
                    without.as_object_mut().unwrap().shift_remove(*member);
                    assert!(!judge(method, &without), "{method} without {member}");
                }
            }
            let listed = Rule::ProtocolVersion.expected().contains(version.name);
            assert_eq!(listed, version.era == Era::Legacy, "{}", version.name);
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "complete|2\\.0|1|[a-z서]{0,5}".prop_map(Value::from),
        ];
        let key = "jsonrpc|id|result|error|code|message|tools|name|inputSchema|content|nextCursor|capabilities|\
            serverInfo|version|protocolVersion|supportedVersions|resultType|[a-z]{1,3}";
        leaf.prop_recursive(4, 32, 6, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::vec((key, inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn arbitrary_replies_never_panic(value in any_json()) {
            let raw = Bytes::from(value.to_string());
            if let Ok(message) = Message::parse(raw.clone()) {
                let _ = judge_reply(&message, 1);
            }
            if let Some(result) = value.as_object() {
                let judged = Judged { result, raw: &raw };
                let _ = (judged.initialize(), judged.discover(), judged.tool_result());
                let _ = judged.tools_page();
            }
        }
    }
}
