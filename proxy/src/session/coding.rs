//! `Content-Encoding` undone and done again (RFC 9110 section 8.4).

use std::io::{self, Write as _};

use flate2::Compression;
use flate2::write::{DeflateDecoder, GzEncoder, MultiGzDecoder, ZlibDecoder, ZlibEncoder};

use crate::exchange::Headers;

/// One content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// The codings of a message, in the order they were applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Codings(Vec<Coding>);

/// The `Content-Encoding` of a message; repeated fields are one list (RFC 9110 section 5.3).
pub(crate) fn content_encoding(headers: &Headers) -> Option<String> {
    let values: Vec<_> = headers.get_all("content-encoding").collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// Why a body could not be decoded.
#[derive(Debug)]
pub(crate) struct DecodeError {
    /// What came out before.
    pub(crate) partial: Vec<u8>,
    /// Whether it is larger than allowed, rather than broken.
    pub(crate) too_large: bool,
}

/// Bytes that a body may inflate to whatever its ratio.
const BOMB_FROM: u64 = 8 * 1024 * 1024;
/// Beyond that, what one encoded byte may become. Real content stays below; a body made to exhaust its reader is above from the
/// beginning.
const BOMB_RATIO: u64 = 100;
/// Encoded bytes that are decoded in one step; bounds what a step can become.
pub(crate) const STEP: usize = 4 * 1024;

/// Whether a body inflates so much that decoding it further is not worth it: it is treated like one that cannot be decoded.
pub(crate) const fn is_bomb(encoded: u64, decoded: u64) -> bool {
    decoded > BOMB_FROM && decoded / BOMB_RATIO > encoded
}

impl Codings {
    /// As a `Content-Encoding` names them.
    pub(crate) fn names(&self) -> String {
        let name = |coding: &Coding| match coding {
            Coding::Gzip => "gzip",
            Coding::Deflate => "deflate",
            Coding::Brotli => "br",
            Coding::Zstd => "zstd",
        };
        self.0.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// The codings a `Content-Encoding` names; `None` if one is not known.
    pub(crate) fn parse(header: Option<&str>) -> Option<Self> {
        let mut codings = Vec::new();
        for name in header.unwrap_or_default().split(',').map(str::trim) {
            match name.to_ascii_lowercase().as_str() {
                "" | "identity" => {}
                "gzip" | "x-gzip" => codings.push(Coding::Gzip),
                "deflate" => codings.push(Coding::Deflate),
                "br" => codings.push(Coding::Brotli),
                "zstd" => codings.push(Coding::Zstd),
                _ => return None,
            }
        }
        Some(Self(codings))
    }

    /// Whether there is nothing to undo.
    pub(crate) const fn is_identity(&self) -> bool {
        self.0.is_empty()
    }

    /// File name extension of the encoded bytes.
    pub(crate) fn extension(&self) -> &'static str {
        match self.0.last() {
            Some(Coding::Gzip) => "gz",
            Some(Coding::Deflate) => "zz",
            Some(Coding::Brotli) => "br",
            Some(Coding::Zstd) => "zst",
            None => "bin",
        }
    }

    /// Undoes all codings, to at most `limit` bytes.
    pub(crate) fn decode(&self, bytes: &[u8], limit: usize) -> Result<Vec<u8>, DecodeError> {
        let mut decoder = Decoder::new(self);
        let mut out = Vec::new();
        let mut encoded = 0;
        for chunk in bytes.chunks(STEP) {
            encoded += chunk.len() as u64;
            if decoder.push(chunk, &mut out).is_err() || is_bomb(encoded, out.len() as u64) {
                return Err(DecodeError { partial: out, too_large: false });
            }
            if out.len() > limit {
                return Err(DecodeError { partial: out, too_large: true });
            }
        }
        match decoder.finish(&mut out) {
            Err(_) => Err(DecodeError { partial: out, too_large: false }),
            Ok(()) if out.len() > limit => Err(DecodeError { partial: out, too_large: true }),
            Ok(()) => Ok(out),
        }
    }

    /// Applies all codings; the same bytes in give the same bytes out.
    pub(crate) fn encode(&self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut bytes = bytes.to_vec();
        for coding in &self.0 {
            bytes = coding.encode(&bytes)?;
        }
        Ok(bytes)
    }
}

impl Coding {
    fn encode(self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(bytes)?;
                encoder.finish()
            }
            Self::Deflate => {
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(bytes)?;
                encoder.finish()
            }
            Self::Brotli => {
                let mut out = Vec::new();
                let parameters = brotli::enc::BrotliEncoderParams { quality: 5, ..Default::default() };
                brotli::BrotliCompress(&mut &*bytes, &mut out, &parameters)?;
                Ok(out)
            }
            Self::Zstd => zstd::stream::encode_all(bytes, 3),
        }
    }
}

/// Undoes codings chunk by chunk.
pub(crate) struct Decoder(Vec<Stage>);

enum Stage {
    Gzip(MultiGzDecoder<Vec<u8>>),
    /// `deflate` before its first two bytes told whether a zlib header is there.
    Undecided(Vec<u8>),
    Zlib(ZlibDecoder<Vec<u8>>),
    Raw(DeflateDecoder<Vec<u8>>),
    Brotli(Box<brotli::DecompressorWriter<Vec<u8>>>),
    Zstd(Box<zstd::stream::write::Decoder<'static, Vec<u8>>>, bool),
}

impl Decoder {
    pub(crate) fn new(codings: &Codings) -> Self {
        let stage = |coding: &Coding| match coding {
            Coding::Gzip => Some(Stage::Gzip(MultiGzDecoder::new(Vec::new()))),
            Coding::Deflate => Some(Stage::Undecided(Vec::new())),
            Coding::Brotli => {
                Some(Stage::Brotli(Box::new(brotli::DecompressorWriter::new(Vec::new(), 4096))))
            }
            Coding::Zstd => zstd::stream::write::Decoder::new(Vec::new())
                .ok()
                .map(|decoder| Stage::Zstd(Box::new(decoder), false)),
        };
        Self(codings.0.iter().rev().filter_map(stage).collect())
    }

