//! The session file as text: 2-space JSON, one header field a line.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;

use super::model::{Answer, Body, Exchange, Form, Layout, Meta, Request, Response, Session, Wire, names};
use crate::exchange::Headers;
use crate::json::{parse, quote};

/// The `format` member.
pub(crate) const FORMAT: &str = "mcpeak-session";
/// The major version that is written and read.
pub(crate) const VERSION: u32 = 1;

/// A piece of the file.
enum Tree {
    /// Text that is JSON already.
    Raw(String),
    /// A JSON document, laid out anew.
    Document(String),
    List(Vec<Tree>),
    Map(Vec<(&'static str, Tree)>),
}

impl Session {
    /// The file's text.
    pub fn to_text(&self) -> String {
        let rules = self.rules.iter().map(|rule| text(rule)).collect();
        let exchanges = self.exchanges.iter().map(exchange).collect();
        let members = vec![
            ("format", text(FORMAT)),
            ("version", Tree::Raw(VERSION.to_string())),
            ("rules", Tree::List(rules)),
            ("exchanges", Tree::List(exchanges)),
            ("meta", meta(&self.meta)),
        ];
        let mut out = String::new();
        Tree::Map(members).append(0, &mut out);
        out.push('\n');
        out
    }
}

impl Tree {
    fn append(&self, depth: usize, out: &mut String) {
        match self {
            Self::Raw(raw) => out.push_str(raw),
            Self::Document(json) => match parse(json) {
                Ok(node) => Layout::Pretty.append(&node, depth, out),
                Err(_) => out.push_str(json),
            },
            Self::List(items) if items.is_empty() => out.push_str("[]"),
            Self::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    separate(index, depth + 1, out);
                    item.append(depth + 1, out);
                }
                line(depth, out);
                out.push(']');
            }
            Self::Map(members) => {
                out.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    separate(index, depth + 1, out);
                    out.push_str(&quote(name));
                    out.push_str(": ");
                    value.append(depth + 1, out);
                }
                line(depth, out);
                out.push('}');
            }
        }
    }
}

fn separate(index: usize, depth: usize, out: &mut String) {
    if index > 0 {
        out.push(',');
    }
    line(depth, out);
}

fn line(depth: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

fn text(text: &str) -> Tree {
    Tree::Raw(quote(text))
}

fn exchange(exchange: &Exchange) -> Tree {
    let mut members = Vec::new();
    if let Some(id) = &exchange.id {
        members.push(("id", text(id)));
    }
    members.push(("request", request(&exchange.request)));
    match &exchange.answer {
        Answer::Response(answer) => members.push(("response", response(answer))),
        Answer::Failure(kind) => {
            members.push(("failure", Tree::Map(vec![("kind", text(names::of(&names::FAILURES, kind)))])));
        }
    }
    Tree::Map(members)
}

fn request(request: &Request) -> Tree {
    Tree::Map(vec![
        ("method", text(&request.method)),
        ("url", text(&request.url)),
        ("headers", headers(&request.headers)),
        ("body", body(request.body.as_ref())),
    ])
}

fn response(response: &Response) -> Tree {
    let mut members = vec![("status", Tree::Raw(response.status.to_string()))];
    if let Some(reason) = &response.reason {
        members.push(("reason", text(reason)));
    }
    members.push(("headers", headers(&response.headers)));
    members.push(("framing", text(names::of(&names::FRAMINGS, &response.framing))));
    members.push(("body", body(response.body.as_ref())));
    if !response.trailers.is_empty() {
        members.push(("trailers", headers(&response.trailers)));
    }
    if let Some(incomplete) = response.incomplete {
        let cause = text(names::of(&names::CAUSES, &incomplete.cause));
        let after = Tree::Raw(incomplete.after_bytes.to_string());
        members.push(("incomplete", Tree::Map(vec![("afterBytes", after), ("cause", cause)])));
    }
    Tree::Map(members)
}

fn headers(headers: &Headers) -> Tree {
    let field = |(name, value): (&str, &Bytes)| {
        let value = match std::str::from_utf8(value) {
            Ok(value) => quote(value),
            Err(_) => format!("{{ \"base64\": {} }}", quote(&STANDARD.encode(value))),
        };
        Tree::Raw(format!("[{}, {value}]", quote(name)))
    };
    Tree::List(headers.iter().map(field).collect())
}

fn body(body: Option<&Body>) -> Tree {
    let Some(body) = body else { return Tree::Raw("null".to_owned()) };
    let mut members = match &body.form {
        Form::Json { compact, layout, newline } => {
            let mut members = vec![("json", Tree::Document(compact.clone()))];
            if *layout != Layout::Compact {
                members.push(("layout", text(layout.name())));
            }
            if *newline {
                members.push(("newline", Tree::Raw("true".to_owned())));
            }
            members
        }
        Form::Text { text: value, charset } => {
            let charset = charset.as_deref().map(|charset| ("charset", text(charset)));
            std::iter::once(("text", text(value))).chain(charset).collect()
        }
        Form::Base64(bytes) => vec![("base64", text(&STANDARD.encode(bytes)))],
        Form::File(name) => vec![("file", text(name))],
        Form::Events(events) => {
            let event = |event: &super::model::Event| {
                Tree::Raw(format!("{{ \"at\": {}, \"data\": {} }}", event.at, quote(&event.data)))
            };
            vec![("events", Tree::List(events.iter().map(event).collect()))]
        }
    };
    if body.streamed {
        members.push(("streamed", Tree::Raw("true".to_owned())));
    }
    members.extend(body.sha256.as_deref().map(|hash| ("sha256", text(hash))));
    members.extend(body.encoding.as_deref().map(|encoding| ("encoding", text(encoding))));
    match &body.wire {
        Some(Wire::Inline(bytes)) => members.push(("wire", text(&STANDARD.encode(bytes)))),
        Some(Wire::File(name)) => members.push(("wire", Tree::Map(vec![("file", text(name))]))),
        None => {}
    }
    Tree::Map(members)
}

fn meta(meta: &Meta) -> Tree {
    let tool = meta.tool.as_deref().map(|tool| ("tool", text(tool)));
    let recorded_at = meta.recorded_at.as_deref().map(|at| ("recordedAt", text(at)));
    let members: Vec<_> = tool.into_iter().chain(recorded_at).collect();
    if members.is_empty() { Tree::Raw("{}".to_owned()) } else { Tree::Map(members) }
}
