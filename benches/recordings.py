"""Recordings of `GET SCHEME://api.example.test/items/{i}`, as a session file of mcpeak or a flow file of mitmproxy.

The same bodies in both: compact JSON of exactly `length` bytes, all distinct.

    recordings.py session.json COUNT FILE
    recordings.py flows COUNT FILE        (with the Python that mitmproxy is installed for)
"""

import hashlib
import json
import sys

HOST = "api.example.test"
LENGTH = 200
CONTENT_TYPE = "application/json"


def document(item, length=LENGTH):
    """A JSON object that is `length` bytes in compact form."""
    value = {"id": item, "name": f"item {item}", "price": 12.5, "tags": ["a", "b"], "note": ""}
    value["note"] = "x" * (length - len(compact(value)))
    return value


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def exchange(item):
    """One exchange as mcpeak writes it: hashes included, so that loading has to check them."""
    url = f"https://{HOST}/items/{item}"
    value = document(item)
    body = compact(value)
    return {
        "id": f"{hashlib.sha256(url.encode()).hexdigest()[:16]}#1",
        "request": {"method": "GET", "url": url, "headers": [["accept", CONTENT_TYPE]], "body": None},
        "response": {
            "status": 200,
            "reason": "OK",
            "headers": [["content-type", CONTENT_TYPE], ["content-length", str(len(body))]],
            "framing": "content-length",
            "body": {"json": value, "sha256": hashlib.sha256(body).hexdigest()},
        },
    }


def write_session(count, path):
    exchanges = sorted((exchange(item) for item in range(count)), key=lambda entry: entry["request"]["url"])
    session = {"format": "mcpeak-session", "version": 1, "rules": [], "exchanges": exchanges, "meta": {}}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(session, file, indent=2)
        file.write("\n")


def write_flows(count, path):
    from mitmproxy import connection, http, io

    with open(path, "wb") as file:
        writer = io.FlowWriter(file)
        for item in range(count):
            client = connection.Client(peername=("127.0.0.1", 1), sockname=("127.0.0.1", 2))
            flow = http.HTTPFlow(client, connection.Server(address=(HOST, 443)))
            headers = {"accept": CONTENT_TYPE, "host": HOST}
            flow.request = http.Request.make("GET", f"https://{HOST}/items/{item}", b"", headers)
            flow.response = http.Response.make(200, compact(document(item)), {"content-type": CONTENT_TYPE})
            writer.add(flow)


if __name__ == "__main__":
    form, count, path = sys.argv[1:]
    {"session.json": write_session, "flows": write_flows}[form](int(count), path)
