#!/usr/bin/env bash
# Builds what the container tests of socket capture start: images with a server's runtime, the example, and the binary of mcpeak:test.
#   mcpeak-capture:node, mcpeak-capture:python
set -euo pipefail

readonly BINARY=${1:-mcpeak:test}
cd "$(dirname "$0")/../.."

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
cp -r examples/weather "$context/app"

arguments=()
for name in HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy; do
  if [[ -n ${!name:-} ]]; then arguments+=(--build-arg "$name"); fi
done
build() { # tag, base, a line
  printf 'FROM %s\n%s\nCOPY --from=%s /mcpeak /usr/local/bin/mcpeak\nCOPY app /app\nWORKDIR /app\nENTRYPOINT ["mcpeak"]\n' "$2" "$3" "$BINARY" >"$context/Dockerfile"
  DOCKER_BUILDKIT=0 docker build --quiet --network host "${arguments[@]}" --tag "$1" "$context"
}
build mcpeak-capture:node node:20-bookworm-slim ''
build mcpeak-capture:python debian:bookworm-slim 'RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 && rm -rf /var/lib/apt/lists/*'
