#!/usr/bin/env bash
# Installs and builds the clients of tests/capture: install.sh FOLDER. The folder is then named by MCPEAK_TEST_CLIENTS.
set -euo pipefail

readonly FOLDER=${1:?usage: install.sh FOLDER}
readonly NPM=(axios@1.21.1 got@14.6.5 undici@6.29.1 ws@8.23.0)
readonly PIP=(requests==2.34.2 httpx==0.28.1 aiohttp==3.14.5)
cd "$(dirname "$0")"

mkdir -p "$FOLDER"
chmod 0755 "$FOLDER"
# What the stamp does not say is built again: the sources, the versions, the tools.
wanted=$(cat install.sh node/* python/* go/* java/* rust/Cargo.* rust/src/* ruby/* php/* | sha256sum)
if [[ $(cat "$FOLDER/installed" 2>/dev/null) == "$wanted" ]]; then exit 0; fi
rm -f "$FOLDER/installed"

cp -r node python ruby php "$FOLDER/"
npm install --silent --no-audit --no-fund --no-save --prefix "$FOLDER/node" "${NPM[@]}"
# Not any Python: one that other users may run.
/usr/bin/python3 -m venv "$FOLDER/venv"
"$FOLDER/venv/bin/pip" install --quiet "${PIP[@]}"
(cd go && CGO_ENABLED=0 go build -o "$FOLDER/go-client" .)
javac -d "$FOLDER/java" java/Client.java
cargo build --quiet --locked --manifest-path rust/Cargo.toml --target-dir "$FOLDER/rust-target"
cp "$FOLDER/rust-target/debug/rust-client" "$FOLDER/"
rm -rf "$FOLDER/rust-target"
chmod -R a+rX "$FOLDER"
printf '%s' "$wanted" >"$FOLDER/installed"
