//! Body forms: JSON when its bytes can be rebuilt, text, base64.

use bytes::Bytes;
use encoding_rs::Encoding;

use super::model::{Form, Layout};
use crate::json::{Node, parse};
use crate::redact::parameter;

/// From this size on content lives in a side file.
pub(crate) const SIDE_FILE: usize = 64 * 1024;

impl Form {
    /// The most readable form that gives the very bytes back.
    pub(crate) fn choose(bytes: &Bytes, content_type: Option<&str>) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => json(text).unwrap_or_else(|| {
                if is_plain(text) {
                    Self::Text { text: text.to_owned(), charset: None }
                } else {
                    Self::Base64(bytes.clone())
                }
            }),
            Err(_) => other_charset(bytes, content_type).unwrap_or_else(|| Self::Base64(bytes.clone())),
        }
    }

    /// The bytes of every form but a side file; `None` if text is not writable in its charset.
    pub(crate) fn bytes(&self) -> Option<Bytes> {
        match self {
            Self::Json { compact, layout, newline } => {
                let mut text = match layout {
                    Layout::Compact => compact.clone(),
                    other => other.write(&parse(compact).ok()?),
                };
                if *newline {
                    text.push('\n');
                }
                Some(Bytes::from(text))
            }
            Self::Text { text, charset: None } => Some(Bytes::copy_from_slice(text.as_bytes())),
            Self::Text { text, charset: Some(charset) } => {
                let (bytes, _, unmappable) = Encoding::for_label(charset.as_bytes())?.encode(text);
                (!unmappable).then(|| Bytes::from(bytes.into_owned()))
            }
            Self::Base64(bytes) => Some(bytes.clone()),
            Self::Events(events) => {
                Some(Bytes::from(events.iter().map(|event| event.data.as_str()).collect::<String>()))
            }
            Self::File(_) => None,
        }
    }
}

/// JSON, if one of the layouts gives the text back.
fn json(text: &str) -> Option<Form> {
    let (document, newline) = text.strip_suffix('\n').map_or((text, false), |document| (document, true));
    let first = document.bytes().next()?;
    // A lone number or word is shorter as text, and more telling.
    if !matches!(first, b'{' | b'[') {
        return None;
    }
    let node: Node<'_> = parse(document).ok()?;
    let layout = Layout::ALL.into_iter().find(|layout| layout.write(&node) == document)?;
    Some(Form::Json { compact: Layout::Compact.write(&node), layout, newline })
}

/// Whether a text can be read in a diff: no control characters but white space.
fn is_plain(text: &str) -> bool {
    text.chars().all(|character| !character.is_control() || matches!(character, '\n' | '\r' | '\t'))
}

fn other_charset(bytes: &Bytes, content_type: Option<&str>) -> Option<Form> {
    let charset = parameter(content_type?, "charset")?;
    let encoding = Encoding::for_label(charset.as_bytes())?;
    let (text, malformed) = encoding.decode_without_bom_handling(bytes);
    if malformed || !is_plain(&text) {
        return None;
    }
    let form = Form::Text { text: text.into_owned(), charset: Some(encoding.name().to_ascii_lowercase()) };
    (form.bytes().as_ref() == Some(bytes)).then_some(form)
}

