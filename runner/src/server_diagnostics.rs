//! The diagnostics block about the server, for stderr.

use mcpeak_core::client::{ServerFacts, StderrTail};
use mcpeak_core::error::ProcessExit;
use mcpeak_core::escape::{Keep, terminal};
use mcpeak_core::locale::Locale;

use crate::mask::Masker;
use crate::report::signal_name;
use crate::text::{self, ServerLine, Text};

/// Longest line, in escaped characters.
const MAX_LINE: usize = 1_000;

const SIGKILL: i32 = 9;
const SIGTERM: i32 = 15;

/// What the block shows.
#[derive(Clone, Copy)]
pub struct ServerDiagnostics<'a> {
    /// Language.
    pub locale: Locale,
    /// Lines of stderr; 0 switches the block off.
    pub stderr_lines: usize,
    /// Whether the connection failed: then an endpoint is shown even without a status.
    pub connect_failed: bool,
    /// Takes secrets out of stderr.
    pub masker: &'a Masker,
}

impl ServerDiagnostics<'_> {
    /// The block; ends with a newline. `None` when there is nothing to say.
    pub fn render(&self, facts: &ServerFacts) -> Option<String> {
        let text = text::of(self.locale);
        let lines = match facts {
            ServerFacts::Process { exit, stderr } => self.process(*exit, stderr, text)?,
            ServerFacts::Http { url, status, session_id } => {
                if self.stderr_lines == 0 || (status.is_none() && !self.connect_failed) {
                    return None;
                }
                let url = self.line(&self.masker.text(url), text);
                let session =
                    session_id.as_deref().map(|session| self.line(&self.masker.text(session), text));
                vec![
                    text.server(&ServerLine::HttpHeading),
                    text.server(&ServerLine::Endpoint(&url)),
                    text.server(&ServerLine::Status(*status)),
                    text.server(&ServerLine::Session(session.as_deref())),
                ]
            }
        };
        Some(lines.join("\n") + "\n")
    }

    fn process(
        &self,
        exit: Option<ProcessExit>,
        stderr: &StderrTail,
        text: &dyn Text,
    ) -> Option<Vec<String>> {
        // Masked as a whole before it is split: a secret may contain a line break.
        let masked = self.masker.text(&stderr.text);
        let all: Vec<&str> = masked.lines().collect();
        if self.stderr_lines == 0 || (all.is_empty() && !ended_abnormally(exit)) {
            return None;
        }
        let exit = exit.unwrap_or_default();
        let signal = exit.signal.map(signal_name);
        let mut lines = vec![
            text.server(&ServerLine::ProcessHeading),
            text.server(&ServerLine::Exit { code: exit.code, signal: signal.as_deref() }),
        ];
        if all.is_empty() {
            lines.push(text.server(&ServerLine::StderrEmpty));
            return Some(lines);
        }
        let above = all.len().saturating_sub(self.stderr_lines);
        let shown = all.len() - above;
        lines.push(text.server(&ServerLine::Stderr { shown, above, truncated: stderr.truncated }));
        lines.extend(all[above..].iter().map(|line| format!("    {}", self.line(line, text))));
        Some(lines)
    }

    #[expect(clippy::unused_self, reason = "reads as one of the block's steps")]
    fn line(&self, line: &str, text: &dyn Text) -> String {
        let safe = terminal(line, Keep::Tabs);
        let Some((end, _)) = safe.char_indices().nth(MAX_LINE) else { return safe.into_owned() };
        let omitted = safe[end..].chars().count();
        format!("{}{}", &safe[..end], text.cut_line(omitted))
    }
}

/// Whether a process ended by itself in an unusual way. SIGTERM and SIGKILL are what mcpeak sends.
pub fn ended_abnormally(exit: Option<ProcessExit>) -> bool {
    exit.is_some_and(|exit| {
        exit.code.is_some_and(|code| code != 0)
            || exit.signal.is_some_and(|signal| signal != SIGTERM && signal != SIGKILL)
    })
}

#[cfg(test)]
mod tests {
    use mcpeak_core::secret::Secret;

    use super::*;

    fn render(facts: &ServerFacts, locale: Locale, stderr_lines: usize) -> Option<String> {
        let masker = Masker::new(&[Secret::new("hunter2".to_owned())]);
        ServerDiagnostics { locale, stderr_lines, connect_failed: false, masker: &masker }.render(facts)
    }

    fn process(code: Option<i32>, text: &str, truncated: bool) -> ServerFacts {
        let exit = code.map(|code| ProcessExit { code: Some(code), signal: None });
        ServerFacts::Process { exit, stderr: StderrTail { text: text.to_owned(), truncated } }
    }

    #[test]
    fn nothing_to_say() {
        assert_eq!(render(&process(Some(0), "", false), Locale::Ko, 20), None);
        assert_eq!(render(&process(Some(1), "x", false), Locale::Ko, 0), None);
        let endpoint = ServerFacts::Http { url: "http://h/mcp".to_owned(), status: None, session_id: None };
        assert_eq!(render(&endpoint, Locale::En, 20), None);
    }

    #[test]
    fn process_block() {
        let log = "one\ntwo \u{1b}[31m\tx\npass hunter2\n";
        insta::assert_snapshot!(render(&process(Some(42), log, true), Locale::Ko, 2).unwrap(), @r"
        서버 프로세스 진단
          종료 코드: 42  시그널: 없음
          stderr (마지막 2줄, 위로 1줄 더 있음, 앞부분이 수집 상한으로 잘렸습니다):
            two \u001b[31m	x
            pass [REDACTED]
        ");
        insta::assert_snapshot!(render(&process(Some(3), "", false), Locale::En, 20).unwrap(), @r"
        Server process
          exit code: 3  signal: none
          stderr: (empty)
        ");
        let cut = render(&process(Some(3), &"y".repeat(1_200), false), Locale::Ko, 20).unwrap();
        assert!(cut.ends_with("y …(200자 생략)\n"), "{cut}");
    }

    #[test]
    fn endpoint_block() {
        let facts = ServerFacts::Http { url: "http://h/mcp".to_owned(), status: Some(500), session_id: None };
        insta::assert_snapshot!(render(&facts, Locale::Ko, 20).unwrap(), @r"
        원격 서버 진단
          엔드포인트: http://h/mcp
          HTTP 상태: 500
          세션 ID: 발급하지 않음 (stateless)
        ");
    }
}
