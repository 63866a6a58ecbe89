//! The last 64 KiB of what a server wrote to stderr.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::client::StderrTail;

/// How much is kept, in bytes.
pub(super) const STDERR_TAIL_BYTES: usize = 64 * 1024;

/// The end of a stream that is read elsewhere.
#[derive(Clone, Debug, Default)]
pub(super) struct TailBuffer(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    bytes: VecDeque<u8>,
    truncated: bool,
}

impl TailBuffer {
    fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes.extend(bytes);
        let over = kept.bytes.len().saturating_sub(STDERR_TAIL_BYTES);
        if over > 0 {
            kept.bytes.drain(..over);
            kept.truncated = true;
        }
    }

    /// What is kept now. A character that the cut went through is dropped.
    pub(super) fn tail(&self) -> StderrTail {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let truncated = kept.truncated;
        let bytes = kept.bytes.make_contiguous();
        let start = if truncated {
            bytes.iter().take(3).take_while(|byte| (0x80..0xc0).contains(*byte)).count()
        } else {
            0
        };
        StderrTail { text: String::from_utf8_lossy(&bytes[start..]).into_owned(), truncated }
    }

    /// Reads a stream to its end.
    pub(super) async fn fill(self, mut stream: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 8 * 1024];
        // An error ends the stream like its end does: there is nothing more to show.
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            self.push(&buffer[..count]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{STDERR_TAIL_BYTES, TailBuffer};

    #[tokio::test]
    async fn keeps_the_last_bytes_and_whole_characters() {
        let buffer = TailBuffer::default();
        let text = format!("first\n{}", "서".repeat(STDERR_TAIL_BYTES / 3 + 1));
        buffer.clone().fill(text.as_bytes()).await;
        let tail = buffer.tail();
        assert!(tail.truncated);
        assert!(tail.text.chars().all(|character| character == '서'), "{:?}", &tail.text[..9]);
        let short = TailBuffer::default();
        short.clone().fill(&b"a\xff"[..]).await;
        assert_eq!(short.tail().text, "a\u{fffd}");
        assert!(!short.tail().truncated);
    }
}