/// The usual file name extension of a media type.
pub(crate) fn extension(content_type: Option<&str>) -> &'static str {
    const EXTENSIONS: [(&str, &str); 34] = [
        ("application/gzip", "gz"),
        ("application/javascript", "js"),
        ("application/json", "json"),
        ("application/ld+json", "json"),
        ("application/msword", "doc"),
        ("application/pdf", "pdf"),
        ("application/vnd.ms-excel", "xls"),
        ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"),
        ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
        ("application/wasm", "wasm"),
        ("application/x-tar", "tar"),
        ("application/xml", "xml"),
        ("application/yaml", "yaml"),
        ("application/zip", "zip"),
        ("audio/mpeg", "mp3"),
        ("audio/ogg", "ogg"),
        ("audio/wav", "wav"),
        ("font/woff2", "woff2"),
        ("image/avif", "avif"),
        ("image/gif", "gif"),
        ("image/jpeg", "jpg"),
        ("image/png", "png"),
        ("image/svg+xml", "svg"),
        ("image/tiff", "tiff"),
        ("image/webp", "webp"),
        ("text/css", "css"),
        ("text/csv", "csv"),
        ("text/event-stream", "sse"),
        ("text/html", "html"),
        ("text/javascript", "js"),
        ("text/markdown", "md"),
        ("text/xml", "xml"),
        ("video/mp4", "mp4"),
    ];
    let essence = content_type.and_then(|value| value.split(';').next()).unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    let known = EXTENSIONS.iter().find(|(name, _)| *name == essence).map(|(_, extension)| *extension);
    known.unwrap_or_else(|| match essence.as_str() {
        json if json.ends_with("+json") => "json",
        xml if xml.ends_with("+xml") => "xml",
        text if text.starts_with("text/") => "txt",
        _ => "bin",
    })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::super::model::{Form, Layout};
    use super::extension;

    fn choose(bytes: &[u8], content_type: &str) -> Form {
        Form::choose(&Bytes::copy_from_slice(bytes), Some(content_type))
    }

    #[test]
    fn json_only_if_its_bytes_can_be_rebuilt() {
        let layout = |text: &str| match choose(text.as_bytes(), "application/json") {
            Form::Json { layout, newline, .. } => Some((layout, newline)),
            _ => None,
        };
        assert_eq!(layout(r#"{"a":1.0,"b":"\u00e9","a":2}"#), Some((Layout::Compact, false)));
        assert_eq!(layout("{\"a\": 1, \"b\": [1, 2]}\n"), Some((Layout::Spaced, true)));
        assert_eq!(layout("{\n  \"a\": []\n}"), Some((Layout::Pretty, false)));
        assert_eq!(layout("{\n    \"a\": 1\n}"), Some((Layout::Pretty4, false)));
        assert_eq!(layout("{ \"a\":1}"), None, "white space of its own is text");
    }

    #[test]
    fn text_in_its_charset_and_base64_for_the_rest() {
        let (euc, _, _) = encoding_rs::EUC_KR.encode("서울");
        let form = choose(&euc, "text/plain; charset=euc-kr");
        assert_eq!(form, Form::Text { text: "서울".to_owned(), charset: Some("euc-kr".to_owned()) });
        assert!(matches!(choose(b"\xff\xfe\x00", "text/plain"), Form::Base64(_)));
        assert!(matches!(choose(b"a\x00b", "text/plain"), Form::Base64(_)));
        assert!(matches!(choose("서울\n".as_bytes(), "text/plain"), Form::Text { charset: None, .. }));
    }

    #[test]
    fn f5_extensions() {
        assert_eq!(extension(Some("image/PNG")), "png");
        assert_eq!(extension(Some("application/problem+json; charset=utf-8")), "json");
        assert_eq!(extension(Some("application/octet-stream")), "bin");
        assert_eq!(extension(None), "bin");
    }

    proptest! {
        #[test]
        fn b7_every_form_gives_the_bytes_back(bytes in proptest::collection::vec(any::<u8>(), 0..64), kind in 0..4_usize) {
            let content_type = ["application/json", "text/plain; charset=shift_jis", "text/plain", ""][kind];
            let bytes = Bytes::from(bytes);
            prop_assert_eq!(Form::choose(&bytes, Some(content_type)).bytes(), Some(bytes));
        }

        #[test]
        fn b7_json_forms_give_the_bytes_back(text in r#"(\{"a": ?(1|1\.0|"x"|\[\]|\[1, ?2\])\}|\[\n?  1\n?\])\n?"#) {
            let bytes = Bytes::from(text);
            prop_assert_eq!(Form::choose(&bytes, None).bytes(), Some(bytes));
        }
    }
}
