#!/usr/bin/env bash
# Builds the image of mcpeak: build-image.sh [TAG], `mcpeak:test` by default. The build reaches its registry as this machine does.
set -euo pipefail

readonly TAG=${1:-mcpeak:test} LIMIT_MB=25
cd "$(dirname "$0")/../.."

arguments=()
for name in HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy; do
  if [[ -n ${!name:-} ]]; then arguments+=(--build-arg "$name"); fi
done
DOCKER_BUILDKIT=0 docker build --network host "${arguments[@]}" --tag "$TAG" .

bytes=$(docker image inspect --format '{{.Size}}' "$TAG")
printf 'build-image: %s has %d.%d MB\n' "$TAG" $((bytes / 1000000)) $((bytes / 100000 % 10))
if ((bytes >= LIMIT_MB * 1000000)); then
  printf 'build-image: that is not under %d MB\n' "$LIMIT_MB" >&2
  exit 1
fi
