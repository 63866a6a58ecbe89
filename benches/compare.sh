#!/usr/bin/env bash
# Builds mcpeak, its peers and the load, and compares them; docs/guide/benchmarks.md says what is measured.
#   benches/compare.sh [--rounds N] [--seconds S] [--json FILE]
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mcpeak-bench
venv=$cache/venv
mitmproxy_version=11.0.2

cargo build --release --locked --manifest-path "$root/Cargo.toml" --bin mcpeak
cargo build --release --locked --manifest-path "$root/benches/peers/Cargo.toml"

if [[ ! -x $venv/bin/mitmdump ]]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet "mitmproxy==$mitmproxy_version"
fi

target() { # the folder that cargo builds a manifest into
    cargo metadata --format-version 1 --no-deps --offline --manifest-path "$1" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])'
}
mcpeak=$(target "$root/Cargo.toml")/release/mcpeak
peers=$(target "$root/benches/peers/Cargo.toml")/release

"$venv/bin/python" "$root/benches/compare.py" --mcpeak "$mcpeak" --canned "$peers/canned" \
    --mitmdump "$venv/bin/mitmdump" --load "$peers/load" "$@"
python3 "$root/benches/test_overhead.py" --mcpeak "$mcpeak"
