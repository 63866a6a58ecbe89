//! `mcpeak proxy` as programs beside it meet it.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Output};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Api, Context};

/// A running proxy and the addresses that it has announced. Dropping it kills it.
struct Sidecar {
    child: Child,
    proxy: String,
    reverse: Option<String>,
    admin: Option<String>,
}

impl Sidecar {
    fn start(context: &Context, flags: &[String]) -> Self {
        let fixed = ["proxy", "--listen", "127.0.0.1:0"].into_iter().map(str::to_owned);
        let mut command = context.command(fixed.chain(flags.iter().cloned()));
        command.env("CA_SEED", "0123456789abcdef0123456789abcdef");
        let mut child = command.spawn().expect("the binary starts");
        let mut lines = BufReader::new(child.stderr.take().expect("stderr is piped")).lines();
        let (mut proxy, mut reverse, mut admin) = (None, None, None);
        // The CA is announced last.
        let mut said = Vec::new();
        for line in lines.by_ref().map_while(Result::ok) {
            proxy = proxy.or(line.strip_prefix("proxy listening on ").map(str::to_owned));
            admin = admin.or(line.strip_prefix("admin endpoint on ").map(str::to_owned));
            let address = line.strip_prefix("reverse listener on ").and_then(|rest| rest.split(' ').next());
            reverse = reverse.or(address.map(str::to_owned));
            said.push(line);
            if said.last().is_some_and(|line| line.contains("ca.pem")) {
                break;
            }
        }
        let proxy = proxy.unwrap_or_else(|| panic!("no address is announced: {said:?}"));
        Self { child, proxy, reverse, admin }
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).expect("a pid")).expect("a pid");
        kill_process(pid, signal).expect("the process is there");
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn flags(words: &[&str], api: &[String]) -> Vec<String> {
    words.iter().map(ToString::to_string).chain(api.iter().cloned()).collect()
}

fn run(context: &Context, program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(context.folder());
    for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"] {
        command.env_remove(name);
    }
    command
        .output()
        .unwrap_or_else(|error| panic!("{program} does not start ({error}); tests/run.sh installs it"))
}

