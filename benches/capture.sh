#!/usr/bin/env bash
# What socket capture costs a program: each connect, each byte, any other system call; against no capture, and against strace.
#   benches/capture.sh [ROUNDS]
# Needs strace. Prints every round, so that the noise of the machine is seen.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
rounds=${1:-3}
command -v strace >/dev/null || { echo "capture.sh: strace is not installed" >&2; exit 1; }

cargo build --quiet --release --locked --manifest-path "$root/Cargo.toml" --bin mcpeak
cargo build --quiet --release --locked --manifest-path "$root/benches/peers/Cargo.toml" --bin probe
target() {
    cargo metadata --format-version 1 --no-deps --offline --manifest-path "$1" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])'
}
mcpeak=$(target "$root/Cargo.toml")/release/mcpeak
probe=$(target "$root/benches/peers/Cargo.toml")/release/probe

folder=$(mktemp -d)
python3 - "$folder/port" <<'LISTENER' &
import socket, sys, threading, os
listener = socket.socket(); listener.bind(("127.0.0.1", 0)); listener.listen(4096)
open(sys.argv[1] + ".new", "w").write(str(listener.getsockname()[1])); os.rename(sys.argv[1] + ".new", sys.argv[1])
while True:
    connection, _ = listener.accept(); connection.close()
LISTENER
listener=$!
trap 'kill "$listener" 2>/dev/null || true; rm -rf "$folder"' EXIT
until [[ -s $folder/port ]]; do kill -0 "$listener"; done
address=127.0.0.1:$(<"$folder/port")
printf '%s' '{"format":"mcpeak-session","version":1,"rules":[],"exchanges":[]}' >"$folder/empty.json"

# A led connection ends at the proxy, a passed one at the listener.
led=("$mcpeak" run --session "$folder/empty.json" --capture socket --)
passed=("$mcpeak" run --session "$folder/empty.json" --capture socket --pass-loopback --)
traced=(strace -f -qq -e trace=connect -o /dev/null)

measure() { # name, probe's arguments, command in front
    local name=$1 what=$2
    shift 2
    # shellcheck disable=SC2086
    "$@" "$probe" $what 2>/dev/null | sed "s/^/$name: /"
}

for ((round = 1; round <= rounds; round++)); do
    echo "round $round"
    measure plain "connect $address 4000" env
    measure led "connect $address 4000" "${led[@]}"
    measure passed "connect $address 4000" "${passed[@]}"
    measure strace "connect $address 4000" "${traced[@]}"
    for what in "stream 2000000000" "calls 300000"; do
        measure plain "$what" env
        measure led "$what" "${led[@]}"
        measure strace "$what" "${traced[@]}"
    done
done
