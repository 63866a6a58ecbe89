"""Measures the replaying proxy beside its peers, in turns, and prints medians and ratios.

Started by compare.sh, which builds what is needed. Every wrong answer ends the comparison.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import peers
import recordings

HERE = Path(__file__).parent
RECORDINGS = 1_000
MANY_RECORDINGS = 10_000

SCENARIOS = {
    "HTTPS h1, 16 connections": ["--connections", "16"],
    "HTTPS h2, 16 connections": ["--connections", "16", "--http2"],
    # Many at once: a peer without TCP_NODELAY waits 40 ms in each, which is its latency and not its capacity.
    "new TLS connections, 128 at once": ["--connections", "128", "--new-connections"],
}
LATENCY = {"new TLS connection, one at a time": ["--connections", "1", "--new-connections"]}


class Results:
    """Every value measured, by measure and peer."""

    def __init__(self):
        self.values = {}

    def add(self, measure, peer, value):
        self.values.setdefault(measure, {}).setdefault(peer, []).append(value)

    def median(self, measure, peer):
        values = self.values[measure].get(peer)
        return statistics.median(values) if values else None

    def table(self, names):
        head = ["measure", *names, *(f"mcpeak / {name}" for name in names if name != "mcpeak")]
        lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        for measure in self.values:
            medians = {name: self.median(measure, name) for name in names}
            ratios = [ratio(medians.get("mcpeak"), medians[name]) for name in names if name != "mcpeak"]
            cells = [measure, *(figure(medians[name]) for name in names), *ratios]
            lines.append("| " + " | ".join(cells) + " |")
        return "\n".join(lines)


def figure(value):
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def ratio(ours, theirs):
    return "-" if not ours or not theirs else f"{ours / theirs:.2f}"


def load(binary, running, seconds, options):
    command = [binary, "--proxy", f"127.0.0.1:{running.port}", "--ca", running.peer.ca]
    command += ["--paths", str(RECORDINGS), "--length", str(recordings.LENGTH), "--seconds", str(seconds), *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=seconds + 60)
    summary = json.loads(done.stdout)
    if summary["errors"] or not summary["requests"]:
        raise SystemExit(f"{running.peer.name} {options}: {summary}\n{running.output()}")
    return summary


def measure(results, peer, arguments):
    """One round of one peer, in a process of its own."""
    with peer.start() as running:
        for name, options in SCENARIOS.items():
            before = running.cpu_seconds()
            summary = load(arguments.load, running, arguments.seconds, options)
            spent = running.cpu_seconds() - before
            results.add(f"{name}: per second", peer.name, summary["requests"] / arguments.seconds)
            results.add(f"{name}: p99 ms", peer.name, summary["p99_us"] / 1_000)
            results.add(f"{name}: CPU us each", peer.name, spent * 1_000_000 / summary["answered"])
        for name, options in LATENCY.items():
            summary = load(arguments.load, running, min(arguments.seconds, 2), options)
            results.add(f"{name}: p50 ms", peer.name, summary["p50_us"] / 1_000)
        results.add("peak memory after that, MiB", peer.name, running.peak_mib())


def measure_start(results, peer):
    with peer.start() as running:
        results.add(f"start with {MANY_RECORDINGS:,} recordings, ms", peer.name, running.start_ms)
        results.add(f"peak memory with {MANY_RECORDINGS:,} recordings, MiB", peer.name, running.peak_mib())


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mcpeak", help="binary; without it only the peers are measured")
    parser.add_argument("--canned", required=True)
    parser.add_argument("--mitmdump")
    parser.add_argument("--load", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5, help="of each load")
    parser.add_argument("--json", help="file for every single value")
    return parser.parse_args()


def recorded(folder, form, count):
    """A file of recordings, written by the module that knows the form."""
    path = Path(folder, f"{count}.{form}")
    subprocess.run([sys.executable, HERE / "recordings.py", form, str(count), path], check=True)
    return path


def main():
    arguments = parse_arguments()
    results = Results()
    with tempfile.TemporaryDirectory(prefix="mcpeak-bench-") as folder:
        def compared(count):
            if arguments.mcpeak:
                yield peers.mcpeak(arguments.mcpeak, recorded(folder, "session.json", count), folder)
            yield peers.canned(arguments.canned, recordings.LENGTH, folder)
            if arguments.mitmdump:
                yield peers.mitmdump(arguments.mitmdump, recorded(folder, "flows", count), folder)

        few, many = list(compared(RECORDINGS)), list(compared(MANY_RECORDINGS))
        for peer in few:
            # The first start makes keys and fills the page cache.
            peer.start().stop()
        for number in range(1, arguments.rounds + 1):
            print(f"round {number} of {arguments.rounds}", file=sys.stderr)
            for peer in few:
                measure(results, peer, arguments)
            for peer in many:
                measure_start(results, peer)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(results.values, indent=2) + "\n")
    print(results.table([peer.name for peer in few]))


if __name__ == "__main__":
    main()
