//! Transfer codings other than chunked (RFC 9112 section 7.2). They belong to one hop, so they are undone here: what goes on, and
//! what is stored, is the body itself.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::Stream;

use super::HeadError;
use crate::exchange::{Headers, IncompleteCause};
use crate::message::{Body, BodyError, Piece};
use crate::session::{Codings, INFLATE_STEP, Inflate};

/// The codings beside chunked, which may only come last.
///
/// # Errors
/// One of them is not known, or chunked stands where it cannot be undone.
pub(super) fn codings(headers: &Headers) -> Result<Codings, HeadError> {
    let names = || headers.get_all("transfer-encoding").flat_map(|value| value.split(',')).map(str::trim);
    let is_chunked = |name: &str| name.eq_ignore_ascii_case("chunked");
    let others: Vec<&str> = names().filter(|name| !name.is_empty() && !is_chunked(name)).collect();
    let chunked = names().filter(|name| is_chunked(name)).count();
    let last = names().last().is_some_and(is_chunked);
    if chunked > 1 || (chunked == 1 && !last) {
        return Err(HeadError::Malformed);
    }
    Codings::parse(Some(&others.join(","))).ok_or(HeadError::Malformed)
}

/// A body whose codings are undone as it comes.
pub(super) fn undone(body: Body, codings: &Codings) -> Body {
    if codings.is_identity() || matches!(body, Body::Empty) {
        return body;
    }
    Body::stream(Undone { body, inflate: Some(Inflate::new(codings)), end: None })
}

struct Undone {
    body: Body,
    /// `None` once the encoded bytes are over.
    inflate: Option<Inflate>,
    /// What comes after the last bytes.
    end: Option<Piece>,
}

impl Undone {
    fn decode(&mut self, piece: Option<Piece>) -> std::io::Result<Vec<u8>> {
        let mut plain = Vec::new();
        match (piece, &mut self.inflate) {
            (Some(Piece::Data(data)), Some(inflate)) => {
                for step in data.chunks(INFLATE_STEP) {
                    inflate.push(step, &mut plain)?;
                }
            }
            (end, _) => {
                self.end = end;
                if let Some(inflate) = self.inflate.take() {
                    inflate.finish(&mut plain)?;
                }
            }
        }
        Ok(plain)
    }
}

impl Stream for Undone {
    type Item = Result<Piece, BodyError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        while this.inflate.is_some() {
            let piece = ready!(this.body.poll_piece(context)).transpose();
            let piece = match piece {
                Ok(piece) => piece,
                Err(error) => return Poll::Ready(Some(Err(error))),
            };
            match this.decode(piece) {
                Ok(plain) if plain.is_empty() => {}
                Ok(plain) => return Poll::Ready(Some(Ok(Piece::Data(plain.into())))),
                Err(_) => {
                    this.inflate = None;
                    return Poll::Ready(Some(Err(BodyError::Closed(IncompleteCause::Upstream))));
                }
            }
        }
        Poll::Ready(this.end.take().map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use super::{Headers, codings};

    #[test]
    fn chunked_comes_last_and_the_others_are_known() {
        let parsed = |values: &[&str]| {
            let headers: Headers = values
                .iter()
                .map(|value| ("Transfer-Encoding".to_owned(), (*value).to_owned().into()))
                .collect();
            codings(&headers).map(|codings| codings.is_identity()).ok()
        };
        assert_eq!(parsed(&[]), Some(true));
        assert_eq!(parsed(&["Chunked"]), Some(true));
        assert_eq!(parsed(&["gzip, chunked"]), Some(false));
        assert_eq!(parsed(&["deflate", "chunked"]), Some(false));
        assert_eq!(parsed(&["gzip"]), Some(false));
        for bad in [&["chunked, gzip"][..], &["chunked", "chunked"], &["compress, chunked"], &["x"]] {
            assert_eq!(parsed(bad), None, "{bad:?}");
        }
    }
}
