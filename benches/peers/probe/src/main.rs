//! What a captured program pays: for each connect, and for each byte. Prints one number per line, as `name value unit`.
//!
//! `probe connect ADDRESS COUNT` connects that often, one after the other, and closes at once.
//! `probe stream BYTES` sends that much to a listener of its own over loopback.
//! `probe calls COUNT` makes that many system calls that no filter looks at.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["connect", address, count] => connect(address.parse()?, count.parse()?),
        ["stream", bytes] => stream(bytes.parse()?),
        ["calls", count] => calls(count.parse()?),
        _ => Err("usage: probe connect ADDRESS COUNT | stream BYTES | calls COUNT".into()),
    }
}

fn connect(address: SocketAddr, count: usize) -> Result<(), Failure> {
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let start = Instant::now();
        let stream = TcpStream::connect(address)?;
        times.push(start.elapsed());
        drop(stream);
    }
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    for (name, time) in [("p10", at(10)), ("p50", at(50)), ("p90", at(90))] {
        println!("connect-{name} {:.1} us", micros(time));
    }
    Ok(())
}

fn stream(bytes: usize) -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let reader = std::thread::spawn(move || -> std::io::Result<usize> {
        let (mut stream, _) = listener.accept()?;
        let (mut buffer, mut seen) = (vec![0; 1 << 18], 0);
        loop {
            match stream.read(&mut buffer)? {
                0 => return Ok(seen),
                length => seen += length,
            }
        }
    });
    let mut stream = TcpStream::connect(address)?;
    let (block, start) = (vec![7; 1 << 18], Instant::now());
    let mut left = bytes;
    while left > 0 {
        let now = left.min(block.len());
        stream.write_all(&block[..now])?;
        left -= now;
    }
    drop(stream);
    let seen = reader.join().map_err(|_| "the reader broke")??;
    if seen != bytes {
        return Err(format!("{seen} bytes of {bytes} arrived").into());
    }
    #[expect(clippy::cast_precision_loss, reason = "a rate needs no more digits")]
    let rate = bytes as f64 / 1e9 / start.elapsed().as_secs_f64();
    println!("stream {rate:.2} GB/s");
    Ok(())
}

fn calls(count: u32) -> Result<(), Failure> {
    let mut null = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
    let start = Instant::now();
    for _ in 0..count {
        null.write_all(b"x")?;
    }
    println!("write {:.0} ns", micros(start.elapsed()) * 1000.0 / f64::from(count));
    Ok(())
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
