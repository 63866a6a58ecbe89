#!/usr/bin/env bash
# Runs compose/NAME.yaml (replay, record, reverse) with the image in MCPEAK_IMAGE (`mcpeak:test` by default) and checks what it
# left: the verdict of the tests, the JUnit file, the exit code of the proxy, which is not 0 if a call was not in the recording, and
# after `record` the recording: what the example's says about the same calls.
set -euo pipefail

cd "$(dirname "$0")/../.."
readonly NAME=${1:?the name of a scenario: replay, record, reverse}
readonly SUITE=examples/weather/weather.suite.json
readonly RECORDING=examples/weather/weather.session.json DEADLINE_SECONDS=${COMPOSE_SECONDS:-180}

out=$(mktemp -d)
chmod 0777 "$out"
export CA_SEED=${CA_SEED:-a seed of the tests, which protects nothing}
export MCPEAK_IMAGE=${MCPEAK_IMAGE:-mcpeak:test} MCPEAK_OUT=$out DOCKER_BUILDKIT=0 COMPOSE_DOCKER_CLI_BUILD=0
# A name of its own, so that two runs on one machine do not meet.
compose() { docker-compose --project-name "mcpeak-$NAME-$$" --file "compose/$NAME.yaml" "$@"; }

cleanup() {
  compose down --volumes --remove-orphans --timeout 5 >/dev/null 2>&1 || true
  rm -rf --one-file-system "$out"
}
trap cleanup EXIT

fail() {
  printf 'compose-%s: %s\n' "$NAME" "$1" >&2
  compose logs --no-color >&2 || true
  exit 1
}

exit_code() { docker inspect --format '{{.State.ExitCode}}' "$(compose ps --quiet --all "$1" 2>/dev/null || compose ps --quiet "$1")"; }

compose build --quiet server
status=0
timeout "$DEADLINE_SECONDS" docker-compose --project-name "mcpeak-$NAME-$$" --file "compose/$NAME.yaml" \
  up --no-color --abort-on-container-exit --exit-code-from test || status=$?
((status == 0)) || fail "the tests ended with exit code $status"

[[ -s $out/junit.xml ]] || fail "no junit.xml"
python3 - "$out/junit.xml" "$SUITE" <<'PYTHON' || fail "junit.xml is not what the suite says"
import json, sys, xml.etree.ElementTree as tree

report, suite = tree.parse(sys.argv[1]).getroot(), json.load(open(sys.argv[2], encoding="utf-8"))
cases = list(report.iter("testcase"))
bad = [case.get("name") for case in cases if any(case.find(kind) is not None for kind in ("failure", "error", "skipped"))]
expected = len(suite["cases"])
print(f"{len(cases)} of {expected} cases in junit.xml, {len(bad)} not passed")
sys.exit(len(cases) != expected or bool(bad))
PYTHON

if [[ $NAME == record ]]; then
  [[ -s $out/weather.session.json ]] || fail "no recording"
  # The example was recorded by its sockets; here the calls of the client that obeys proxy settings come through.
  python3 - "$out/weather.session.json" "$RECORDING" <<'PYTHON' || fail "the recording is not the example's"
import json, sys

made, kept = (json.load(open(path, encoding="utf-8"))["exchanges"] for path in sys.argv[1:])
weather = [exchange for exchange in kept if "/v1/weather" in exchange["request"]["url"]]
print(f"{len(made)} calls recorded")
sys.exit(not made or made != weather)
PYTHON
fi

proxy=$(exit_code proxy)
[[ $proxy == 0 ]] || fail "the proxy ended with exit code $proxy"
printf 'compose-%s: passed\n' "$NAME"
