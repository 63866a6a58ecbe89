"""The proxies that are compared: how each is started, when it is ready, what it has used."""

import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

READY_DEADLINE = 60.0
STOP_DEADLINE = 10.0
TICKS = os.sysconf("SC_CLK_TCK")


class Peer:
    """A proxy under a name: `command(port)` gives its command line, `ca` the certificate to trust once it listens."""

    def __init__(self, name, command, ca):
        self.name = name
        self.command = command
        self.ca = ca

    def start(self):
        return Running(self)


class Running:
    """A started proxy that accepts connections. A context manager: it is stopped on the way out."""

    def __init__(self, peer):
        self.peer = peer
        self.port = free_port()
        self.log = tempfile.TemporaryFile()
        began = time.perf_counter()
        self.process = subprocess.Popen(
            peer.command(self.port), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log
        )
        try:
            self.wait_for_port()
        except BaseException:
            self.stop()
            raise
        self.start_ms = (time.perf_counter() - began) * 1_000

    def wait_for_port(self):
        """Connects until it is accepted; the pause is short against any start that is worth measuring."""
        deadline = time.monotonic() + READY_DEADLINE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"{self.peer.name} does not listen:\n{self.output()}") from None
                time.sleep(0.0005)

    def output(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")[-2_000:]

    def cpu_seconds(self):
        """Processor time used so far, user and system."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def peak_mib(self):
        """The most memory that was resident at once."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1_024
        raise SystemExit("no VmHWM in /proc: this needs Linux")

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(STOP_DEADLINE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def mcpeak(binary, session, folder):
    ca_dir = Path(folder, "mcpeak-ca")
    arguments = ["proxy", "--session", session, "--repeat", "cycle", "--ca-dir", ca_dir]
    return Peer(
        "mcpeak",
        lambda port: [binary, *arguments, "--listen", f"127.0.0.1:{port}"],
        ca_dir / "ca.pem",
    )


def canned(binary, length, folder):
    ca = Path(folder, "canned-ca.pem")
    return Peer("canned", lambda port: [binary, f"127.0.0.1:{port}", ca, str(length)], ca)


def mitmdump(binary, flows, folder):
    """Replay as fast as it goes: no log of flows, no changed dates, no connection to any origin."""
    confdir = Path(folder, "mitmproxy")
    options = {
        "confdir": confdir,
        "connection_strategy": "lazy",
        "flow_detail": 0,
        "keepserving": "true",
        "server_replay_extra": 404,
        "server_replay_refresh": "false",
        "server_replay_reuse": "true",
        "upstream_cert": "false",
    }
    arguments = ["--quiet", "--listen-host", "127.0.0.1", "--server-replay", flows]
    for name, value in options.items():
        arguments += ["--set", f"{name}={value}"]
    return Peer(
        "mitmdump",
        lambda port: [binary, *arguments, "--listen-port", str(port)],
        confdir / "mitmproxy-ca-cert.pem",
    )
