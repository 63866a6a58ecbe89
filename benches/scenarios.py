#!/usr/bin/env python3
"""What recorders make of the same scenarios: a table of mcpeak, mitmdump and WireMock.

    scenarios.py --mcpeak BINARY [--mitmdump BINARY] [--wiremock JAR]

Each recorder stands in front of an origin of this script (a reverse proxy: the one way in that all three have). The requests of a
scenario are recorded, the origin is taken away, and requests are sent again. "ok" is the origin's answer to the byte, or a refusal
where none was recorded; anything else is named. Peers that are not given are left out. What needs TLS, HTTP/2 or streams is not
in here; the tests under proxy/tests/network/scenarios have it for mcpeak.
"""

import argparse
import contextlib
import gzip
import http.client
import json
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
import zlib
from pathlib import Path

DEADLINE = 60.0


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Origin:
    """Answers the n-th request of a scenario with exactly these bytes."""

    def __init__(self, answers):
        self.answers = list(answers)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.lock = threading.Lock()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        # A peer may reset what it keeps open.
        with connection, contextlib.suppress(OSError):
            reader = connection.makefile("rb")
            while read_request(reader):
                with self.lock:
                    answer = self.answers.pop(0) if self.answers else whole(b"nothing is left")
                connection.sendall(answer)

    def stop(self):
        # Waiting in accept would keep the port open.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def read_request(reader):
    """Reads a request with its body; None at the end."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = reader.readline()
        if not line:
            return None
        head += line
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            reader.read(int(line.split(b":")[1]))
        if line.startswith(b"transfer-encoding:"):
            while (size := int(reader.readline(), 16)) > 0:
                reader.read(size + 2)
            reader.readline()
    return head


def whole(body, *fields, status="200 OK"):
    lines = [f"HTTP/1.1 {status}", *fields, f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


def request(target, content_type=None, body=b"", method=None):
    method = method or ("POST" if content_type else "GET")
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost", "Connection: close"]
    if content_type:
        lines += [f"Content-Type: {content_type}", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


class Answer:
    """An answer as its client sees it."""

    def __init__(self, port, sent):
        self.failure = None
        self.status, self.reason, self.fields, self.body = 0, "", [], b""
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=15) as connection:
                connection.sendall(sent)
                response = http.client.HTTPResponse(connection, method=sent.split(b" ", 1)[0].decode())
                response.begin()
                self.status, self.reason = response.status, response.reason
                self.fields = response.getheaders()
                self.body = response.read()
        except (OSError, http.client.HTTPException) as error:
            self.failure = type(error).__name__

    def values(self, name):
        return [value for field, value in self.fields if field == name]


class Recorder:
    """A recorder in one folder: started to record, then to replay."""

    def __init__(self, folder, origin_port):
        self.folder, self.origin, self.port = folder, f"http://127.0.0.1:{origin_port}", free_port()
        self.process = None

    def start(self, command, ready_port=None):
        log = open(Path(self.folder) / "log", "ab")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)
        deadline = time.monotonic() + DEADLINE
        while True:
            try:
                socket.create_connection(("127.0.0.1", ready_port or self.port), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit((Path(self.folder) / "log").read_text(errors="replace")) from None
                time.sleep(0.02)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Mcpeak(Recorder):
    binary = None

    def run(self, flag):
        rule = f"127.0.0.1:{self.port}={self.origin}"
        self.start([self.binary, "proxy", "--listen", "127.0.0.1:0", flag, "s.json", "--reverse", rule])

    def record(self):
        self.run("--record-session")

    def replay(self):
        self.stop()
        self.run("--session")


class Mitmdump(Recorder):
    binary = None

    def run(self, *flags):
        mode = ["--mode", f"reverse:{self.origin}@127.0.0.1:{self.port}"]
        options = ["--set", f"confdir={self.folder}/conf", "--set", "connection_strategy=lazy", "--quiet"]
        self.start([self.binary, *mode, *options, *flags])

    def record(self):
        self.run("--save-stream-file", "flows")

    def replay(self):
        self.stop()
        self.run("--server-replay", "flows", "--set", "server_replay_extra=kill", "--set", "server_replay_refresh=false")


class WireMock(Recorder):
    jar = None

    def record(self):
        command = ["java", "-jar", self.jar, "--port", str(self.port), "--bind-address", "127.0.0.1"]
        self.start([*command, "--root-dir", self.folder])
        self.admin("recordings/start", {"targetBaseUrl": self.origin, "requestBodyPattern": {"matcher": "auto"}})

    def replay(self):
        self.admin("recordings/stop", {})

    def admin(self, path, document):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("POST", f"/__admin/{path}", json.dumps(document), {"Content-Type": "application/json"})
        response = connection.getresponse()
        if response.read() is None or response.status >= 300:
            raise SystemExit(f"WireMock: {path}: {response.status}")


def multipart(boundary, content):
    body = f'--{boundary}\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n{content}\r\n--{boundary}--\r\n'
    return request("/upload", f"multipart/form-data; boundary={boundary}", body.encode())


def form(body):
    return request("/form", "application/x-www-form-urlencoded", body)


def document(body):
    return request("/json", "application/json", body)


FOUND = [whole(b"found", "Content-Type: text/plain")]
COOKIES = ("Set-Cookie: a=1; Path=/", "X-MiXeD-Case: 1", "Set-Cookie: b=2", "X-Dup: 1", "X-Dup: 2")
BINARY = bytes(range(256)) * 8
EXACT = b'{ "n" : 12345678901234567890,\t"a":1,"a":2.50 }\n'
GET = request("/x")


def scenarios():
    """Name, answers of the origin, recorded requests, requests of the replay, and how many of those must be found."""
    counted = [whole(str(number).encode()) for number in range(3)]
    yield "3x same GET, 3 answers", counted, [GET] * 3, [GET] * 3, 3
    yield "4th call after 3 recorded", counted, [GET] * 3, [GET] * 4, 3
    yield "multipart, new boundary", FOUND, [multipart("one", "c")], [multipart("two", "c")], 1
    yield "multipart, other file", FOUND, [multipart("one", "c")], [multipart("one", "C")], 0
    yield "JSON key order and spaces", FOUND, [document(b'{"a":1,"b":2}')], [document(b'{ "b": 2, "a": 1 }')], 1
    yield "form field order", FOUND, [form(b"a=1&b=2")], [form(b"b=2&a=1")], 1
    yield "query order", FOUND, [request("/q?a=1&b=2")], [request("/q?b=2&a=1")], 1
    yield "repeated form key", FOUND, [form(b"x=1&x=2")], [form(b"x=1&x=3")], 0
    yield "cookies, case, repeated header", [whole(b"ok", *COOKIES)], [GET], [GET], 1
    encoded = gzip.compress(EXACT * 20, mtime=0)
    yield "gzip body", [whole(encoded, "Content-Encoding: gzip", 'ETag: "g"')], [GET], [GET], 1
    yield "deflate body", [whole(zlib.compress(EXACT * 20), "Content-Encoding: deflate")], [GET], [GET], 1
    yield "octet-stream 2 KiB", [whole(BINARY, "Content-Type: application/octet-stream")], [GET], [GET], 1
    yield "windows-1252 CSV", [whole(b"caf\xe9;\x80 5\r\n", "Content-Type: text/csv; charset=windows-1252")], [GET], [GET], 1
    yield "JSON body bytes", [whole(EXACT, "Content-Type: application/json")], [GET], [GET], 1
    yield "custom reason phrase", [whole(b"", status="418 Short And Stout")], [GET], [GET], 1
    head = request("/h", method="HEAD")
    yield "HEAD Content-Length 1024", [b"HTTP/1.1 200 OK\r\nContent-Length: 1024\r\n\r\n"], [head], [head], 1
    blob = request("/b", "application/octet-stream", BINARY)
    yield "binary request body", FOUND, [blob], [blob], 1
    yield "dates kept", [whole(b"ok", "Date: Thu, 01 Jan 2015 00:00:00 GMT", "Expires: Thu, 01 Jan 2015 01:00:00 GMT")], [GET], [GET], 1
    yield "unknown request", FOUND, [GET], [request("/other")], 0
    yield "20 MB body", [whole(BINARY * 10_240, "Content-Type: application/octet-stream")], [GET], [GET], 1


def compare(expected, got):
    """What is not as the origin said, in a few words."""
    if got.failure:
        return f"no answer ({got.failure})"
    if got.status != expected.status:
        return f"status {got.status}"
    if got.body != expected.body:
        return "other body"
    if got.reason != expected.reason:
        return "other reason"
    # A cookie is a secret: a recorder may keep another value for it, and not another number of them.
    # How a body is framed is the recorder's choice here; the length in an answer without one is what was asked for.
    framing = {"Content-Length", "Transfer-Encoding"} if expected.body else set()
    names = [name for name, _ in expected.fields if name not in framing]
    lost = [name for name in names if len(got.values(name)) != len(expected.values(name))]
    changed = [n for n in names if n != "Set-Cookie" and got.values(n) != expected.values(n)]
    added = [name for name, _ in got.fields if name not in {*names, *framing, "Connection"}]
    for what, fields in (("lost", lost), ("changed", changed), ("added", added)):
        if fields:
            return f"{what} {', '.join(sorted(set(fields)))}"
    return "ok"


def direct(answers, recorded):
    """The same requests to an origin itself."""
    origin = Origin(answers)
    try:
        return [Answer(origin.port, sent) for sent in recorded]
    finally:
        origin.stop()


def verdict(kind, answers, recorded, requested, found):
    expected = direct(answers, recorded)
    origin = Origin(answers)
    with tempfile.TemporaryDirectory() as folder:
        recorder = kind(folder, origin.port)
        try:
            recorder.record()
            for sent in recorded:
                Answer(recorder.port, sent)
            origin.stop()
            recorder.replay()
            got = [Answer(recorder.port, sent) for sent in requested]
        finally:
            recorder.stop()
    for want, answer in zip(expected, got[:found]):
        if (said := compare(want, answer)) != "ok":
            return said
    for answer in got[found:]:
        if answer.failure is None and 200 <= answer.status < 400:
            return "answered without a recording"
        if len(answer.body) > 64 * 1024:
            return f"refusal of {len(answer.body)} bytes"
    return "ok"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for flag, wanted in (("--mcpeak", True), ("--mitmdump", False), ("--wiremock", False)):
        parser.add_argument(flag, required=wanted, type=os.path.abspath)
    arguments = parser.parse_args()
    Mcpeak.binary, Mitmdump.binary, WireMock.jar = arguments.mcpeak, arguments.mitmdump, arguments.wiremock
    peers = [("mcpeak", Mcpeak)]
    peers += [("mitmdump", Mitmdump)] if arguments.mitmdump else []
    peers += [("WireMock", WireMock)] if arguments.wiremock else []
    print("| scenario |", " | ".join(name for name, _ in peers), "|")
    print("|---" * (len(peers) + 1) + "|")
    for name, *scenario in scenarios():
        print(f"| {name} |", " | ".join(verdict(kind, *scenario) for _, kind in peers), "|", flush=True)


if __name__ == "__main__":
    main()
