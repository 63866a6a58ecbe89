#!/usr/bin/env python3
"""Whether memory stays flat over a million replayed requests.

    memory.py --mcpeak BINARY [--requests 1000000]

1,000 recordings are replayed in turns over one connection to a reverse listener. Resident memory is printed at each tenth; the exit
code is 1 if the last is more than 4 MiB above the first, or if an answer is wrong.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import recordings
from peers import free_port

RECORDINGS, BATCH, MOST_GROWTH_MIB = 1_000, 100, 4.0


def resident_mib(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1_024
    raise SystemExit("no VmRSS in /proc: this needs Linux")


def connect(port, process):
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            if process.poll() is not None:
                raise SystemExit("mcpeak does not start") from None
            time.sleep(0.01)


def ask(reader, connection, first):
    """A batch of requests in one write, and their answers."""
    items = [(first + offset) % RECORDINGS for offset in range(BATCH)]
    head = f"Host: {recordings.HOST}\r\nAccept: {recordings.CONTENT_TYPE}\r\n\r\n"
    connection.sendall("".join(f"GET /items/{item} HTTP/1.1\r\n{head}" for item in items).encode())
    for item in items:
        if not reader.readline().startswith(b"HTTP/1.1 200 "):
            raise SystemExit(f"a wrong answer for item {item}")
        while reader.readline() != b"\r\n":
            pass
        if reader.read(recordings.LENGTH) != recordings.compact(recordings.document(item)):
            raise SystemExit(f"a wrong body for item {item}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mcpeak", required=True, type=os.path.abspath)
    parser.add_argument("--requests", type=int, default=1_000_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        session, port = Path(folder) / "s.json", free_port()
        recordings.write_session(RECORDINGS, session)
        command = [arguments.mcpeak, "proxy", "--session", session, "--repeat", "cycle", "--listen", "127.0.0.1:0"]
        command += ["--reverse", f"{port}=https://{recordings.HOST}"]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            connection = connect(port, process)
            reader, began, seen = connection.makefile("rb", buffering=1 << 20), time.perf_counter(), []
            for tenth in range(10):
                for first in range(0, arguments.requests // 10, BATCH):
                    ask(reader, connection, first)
                seen.append(resident_mib(process.pid))
                done = (tenth + 1) * (arguments.requests // 10)
                print(f"{done:>9} requests  {seen[-1]:6.1f} MiB  {done / (time.perf_counter() - began):8.0f} a second", flush=True)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
    growth = seen[-1] - seen[0]
    print(f"growth after the first tenth: {growth:.1f} MiB")
    sys.exit(growth > MOST_GROWTH_MIB)


if __name__ == "__main__":
    main()
