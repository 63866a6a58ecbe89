"""What `mcpeak test` takes beyond the server's own time.

The same MCP conversation twice, in turns: by `mcpeak test` with a suite of three cases, and by the few lines below, which
check nothing. The server is the example inside mcpeak; its `add` tool calls nothing outside.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

DEADLINE = 30
ADDITIONS = [(2, 3), (-1, 1), (0.5, 0.25)]


def suite():
    def case(index, a, b):
        return {
            "id": f"add-{index}",
            "name": f"add {index}",
            "operation": {"type": "callTool", "tool": "add", "input": {"a": a, "b": b}},
            "assertions": [{"type": "isError", "expected": False}],
        }

    cases = [case(index, a, b) for index, (a, b) in enumerate(ADDITIONS)]
    return {"schemaVersion": 1, "id": "overhead", "name": "overhead", "cases": cases}


def messages():
    """What a client says, with the answer that each request waits for."""
    client = {"name": "driver", "version": "1"}
    yield {"id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}}
    yield {"method": "notifications/initialized"}
    yield {"id": 1, "method": "tools/list"}
    for number, (a, b) in enumerate(ADDITIONS, start=2):
        yield {"id": number, "method": "tools/call", "params": {"name": "add", "arguments": {"a": a, "b": b}}}


def drive(server):
    """The bare conversation, from start to the server's exit."""
    began = time.perf_counter()
    with subprocess.Popen(server, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for message in messages():
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            process.stdin.flush()
            if "id" in message:
                answer = json.loads(process.stdout.readline())
                if answer.get("id") != message["id"] or "result" not in answer:
                    raise SystemExit(f"not an answer to {message}: {answer}")
        process.stdin.close()
        process.wait(DEADLINE)
    return (time.perf_counter() - began) * 1_000


def test(mcpeak, suite_file, server):
    began = time.perf_counter()
    command = [mcpeak, "test", suite_file, "--", *server]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=DEADLINE)
    took = (time.perf_counter() - began) * 1_000
    if done.returncode != 0:
        raise SystemExit(f"{command} ended with {done.returncode}:\n{done.stdout.decode(errors='replace')}")
    return took


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mcpeak", required=True)
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    server = [arguments.mcpeak, "demo", "--serve"]
    bare, tested = [], []
    with tempfile.TemporaryDirectory(prefix="mcpeak-bench-") as folder:
        suite_file = Path(folder, "overhead.suite.json")
        suite_file.write_text(json.dumps(suite()))
        for _ in range(arguments.rounds):
            bare.append(drive(server))
            tested.append(test(arguments.mcpeak, suite_file, server))
    bare, tested = statistics.median(bare), statistics.median(tested)
    print("| from start to exit, 3 cases | ms |\n|---|---|")
    print(f"| bare conversation | {bare:.1f} |\n| mcpeak test | {tested:.1f} |\n| difference | {tested - bare:.1f} |")


if __name__ == "__main__":
    main()