#[track_caller]
fn succeed(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn p16_t16_a_client_speaks_tls_to_the_proxy_itself() {
    let context = Context::new();
    let api = Api::weather();
    let sidecar = Sidecar::start(&context, &flags(&["--ca-dir", "ca"], &api.flags(&context)));
    let proxy = format!("https://{}", sidecar.proxy);
    for version in ["--http1.1", "--http2"] {
        let answer = run(
            &context,
            "curl",
            &[
                "-sS",
                version,
                "--proxy-cacert",
                "ca/ca.pem",
                "--cacert",
                "ca/ca.pem",
                "--proxy",
                &proxy,
                "https://api.weather.example/v1/weather?city=Seoul",
            ],
        );
        assert!(succeed(&answer).contains("\"tempC\":21"), "{version}");
    }
}

#[test]
fn t3_the_ca_of_a_seed_is_served_as_pem_and_as_a_store_that_openssl_and_java_read() {
    let context = Context::new();
    let words = ["--ca-seed-env", "CA_SEED", "--admin", "127.0.0.1:0"];
    let sidecar = Sidecar::start(&context, &flags(&words, &[]));
    let admin = format!("http://{}", sidecar.admin.as_deref().expect("an admin address"));
    let pem = succeed(&run(&context, "curl", &["-sS", &format!("{admin}/ca.pem")]));
    let other = Sidecar::start(&context, &flags(&words, &[]));
    let others = format!("http://{}/ca.pem", other.admin.as_deref().expect("an admin address"));
    assert_eq!(succeed(&run(&context, "curl", &["-sS", &others])), pem, "the same seed, the same CA");
    succeed(&run(&context, "curl", &["-sS", "-o", "ca.p12", &format!("{admin}/ca.p12")]));
    let read = run(&context, "openssl", &["pkcs12", "-in", "ca.p12", "-nokeys", "-passin", "pass:mcpeak"]);
    assert!(succeed(&read).contains(pem.trim()), "openssl finds the certificate, and the check holds");
    for password in [&["-storepass", "mcpeak"][..], &[]] {
        let list = [&["-list", "-rfc", "-storetype", "PKCS12", "-keystore", "ca.p12"], password].concat();
        let listed = succeed(&run(&context, "keytool", &list));
        assert!(listed.contains("trustedCertEntry"), "{listed}");
    }
}

#[test]
fn a_short_seed_is_refused_before_anything_is_served() {
    let context = Context::new();
    let mut command = context.command(["proxy", "--listen", "127.0.0.1:0", "--ca-seed-env", "SHORT"]);
    command.env("SHORT", "hunter22");
    let run =
        crate::support::context::run_command(command).expect_code(1).expect_stderr(&["32", "openssl rand"]);
    assert!(!run.stderr.contains("hunter22"));
}

#[test]
fn o5_a_client_without_proxy_settings_is_recorded_by_a_reverse_listener() {
    let context = Context::new();
    let api = Api::weather();
    let words = ["--record-session", "s.json", "--reverse", "0=https://api.weather.example"];
    let mut sidecar = Sidecar::start(&context, &flags(&words, &api.flags(&context)));
    let url =
        format!("http://{}/v1/weather?city=Seoul", sidecar.reverse.as_deref().expect("a reverse listener"));
    assert!(succeed(&run(&context, "curl", &["-sS", &url])).contains("\"tempC\":21"));
    let before = Instant::now();
    sidecar.signal(Signal::TERM);
    assert_eq!(sidecar.child.wait().expect("it ends").code(), Some(0));
    assert!(before.elapsed() < Duration::from_secs(5), "{:?}", before.elapsed());
    assert!(context.read("s.json").contains("https://api.weather.example/v1/weather?city=Seoul"));
}

/// Answers each request with its path.
fn mirror() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let _ = stream.set_nodelay(true);
                let mut reader = BufReader::new(stream);
                loop {
                    let mut line = String::new();
                    let mut rest = String::new();
                    if reader.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    while rest != "\r\n" {
                        rest.clear();
                        if reader.read_line(&mut rest).unwrap_or(0) == 0 {
                            return;
                        }
                    }
                    let path = line.split(' ').nth(1).unwrap_or_default();
                    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{path}", path.len());
                    if reader.get_mut().write_all(answer.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}

/// Asks until the connection breaks; keeps what was answered in full.
fn ask_until_broken(address: &str, next: &AtomicU64, answered: &Mutex<BTreeSet<String>>) {
    let Ok(mut stream) = TcpStream::connect(address) else { return };
    let _ = stream.set_nodelay(true);
    let mut buffer = vec![0; 1024];
    loop {
        let path = format!("/{:06}", next.fetch_add(1, Ordering::Relaxed));
        let request = format!("GET {path} HTTP/1.1\r\nHost: mirror\r\n\r\n");
        if stream.write_all(request.as_bytes()).is_err() {
            return;
        }
        let mut got = Vec::new();
        while !got.ends_with(path.as_bytes()) {
            match stream.read(&mut buffer) {
                Ok(0) | Err(_) => return,
                Ok(read) => got.extend_from_slice(&buffer[..read]),
            }
        }
        answered.lock().expect("no thread panics").insert(path);
    }
}

#[test]
fn o1_kill_9_at_50_random_moments_under_load_loses_no_answer_that_arrived() {
    const CLIENTS: usize = 8;
    let origin = mirror();
    // A generator of its own (xorshift), so that the moments are the same in every run.
    let mut random: u64 = 0x9e37_79b9_7f4a_7c15;
    for round in 0..50 {
        let context = Context::new();
        let rule = format!("0=http://{origin}");
        let sidecar =
            Sidecar::start(&context, &flags(&["--record-session", "s.json", "--reverse", &rule], &[]));
        let address = sidecar.reverse.clone().expect("a reverse listener");
        let (next, answered) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(BTreeSet::new())));
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                let (address, next, answered) = (address.clone(), Arc::clone(&next), Arc::clone(&answered));
                std::thread::spawn(move || ask_until_broken(&address, &next, &answered))
            })
            .collect();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // So many answers are waited for: a moment that does not depend on how fast the machine is.
        let moment = usize::try_from(random % 120).expect("it is small");
        let deadline = Instant::now() + Duration::from_secs(20);
        while answered.lock().expect("no thread panics").len() < moment {
            assert!(Instant::now() < deadline, "round {round}: the load stands still");
            std::thread::yield_now();
        }
        sidecar.signal(Signal::KILL);
        for client in clients {
            client.join().expect("a client ends");
        }
        drop(sidecar);
        let answered = answered.lock().expect("no thread panics");
        if answered.is_empty() {
            continue;
        }
        context.run(["session", "recover", "s.json"]).expect_code(0);
        let session: serde_json::Value = serde_json::from_str(&context.read("s.json")).expect("a session");
        let exchanges = session["exchanges"].as_array().expect("exchanges");
        let recovered: BTreeSet<String> = exchanges
            .iter()
            .filter_map(|exchange| exchange["request"]["url"].as_str()?.rsplit_once('/'))
            .map(|(_, path)| format!("/{path}"))
            .collect();
        let lost: Vec<_> = answered.difference(&recovered).collect();
        assert!(lost.is_empty(), "round {round}, killed after {moment} answers: lost {lost:?}");
    }
}