    /// Takes encoded bytes and appends decoded ones.
    pub(crate) fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        let mut bytes = chunk.to_vec();
        for stage in &mut self.0 {
            bytes = stage.push(&bytes)?;
        }
        out.extend_from_slice(&bytes);
        Ok(())
    }

    /// Appends the rest; fails if the encoded bytes stop short.
    pub(crate) fn finish(mut self, out: &mut Vec<u8>) -> io::Result<()> {
        let mut bytes = Vec::new();
        for stage in &mut self.0 {
            let mut decoded = stage.push(&bytes)?;
            decoded.append(&mut stage.finish()?);
            bytes = decoded;
        }
        out.extend_from_slice(&bytes);
        Ok(())
    }
}

impl Stage {
    fn push(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        if bytes.is_empty() {
            return Ok(Vec::new());
        }
        if let Self::Undecided(head) = self {
            head.extend_from_slice(bytes);
            if head.len() < 2 {
                return Ok(Vec::new());
            }
            let head = std::mem::take(head);
            *self = if has_zlib_header(&head) {
                Self::Zlib(ZlibDecoder::new(Vec::new()))
            } else {
                Self::Raw(DeflateDecoder::new(Vec::new()))
            };
            return self.push(&head);
        }
        match self {
            Self::Undecided(_) => {}
            Self::Gzip(decoder) => decoder.write_all(bytes)?,
            Self::Zlib(decoder) => decoder.write_all(bytes)?,
            Self::Raw(decoder) => decoder.write_all(bytes)?,
            Self::Brotli(decoder) => decoder.write_all(bytes)?,
            Self::Zstd(decoder, written) => {
                *written = true;
                decoder.write_all(bytes)?;
            }
        }
        self.drain()
    }

    fn finish(&mut self) -> io::Result<Vec<u8>> {
        match self {
            Self::Undecided(head) if head.is_empty() => {}
            Self::Undecided(_) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Self::Gzip(decoder) => decoder.try_finish()?,
            Self::Zlib(decoder) => decoder.try_finish()?,
            Self::Raw(decoder) => decoder.try_finish()?,
            Self::Brotli(decoder) => decoder.close()?,
            Self::Zstd(decoder, _) => decoder.flush()?,
        }
        self.drain()
    }

    fn drain(&mut self) -> io::Result<Vec<u8>> {
        match self {
            Self::Undecided(_) => Ok(Vec::new()),
            Self::Gzip(decoder) => {
                decoder.flush()?;
                Ok(std::mem::take(decoder.get_mut()))
            }
            Self::Zlib(decoder) => {
                decoder.flush()?;
                Ok(std::mem::take(decoder.get_mut()))
            }
            Self::Raw(decoder) => {
                decoder.flush()?;
                Ok(std::mem::take(decoder.get_mut()))
            }
            Self::Brotli(decoder) => {
                decoder.flush()?;
                Ok(std::mem::take(decoder.get_mut()))
            }
            Self::Zstd(decoder, _) => {
                decoder.flush()?;
                Ok(std::mem::take(decoder.get_mut()))
            }
        }
    }
}

/// RFC 1950 section 2.2: method 8, and the check bits.
fn has_zlib_header(head: &[u8]) -> bool {
    head[0] & 0x0f == 8 && (u16::from(head[0]) << 8 | u16::from(head[1])).is_multiple_of(31)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    use super::Codings;

    const LIMIT: usize = 1 << 20;

    #[test]
    fn b1_b2_every_coding_round_trips() {
        let body = "{\"a\": \"서울\"}".repeat(5000).into_bytes();
        for header in ["gzip", "x-gzip", "deflate", "br", "zstd", "gzip, br", "identity"] {
            let codings = Codings::parse(Some(header)).unwrap();
            let encoded = codings.encode(&body).unwrap();
            assert_eq!(codings.encode(&body).unwrap(), encoded, "{header} is not deterministic");
            assert_eq!(codings.decode(&encoded, LIMIT).unwrap(), body, "{header}");
        }
    }

    #[test]
    fn b2_raw_deflate_is_told_apart() {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(b"raw deflate, no zlib header").unwrap();
        let bytes = encoder.finish().unwrap();
        let codings = Codings::parse(Some("deflate")).unwrap();
        assert_eq!(codings.decode(&bytes, LIMIT).unwrap(), b"raw deflate, no zlib header");
    }

    #[test]
    fn b2_broken_and_unknown() {
        assert_eq!(Codings::parse(Some("gzip, aes128gcm")), None);
        let codings = Codings::parse(Some("gzip")).unwrap();
        assert!(!codings.decode(b"this is not gzip at all", LIMIT).unwrap_err().too_large);
        let large = codings.encode(&vec![0; 4 * LIMIT]).unwrap();
        assert!(codings.decode(&large, LIMIT).unwrap_err().too_large);
        let bomb = codings.encode(&vec![0; 32 * LIMIT]).unwrap();
        let error = codings.decode(&bomb, 64 * LIMIT).unwrap_err();
        assert!(!error.too_large && error.partial.len() < 16 * LIMIT, "a bomb is not decoded to its end");
        let whole = codings.encode(&b"0123456789".repeat(9000)).unwrap();
        let cut = codings.decode(&whole[..whole.len() / 2], LIMIT);
        assert!(cut.is_err(), "a cut body is not a whole one");
    }
}
