//! Statuses that are no answers.

use http::response::Parts;
use http::{StatusCode, header};
use url::Url;

use crate::error::{Detail, ErrorCode, McpError, Phase};
use crate::target::Endpoint;
use crate::wire::excerpt;

/// What a status says, given the beginning of the body. `in_session`: the request carried a session id.
pub(super) fn status_error(
    phase: Phase,
    parts: &Parts,
    body: &[u8],
    endpoint: &Endpoint,
    in_session: bool,
) -> McpError {
    let status = parts.status;
    if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
        let location = parts.headers.get(header::LOCATION).and_then(|value| value.to_str().ok());
        let location = location.map_or_else(String::new, |location| without_secrets(endpoint, location));
        let detail = Detail::Redirect { status: status.as_u16(), location };
        return McpError::new(ErrorCode::HttpStatusError, phase, detail);
    }
    let code = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ErrorCode::HttpUnauthorized,
        StatusCode::NOT_FOUND if in_session => ErrorCode::HttpSessionLost,
        _ => ErrorCode::HttpStatusError,
    };
    let detail = Detail::HttpStatus {
        status: status.as_u16(),
        reason: status.canonical_reason().unwrap_or_default().to_owned(),
        body: excerpt(body),
    };
    McpError::new(code, phase, detail)
}

fn without_secrets(endpoint: &Endpoint, location: &str) -> String {
    let Ok(mut url) = endpoint.url().join(location) else { return String::new() };
    strip(&mut url);
    url.to_string()
}

fn strip(url: &mut Url) {
    // Both fail only for URLs that cannot have a host, which then have no user either.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
}

#[cfg(test)]
mod tests {
    use http::Response;

    use super::status_error;
    use crate::error::{Detail, ErrorCode, Phase};
    use crate::target::Endpoint;

    fn code(status: u16, in_session: bool) -> ErrorCode {
        let (parts, ()) = Response::builder().status(status).body(()).unwrap().into_parts();
        let endpoint = Endpoint::parse("http://x/mcp").unwrap();
        status_error(Phase::CallTool, &parts, b"no", &endpoint, in_session).code
    }

    #[test]
    fn statuses() {
        assert_eq!(code(401, true), ErrorCode::HttpUnauthorized);
        assert_eq!(code(403, false), ErrorCode::HttpUnauthorized);
        assert_eq!(code(404, true), ErrorCode::HttpSessionLost);
        assert_eq!(code(404, false), ErrorCode::HttpStatusError);
        assert_eq!(code(503, true), ErrorCode::HttpStatusError);
    }

    #[test]
    fn a_redirect_is_described_without_secrets() {
        let (parts, ()) = Response::builder()
            .status(307)
            .header("location", "https://u:p@y/z?token=hunter2")
            .body(())
            .unwrap()
            .into_parts();
        let endpoint = Endpoint::parse("http://x/mcp").unwrap();
        let error = status_error(Phase::Handshake, &parts, b"", &endpoint, false);
        assert_eq!(error.detail, Detail::Redirect { status: 307, location: "https://y/z".to_owned() });
    }
}
