//! Framing undone: body bytes out of a buffer that the wire fills.

use bytes::{Buf as _, Bytes, BytesMut};

use super::length::Length;
use crate::exchange::Headers;
use crate::message::BodyError;

/// A chunk-size line with its extensions.
const CHUNK_LINE: usize = 4096;
/// Fields in a trailer section.
const TRAILER_FIELDS: usize = 128;

/// Where in a body the reading stands.
#[derive(Debug)]
pub(crate) struct Decoder {
    state: State,
    trailer_limit: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Bytes(u64),
    ChunkLine,
    Chunk(u64),
    ChunkEnd,
    Trailers,
    UntilClose,
    Done,
}

/// What the buffer held.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Decoded {
    Data(Bytes),
    Trailers(Headers),
    /// The wire must deliver more.
    More,
    End,
}

impl Decoder {
    pub(crate) const fn new(length: Length, trailer_limit: usize) -> Self {
        let state = match length {
            Length::None | Length::Known(0) => State::Done,
            Length::Known(length) => State::Bytes(length),
            Length::Chunked => State::ChunkLine,
            Length::UntilClose => State::UntilClose,
        };
        Self { state, trailer_limit }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// The end of the connection came: whether that ends the body well.
    pub(crate) fn close_ends_body(&self) -> bool {
        matches!(self.state, State::UntilClose | State::Done)
    }

    /// Takes what it can out of the buffer.
    pub(crate) fn decode(&mut self, buffer: &mut BytesMut) -> Result<Decoded, BodyError> {
        loop {
            match self.state {
                State::Done => return Ok(Decoded::End),
                _ if buffer.is_empty() => return Ok(Decoded::More),
                State::UntilClose => return Ok(Decoded::Data(buffer.split().freeze())),
                State::Bytes(left) => {
                    let data = take(buffer, left);
                    let left = left - data.len() as u64;
                    self.state = if left == 0 { State::Done } else { State::Bytes(left) };
                    return Ok(Decoded::Data(data));
                }
                State::Chunk(left) => {
                    let data = take(buffer, left);
                    let left = left - data.len() as u64;
                    self.state = if left == 0 { State::ChunkEnd } else { State::Chunk(left) };
                    return Ok(Decoded::Data(data));
                }
                State::ChunkLine => {
                    let Some(end) = line_end(buffer, CHUNK_LINE)? else { return Ok(Decoded::More) };
                    // A bare line feed ends a line for one reader and not for the next, and that is how requests are smuggled
                    // (RFC 9112 section 2.2 lets it be for heads only).
                    let line = buffer[..end].strip_suffix(b"\r").ok_or(BodyError::Malformed)?;
                    let size = chunk_size(line)?;
                    buffer.advance(end + 1);
                    self.state = if size == 0 { State::Trailers } else { State::Chunk(size) };
                }
                State::ChunkEnd => {
                    let Some(end) = line_end(buffer, 2)? else { return Ok(Decoded::More) };
                    if &buffer[..end] != b"\r" {
                        return Err(BodyError::Malformed);
                    }
                    buffer.advance(end + 1);
                    self.state = State::ChunkLine;
                }
                State::Trailers => return self.trailers(buffer),
            }
        }
    }

    fn trailers(&mut self, buffer: &mut BytesMut) -> Result<Decoded, BodyError> {
        let mut fields = [httparse::EMPTY_HEADER; TRAILER_FIELDS];
        match httparse::parse_headers(buffer, &mut fields) {
            Ok(httparse::Status::Complete((length, _))) if has_bare_line_feed(&buffer[..length]) => {
                Err(BodyError::Malformed)
            }
            Ok(httparse::Status::Complete((length, fields))) => {
                let trailers: Headers = fields
                    .iter()
                    .map(|field| (field.name.to_owned(), Bytes::copy_from_slice(field.value)))
                    .collect();
                buffer.advance(length);
                self.state = State::Done;
                Ok(if trailers.is_empty() { Decoded::End } else { Decoded::Trailers(trailers) })
            }
            Ok(httparse::Status::Partial) if buffer.len() <= self.trailer_limit => Ok(Decoded::More),
            Ok(httparse::Status::Partial) | Err(_) => Err(BodyError::Malformed),
        }
    }
}

fn take(buffer: &mut BytesMut, most: u64) -> Bytes {
    let length = usize::try_from(most).unwrap_or(usize::MAX).min(buffer.len());
    buffer.split_to(length).freeze()
}

fn has_bare_line_feed(lines: &[u8]) -> bool {
    lines.split_inclusive(|&byte| byte == b'\n').any(|line| !line.ends_with(b"\r\n"))
}

/// Where the line feed stands, `None` if it did not come yet.
fn line_end(buffer: &[u8], limit: usize) -> Result<Option<usize>, BodyError> {
    match buffer.iter().take(limit).position(|&byte| byte == b'\n') {
        Some(end) => Ok(Some(end)),
        None if buffer.len() >= limit => Err(BodyError::Malformed),
        None => Ok(None),
    }
}

/// `chunk-size [ chunk-ext ]` (RFC 9112 section 7.1).
fn chunk_size(line: &[u8]) -> Result<u64, BodyError> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let rest = line[digits..].trim_ascii();
    if digits == 0 || digits > 16 || line.contains(&b'\r') || !(rest.is_empty() || rest.starts_with(b";")) {
        return Err(BodyError::Malformed);
    }
    std::str::from_utf8(&line[..digits])
        .ok()
        .and_then(|text| u64::from_str_radix(text, 16).ok())
        .ok_or(BodyError::Malformed)
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;
    use proptest::prelude::*;

