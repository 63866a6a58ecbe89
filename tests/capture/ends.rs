//! Ends in the middle: of the server, and of the supervisor.

use std::io::{BufRead as _, BufReader, Read as _};

use crate::world::{HOST, Origin, World, line};

#[test]
fn a_program_killed_in_the_middle_leaves_a_whole_recording() {
    let world = World::new(None);
    let origin = Origin::start();
    let script = format!("curl -sS https://{HOST}/one; curl -sS http://{HOST}/two; kill -9 $$");
    let mut arguments = line(&[&["run", "--record-session", "s.json", "--capture", "socket"]]);
    arguments.extend(origin.flags(&world));
    arguments.extend(line(&[&["--", "sh", "-c", &script]]));
    let run = world.run(&arguments).expect_code(137);
    assert_eq!(run.stdout, "https answers /onehttp answers /two");
    origin.stop();
    let replayed = crate::world::replay(&world, &["sh", "-c", &script]).expect_code(137);
    assert_eq!(replayed.stdout, run.stdout);
}

#[test]
fn a_supervisor_that_is_killed_takes_the_network_with_it() {
    let world = World::with_empty_session();
    let script = r#"
import errno, os, socket, sys, time
parent = os.getppid()
print(parent, flush=True)
while os.getppid() == parent: time.sleep(0.01)
for attempt in (socket.socket, lambda: socket.getaddrinfo("api.capture.example", 443)):
    try: attempt(); answer = "got out"
    except OSError as error: answer = errno.errorcode.get(error.errno, type(error).__name__)
    print(answer, flush=True)
"#;
    let mut child = world
        .command(&line(&[&[
            "run",
            "--session",
            "s.json",
            "--capture",
            "socket",
            "--",
            "/usr/bin/python3",
            "-c",
            script,
        ]]))
        .spawn()
        .expect("mcpeak starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    lines.read_line(&mut first).expect("read");
    assert_eq!(first.trim(), child.id().to_string(), "the parent is the supervisor");
    child.kill().expect("killed");
    child.wait().expect("ended");
    let mut rest = String::new();
    lines.read_to_string(&mut rest).expect("read");
    let answers: Vec<_> = rest.lines().collect();
    assert_eq!(answers[0], "ENOSYS", "{rest}");
    assert!(answers[1] != "got out", "{rest}");
}

#[test]
fn an_interrupt_is_handed_on_as_it_came() {
    let world = World::with_empty_session();
    let script = "trap 'echo interrupted; exit 5' INT; echo ready; while :; do sleep 0.05; done";
    let mut child = world
        .command(&line(&[&["run", "--session", "s.json", "--capture", "socket", "--", "bash", "-c", script]]))
        .spawn()
        .expect("mcpeak starts");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    output.read_line(&mut first).expect("read");
    assert_eq!(first, "ready\n");
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).expect("a pid")).expect("a pid");
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("sent");
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("read");
    assert_eq!(rest, "interrupted\n");
    child.stdout = None;
    assert_eq!(child.wait().expect("ended").code(), Some(130));
}
