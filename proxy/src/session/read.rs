//! The session file read strictly: every error names file, line and column.
//!
//! Version rule: the same major version with a newer minor one is read, and its unknown members are passed over; a newer major
//! version is refused. Files of this version may not have unknown members.

use std::collections::HashSet;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;

use super::error::{Place, SessionError};
use super::model::{
    Answer, Body, Event, Exchange, Form, Layout, Meta, Request, Response, Session, Wire, names, split_url,
};
use super::syntax::{is_field_value, is_request_target, is_sha256, is_token};
use super::write::{FORMAT, VERSION};
use crate::exchange::{Framing, Headers, Incomplete};
use crate::json::{self, Kind, Node, ParseError};
use crate::matching::Rules;

/// How deep a file is looked into at first: the file, its lists. Each exchange is read by itself.
const OUTLINE: usize = 2;

/// A file whose exchanges are still to be read, each by itself: together their nodes would take several times the file's size.
pub(crate) struct Outline<'a> {
    pub(crate) rules: Vec<String>,
    pub(crate) exchanges: Vec<Node<'a>>,
    meta: Meta,
    reader: Reader<'a>,
}

type Result<T> = std::result::Result<T, SessionError>;

impl Session {
    /// Reads a file's text; `path` is for messages. Side files and hashes are not looked at.
    pub fn from_text(text: &str, path: &Path) -> Result<Self> {
        outline(text, path)?.session()
    }

    /// Reads a file.
    pub fn open(path: &Path) -> Result<Self> {
        Self::from_text(&read_text(path)?, path)
    }
}

/// The text of a file. Anything but a file is refused before it is opened: reading a pipe could wait for ever.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let metadata = std::fs::metadata(path).map_err(|source| SessionError::io("read", path, source))?;
    if !metadata.is_file() {
        let source = std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is not a regular file");
        return Err(SessionError::io("read", path, source));
    }
    let bytes = std::fs::read(path).map_err(|source| SessionError::io("read", path, source))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
        invalid(
            &text,
            path,
            valid,
            "the file is not UTF-8",
            "record the session again, or take the file from version control",
        )
    })
}

/// Looks a file's text through: all of its syntax, and everything but the exchanges' content.
pub(crate) fn outline<'a>(text: &'a str, path: &'a Path) -> Result<Outline<'a>> {
    let node = json::outline(text, OUTLINE).map_err(|error| match conflict(text) {
        Some(offset) => invalid(
            text,
            path,
            offset,
            "a merge conflict is not resolved",
            "resolve the conflict; each exchange is one block, both sides can stay",
        ),
        None => unreadable(text, path, error),
    })?;
    Reader { text, path, lenient: false }.outline(&node)
}

fn unreadable(text: &str, path: &Path, error: ParseError) -> SessionError {
    let hint = "repair the JSON, or take the file from version control";
    invalid(text, path, error.offset, error.problem, hint)
}

impl<'a> Outline<'a> {
    /// Reads one of the exchanges.
    pub(crate) fn exchange(&self, node: &Node<'a>) -> Result<Exchange> {
        let Reader { text, path, .. } = self.reader;
        self.reader.exchange(&node.read().map_err(|error| unreadable(text, path, error))?)
    }

    /// An error about one of the exchanges.
    pub(crate) fn invalid(&self, node: &Node<'a>, problem: &str, hint: &str) -> SessionError {
        invalid(self.reader.text, self.reader.path, node.offset, problem, hint)
    }

    /// Notes the id of an exchange; an error if it was noted before.
    pub(crate) fn note(&self, ids: &mut HashSet<String>, node: &Node<'a>, id: Option<String>) -> Result<()> {
        let Some(id) = id else { return Ok(()) };
        match ids.replace(id) {
            None => Ok(()),
            Some(id) => {
                let hint = "delete one of the two, or the `id` of one if both are wanted";
                Err(self.invalid(node, &format!("the exchange `{id}` is there twice"), hint))
            }
        }
    }

