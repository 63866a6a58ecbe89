//! Serves DNS answers over UDP and TCP (RFC 1035 section 4.2, RFC 7766).

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::dns::Zone;

/// Tries to find a port that is free for both.
const TRIES: u32 = 16;
/// Between two questions of a TCP connection.
const IDLE: Duration = Duration::from_secs(30);

/// A port for both transports.
pub(super) struct Responder {
    datagrams: UdpSocket,
    streams: TcpListener,
}

impl Responder {
    pub(super) async fn bind() -> io::Result<Self> {
        let mut tries = 0;
        loop {
            let datagrams = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            match TcpListener::bind(datagrams.local_addr()?).await {
                Ok(streams) => return Ok(Self { datagrams, streams }),
                Err(error) if tries == TRIES => return Err(error),
                Err(_) => tries += 1,
            }
        }
    }

    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.datagrams.local_addr()
    }

    /// Answers until it is stopped.
    pub(super) async fn serve(self, zone: Arc<Zone>, stop: CancellationToken) {
        let mut connections = JoinSet::new();
        // EDNS allows for more than 512 bytes, nobody asks with more than this.
        let mut question = [0; 4096];
        loop {
            tokio::select! {
                received = self.datagrams.recv_from(&mut question) => {
                    if let Ok((length, from)) = received
                        && let Some(answer) = zone.answer(&question[..length])
                    {
                        // A client that is gone asks no more.
                        let _ = self.datagrams.send_to(&answer, from).await;
                    }
                }
                accepted = self.streams.accept() => {
                    if let Ok((stream, _)) = accepted {
                        connections.spawn(stream_of_questions(stream, Arc::clone(&zone)));
                    }
                }
                Some(_) = connections.join_next() => {}
                () = stop.cancelled() => break,
            }
        }
        connections.shutdown().await;
    }
}

async fn stream_of_questions(mut stream: TcpStream, zone: Arc<Zone>) -> Option<()> {
    loop {
        let length = tokio::time::timeout(IDLE, stream.read_u16()).await.ok()?.ok()?;
        let mut question = vec![0; usize::from(length)];
        tokio::time::timeout(IDLE, stream.read_exact(&mut question)).await.ok()?.ok()?;
        let answer = zone.answer(&question)?;
        let mut message = u16::try_from(answer.len()).ok()?.to_be_bytes().to_vec();
        message.extend(answer);
        stream.write_all(&message).await.ok()?;
    }
}