    use super::{BodyError, Decoded, Decoder, Length};

    /// Body, trailers, and what stood behind.
    type Ran = (Vec<u8>, Vec<String>, Vec<u8>);

    /// Feeds the wire in pieces and collects what comes out.
    fn run(length: Length, wire: &[u8], pieces: &[usize]) -> Result<Ran, BodyError> {
        let mut decoder = Decoder::new(length, 65536);
        let mut buffer = BytesMut::new();
        let (mut body, mut trailers, mut fed, mut turn) = (Vec::new(), Vec::new(), 0, 0);
        loop {
            match decoder.decode(&mut buffer)? {
                Decoded::Data(data) => body.extend_from_slice(&data),
                Decoded::Trailers(fields) => {
                    trailers
                        .extend(fields.iter().map(|(n, v)| format!("{n}: {}", String::from_utf8_lossy(v))));
                }
                Decoded::More if fed == wire.len() => {
                    return if decoder.close_ends_body() {
                        Ok((body, trailers, Vec::new()))
                    } else {
                        Err(BodyError::Idle)
                    };
                }
                Decoded::More => {
                    let step = pieces.get(turn % pieces.len().max(1)).copied().unwrap_or(1).max(1);
                    turn += 1;
                    let end = (fed + step).min(wire.len());
                    buffer.extend_from_slice(&wire[fed..end]);
                    fed = end;
                }
                Decoded::End => {
                    let mut rest = buffer.to_vec();
                    rest.extend_from_slice(&wire[fed..]);
                    return Ok((body, trailers, rest));
                }
            }
        }
    }

    #[test]
    fn chunks_extensions_and_trailers() {
        let wire = b"4;x=y\r\nWiki\r\n5 \r\npedia\r\n0\r\nGrpc-Status: 5\r\n\r\nnext";
        let (body, trailers, rest) = run(Length::Chunked, wire, &[1]).unwrap();
        assert_eq!(body, b"Wikipedia");
        assert_eq!(trailers, ["Grpc-Status: 5"]);
        assert_eq!(rest, b"next");
    }

    #[test]
    fn damaged_chunks_are_refused() {
        for wire in [
            &b"x\r\n"[..],
            b"\r\n",
            b"5\r\nhelloX\r\n",
            b"11111111111111111\r\n",
            b"-1\r\n",
            b"5\nhello\r\n0\r\n\r\n",
            b"5\r\nhello\n0\r\n\r\n",
            b"5;a\n\r\nhello",
            b"5\r\r\n",
            b"5 \r;a\r\n",
            b"0\r\nA: 1\n\r\n",
            b"0\r\n\n",
        ] {
            assert_eq!(run(Length::Chunked, wire, &[3]), Err(BodyError::Malformed), "{wire:?}");
        }
        assert_eq!(run(Length::Chunked, b"5\r\nhel", &[3]), Err(BodyError::Idle));
        assert_eq!(run(Length::Known(9), b"short", &[3]), Err(BodyError::Idle));
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_body(chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..40), 0..6),
                                         pieces in prop::collection::vec(1usize..9, 1..5)) {
            let mut wire = Vec::new();
            for chunk in &chunks {
                wire.extend(format!("{:x}\r\n", chunk.len()).bytes());
                wire.extend(chunk);
                wire.extend(b"\r\n");
            }
            wire.extend(b"0\r\n\r\n");
            let (body, _, rest) = run(Length::Chunked, &wire, &pieces).unwrap();
            prop_assert_eq!(body, chunks.concat());
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn no_bytes_make_it_panic(wire in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = run(Length::Chunked, &wire, &[7]);
        }
    }
}