    /// The whole session.
    fn session(mut self) -> Result<Session> {
        let (rules, meta) = (std::mem::take(&mut self.rules), std::mem::take(&mut self.meta));
        let mut session = Session { rules, meta, exchanges: Vec::with_capacity(self.exchanges.len()) };
        let mut ids = HashSet::new();
        for node in &self.exchanges {
            let exchange = self.exchange(node)?;
            self.note(&mut ids, node, exchange.id.clone())?;
            session.exchanges.push(exchange);
        }
        Ok(session)
    }
}

/// An error at an offset.
pub(crate) fn invalid(text: &str, path: &Path, offset: usize, problem: &str, hint: &str) -> SessionError {
    let place = place(text, path, offset);
    SessionError::Invalid { place, problem: problem.to_owned(), hint: hint.to_owned() }
}

fn place(text: &str, path: &Path, offset: usize) -> Place {
    let before = &text[..text.floor_char_boundary(offset)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Place {
        path: path.to_owned(),
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}

/// The first line that a merge left.
fn conflict(text: &str) -> Option<usize> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("<<<<<<< ") || line.starts_with("=======\n") || line.starts_with(">>>>>>> ") {
            return Some(offset);
        }
        offset += line.len();
    }
    None
}

struct Reader<'a> {
    text: &'a str,
    path: &'a Path,
    lenient: bool,
}

impl<'a> Reader<'a> {
    fn outline(mut self, node: &Node<'a>) -> Result<Outline<'a>> {
        let members = node.members().ok_or_else(|| self.fail(node, "a session is a JSON object"))?;
        let find = |wanted: &str| members.iter().find(|(name, _)| name.raw.trim_matches('"') == wanted);
        match find("format") {
            Some((_, format)) if format.text().as_deref() == Some(FORMAT) => {}
            _ => {
                return Err(
                    self.fail(node, "the file is not a session: it has no `\"format\": \"mcpeak-session\"`")
                );
            }
        }
        let (_, version) = find("version").ok_or_else(|| self.fail(node, "`version` is missing"))?;
        self.lenient = self.version(version)? > 0;
        let [_, _, rules, exchanges, meta] =
            self.fields(node, ["format", "version", "rules", "exchanges", "meta"])?;
        let rules = rules.map(|node| self.list(node)).transpose()?.unwrap_or_default();
        let rules = rules.iter().map(|rule| self.rule(rule)).collect::<Result<_>>()?;
        let exchanges = exchanges.ok_or_else(|| self.fail(node, "`exchanges` is missing"))?;
        let exchanges = self.list(exchanges)?.to_vec();
        let meta = meta.map(|meta| self.meta(meta)).transpose()?.unwrap_or_default();
        Ok(Outline { rules, exchanges, meta, reader: self })
    }

    fn rule(&self, node: &Node<'a>) -> Result<String> {
        let rule = self.text(node)?;
        if Rules::understands(&rule) {
            return Ok(rule);
        }
        Err(self
            .fail(node, "a rule is `query:NAME`, `form:NAME`, `header:NAME`, `json:$.PATH` or `path:/a/*/b`"))
    }

    /// The minor version.
    fn version(&self, node: &Node<'a>) -> Result<u32> {
        let written = node.raw.trim_matches('"');
        let (major, minor) = written.split_once('.').unwrap_or((written, "0"));
        match (major.parse::<u32>(), minor.parse::<u32>()) {
            (Ok(VERSION), Ok(minor)) => Ok(minor),
            (Ok(major), Ok(_)) if major > VERSION => Err(SessionError::NewerVersion {
                place: place(self.text, self.path, node.offset),
                version: written.to_owned(),
            }),
            _ => Err(self.fail(node, "`version` is not a format version")),
        }
    }

    fn exchange(&self, node: &Node<'a>) -> Result<Exchange> {
        let [id, request, response, failure] = self.fields(node, ["id", "request", "response", "failure"])?;
        let request = request.ok_or_else(|| self.fail(node, "`request` is missing"))?;
        let answer = match (response, failure) {
            (Some(response), None) => Answer::Response(Box::new(self.response(response)?)),
            (None, Some(failure)) => {
                let [kind, after] = self.fields(failure, ["kind", "afterBytes"])?;
                after.map(|after| self.number(after)).transpose()?;
                let kind = kind.ok_or_else(|| self.fail(failure, "`kind` is missing"))?;
                Answer::Failure(self.named(kind, &names::FAILURES)?)
            }
            _ => return Err(self.fail(node, "an exchange has either `response` or `failure`")),
        };
        let id = id.map(|id| self.text(id)).transpose()?;
        Ok(Exchange { id, request: self.request(request)?, answer })
    }

    fn request(&self, node: &Node<'a>) -> Result<Request> {
        let [method, url, headers, body] = self.fields(node, ["method", "url", "headers", "body"])?;
        let method = method.ok_or_else(|| self.fail(node, "`method` is missing"))?;
        let url = url.ok_or_else(|| self.fail(node, "`url` is missing"))?;
        let text = self.text(url)?;
        if split_url(&text).is_none() || !is_request_target(&text) {
            return Err(self.fail(url, "`url` is not an absolute http or https URL"));
        }
        Ok(Request {
            method: self.token(method, "`method` is not an HTTP method")?,
            url: text,
            headers: self.headers(headers)?,
            body: self.body(body)?,
        })
    }

    fn response(&self, node: &Node<'a>) -> Result<Response> {
        let names = ["status", "reason", "headers", "framing", "body", "trailers", "incomplete"];
        let [status, reason, headers, framing, body, trailers, incomplete] = self.fields(node, names)?;
        let status = status.ok_or_else(|| self.fail(node, "`status` is missing"))?;
        let code = status.raw.parse().ok().filter(|code| (200..=999).contains(code));
        let body = self.body(body)?;
        // A file written by hand need not say how its body is delimited.
        let usual = if body.is_some() { Framing::ContentLength } else { Framing::None };
        Ok(Response {
            status: code.ok_or_else(|| self.fail(status, "`status` is a number from 200 to 999"))?,
            reason: reason.map(|reason| self.reason(reason)).transpose()?,
            headers: self.headers(headers)?,
            framing: framing.map(|node| self.named(node, &names::FRAMINGS)).transpose()?.unwrap_or(usual),
            body,
            trailers: self.headers(trailers)?,
            incomplete: incomplete.map(|node| self.incomplete(node)).transpose()?,
        })
    }

    fn reason(&self, node: &Node<'a>) -> Result<String> {
        let reason = self.text(node)?;
        if is_field_value(reason.as_bytes()) {
            return Ok(reason);
        }
        Err(self.fail(node, "`reason` holds a control character, which would end the status line"))
    }

    fn token(&self, node: &Node<'a>, problem: &str) -> Result<String> {
        let text = self.text(node)?;
        if is_token(&text) { Ok(text) } else { Err(self.fail(node, problem)) }
    }

    fn incomplete(&self, node: &Node<'a>) -> Result<Incomplete> {
        let [after, cause] = self.fields(node, ["afterBytes", "cause"])?;
        let after = after.ok_or_else(|| self.fail(node, "`afterBytes` is missing"))?;
        let cause = cause.ok_or_else(|| self.fail(node, "`cause` is missing"))?;
        Ok(Incomplete { after_bytes: self.number(after)?, cause: self.named(cause, &names::CAUSES)? })
    }

    fn headers(&self, node: Option<&Node<'a>>) -> Result<Headers> {
        let Some(node) = node else { return Ok(Headers::new()) };
        let mut headers = Headers::new();
        for field in self.list(node)? {
            let Some([name, value]) = field.items() else {
                return Err(self.fail(field, "a header field is a pair: [\"name\", \"value\"]"));
            };
            let bytes = match value.kind {
                Kind::Object(_) => {
                    let [base64] = self.fields(value, ["base64"])?;
                    self.base64(base64.ok_or_else(|| self.fail(value, "`base64` is missing"))?)?
                }
                _ => Bytes::from(self.text(value)?),
            };
            if !is_field_value(&bytes) {
                return Err(self.fail(value, "the value holds a control character, which no field can carry"));
            }
            headers.push(self.token(name, "this is not the name of a header field")?, bytes);
        }
        Ok(headers)
    }

    fn body(&self, node: Option<&Node<'a>>) -> Result<Option<Body>> {
        let Some(node) = node.filter(|node| !matches!(node.kind, Kind::Null)) else { return Ok(None) };
        let names = [
            "json", "layout", "newline", "text", "charset", "base64", "file", "events", "streamed", "sha256",
            "encoding", "wire",
        ];
        let [json, layout, newline, text, charset, base64, file, events, streamed, sha256, encoding, wire] =
            self.fields(node, names)?;
        self.belongs(&[layout, newline], json, "`layout` and `newline` belong to `json`")?;
        self.belongs(&[charset], text, "`charset` belongs to `text`")?;
        self.belongs(&[wire], encoding, "`wire` belongs to `encoding`")?;
        let form = match (json, text, base64, file, events) {
            (Some(json), None, None, None, None) => Form::Json {
                compact: Layout::Compact.write(json),
                layout: layout.map(|node| self.layout(node)).transpose()?.unwrap_or(Layout::Compact),
                newline: self.flag(newline)?,
            },
            (None, Some(text), None, None, None) => Form::Text {
                text: self.text(text)?,
                charset: charset.map(|node| self.text(node)).transpose()?,
            },
            (None, None, Some(base64), None, None) => Form::Base64(self.base64(base64)?),
            (None, None, None, Some(file), None) => Form::File(self.side_file(file)?),
            (None, None, None, None, Some(events)) => {
                Form::Events(self.list(events)?.iter().map(|node| self.event(node)).collect::<Result<_>>()?)
            }
            _ => {
                return Err(self
                    .fail(node, "a body has exactly one of `json`, `text`, `base64`, `file` and `events`"));
            }
        };
        let wire = wire.map(|node| self.wire(node)).transpose()?;
        Ok(Some(Body {
            form,
            sha256: sha256.map(|node| self.sha256(node)).transpose()?,
            encoding: encoding.map(|node| self.text(node)).transpose()?,
            wire,
            streamed: self.flag(streamed)?,
        }))
    }

    /// Members that say something about another one, which then has to be there.
    fn belongs(&self, members: &[Option<&Node<'a>>], to: Option<&Node<'a>>, problem: &str) -> Result<()> {
        match members.iter().flatten().next() {
            Some(member) if to.is_none() => Err(self.fail(member, problem)),
            _ => Ok(()),
        }
    }

    fn flag(&self, node: Option<&Node<'a>>) -> Result<bool> {
        match node.map(|node| (&node.kind, node)) {
            None => Ok(false),
            Some((Kind::Bool(flag), _)) => Ok(*flag),
            Some((_, node)) => Err(self.fail(node, "expected true or false")),
        }
    }

    fn sha256(&self, node: &Node<'a>) -> Result<String> {
        let text = self.text(node)?;
        if is_sha256(&text) { Ok(text) } else { Err(self.fail(node, "`sha256` has 64 hex digits")) }
    }

    fn event(&self, node: &Node<'a>) -> Result<Event> {
        let [at, data] = self.fields(node, ["at", "data"])?;
        let data = data.ok_or_else(|| self.fail(node, "`data` is missing"))?;
        Ok(Event {
            at: at.map(|at| self.number(at)).transpose()?.unwrap_or_default(),
            data: self.text(data)?,
        })
    }

    fn wire(&self, node: &Node<'a>) -> Result<Wire> {
        if !matches!(node.kind, Kind::Object(_)) {
            return Ok(Wire::Inline(self.base64(node)?));
        }
        let [file] = self.fields(node, ["file"])?;
        Ok(Wire::File(self.side_file(file.ok_or_else(|| self.fail(node, "`file` is missing"))?)?))
    }

    /// A side file's name: relative, and inside the session file's folder.
    fn side_file(&self, node: &Node<'a>) -> Result<String> {
        let name = self.text(node)?;
        let inside = |part: std::path::Component<'_>| matches!(part, std::path::Component::Normal(_));
        if name.is_empty() || !Path::new(&name).components().all(inside) {
            return Err(self.fail(node, "a side file lies below the session file's folder"));
        }
        Ok(name)
    }

    fn meta(&self, node: &Node<'a>) -> Result<Meta> {
        let [tool, recorded_at] = self.fields(node, ["tool", "recordedAt"])?;
        let text = |node: Option<&Node<'a>>| node.map(|node| self.text(node)).transpose();
        Ok(Meta { tool: text(tool)?, recorded_at: text(recorded_at)? })
    }

    fn layout(&self, node: &Node<'a>) -> Result<Layout> {
        let name = self.text(node)?;
        let layout = Layout::ALL.into_iter().find(|layout| layout.name() == name);
        layout.ok_or_else(|| self.fail(node, "`layout` is one of compact, spaced, pretty, pretty4"))
    }

    fn named<T: Copy>(&self, node: &Node<'a>, table: &[(&str, T)]) -> Result<T> {
        let name = node.text();
        let found = table.iter().find(|(known, _)| Some(*known) == name.as_deref());
        found.map(|(_, value)| *value).ok_or_else(|| {
            let known: Vec<_> = table.iter().map(|(name, _)| *name).collect();
            self.fail(node, &format!("expected one of {}", known.join(", ")))
        })
    }

    /// The members of an object by name; an unknown or repeated one is an error.
    fn fields<'n, const N: usize>(
        &self,
        node: &'n Node<'a>,
        names: [&str; N],
    ) -> Result<[Option<&'n Node<'a>>; N]> {
        let members = node.members().ok_or_else(|| self.fail(node, "expected an object"))?;
        let mut found = [None; N];
        for (name, value) in members {
            let written = name.raw.trim_matches('"');
            match names.iter().position(|known| *known == written) {
                Some(at) if found[at].is_some() => {
                    return Err(self.fail(name, &format!("`{written}` is there twice")));
                }
                Some(at) => found[at] = Some(value),
                None if self.lenient => {}
                None => return Err(self.fail(name, &format!("unknown member `{written}`"))),
            }
        }
        Ok(found)
    }

    fn list<'n>(&self, node: &'n Node<'a>) -> Result<&'n [Node<'a>]> {
        node.items().ok_or_else(|| self.fail(node, "expected a list"))
    }

    fn text(&self, node: &Node<'a>) -> Result<String> {
        let text = node.text().ok_or_else(|| self.fail(node, "expected a string"))?;
        if node.has_lone_surrogate() {
            return Err(self.fail(node, "the string holds half of a surrogate pair, which is no character"));
        }
        Ok(text.into_owned())
    }

    fn number(&self, node: &Node<'a>) -> Result<u64> {
        node.raw.parse().map_err(|_| self.fail(node, "expected a whole number"))
    }

    fn base64(&self, node: &Node<'a>) -> Result<Bytes> {
        let text = node.text().ok_or_else(|| self.fail(node, "expected a string in base64"))?;
        STANDARD.decode(&*text).map(Bytes::from).map_err(|_| self.fail(node, "the text is not base64"))
    }

    fn fail(&self, node: &Node<'a>, problem: &str) -> SessionError {
        let hint = "correct the file at this place, or record the session again";
        invalid(self.text, self.path, node.offset, problem, hint)
    }
}
