"""MCP weather server over stdio, on nothing but Python's standard library (3.9 or later).

    python3 server.py

WEATHER_API   base URL of the API, https://api.weather.example by default
WEATHER_LANG  ko: the tools answer in Korean

urllib obeys HTTPS_PROXY and NO_PROXY, and trusts SSL_CERT_FILE.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Callable, NamedTuple

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
TIMEOUT_SECONDS = 5
API = os.environ.get("WEATHER_API", "https://api.weather.example").rstrip("/")
LANGUAGE = "ko" if os.environ.get("WEATHER_LANG") == "ko" else "en"
DEFINITIONS = json.loads(Path(__file__).resolve().parent.parent.joinpath("tools.json").read_text(encoding="utf-8"))

TEXTS = {
    "en": {
        "city_not_text": '→ \'city\' must be a string. Example: { "city": "Seoul" }',
        "not_numbers": "→ 'a' and 'b' must both be numbers.",
        "unknown_city": "→ No weather data for '{city}'. Available cities: {available}\n"
        "→ This example server only has fixed data.",
        "no_answer": "→ The weather API did not answer: {reason}.\n→ Check WEATHER_API and the way there.",
        "bad_answer": "→ The weather API answered with status {status}.\n→ Check WEATHER_API and the way there.",
    },
    "ko": {
        "city_not_text": '→ \'city\' 는 문자열이어야 합니다. 예: { "city": "서울" }',
        "not_numbers": "→ 'a' 와 'b' 는 모두 숫자여야 합니다.",
        "unknown_city": "→ '{city}' 의 날씨 데이터가 없습니다. 사용 가능한 도시: {available}\n"
        "→ 이 예제 서버는 고정 데이터만 가지고 있습니다.",
        "no_answer": "→ 날씨 API가 응답하지 않습니다: {reason}.\n→ WEATHER_API 값과 네트워크를 확인하세요.",
        "bad_answer": "→ 날씨 API가 상태 코드 {status} 로 응답했습니다.\n→ WEATHER_API 값과 네트워크를 확인하세요.",
    },
}[LANGUAGE]


class ToolResult(NamedTuple):
    """What a tool says. A refused input or a failed call is a tool error, never a protocol error (SEP-1303)."""

    text: str
    is_error: bool = False


class ProtocolError(Exception):
    """Becomes a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def rejected(text: str) -> ToolResult:
    return ToolResult(text, is_error=True)


def fetch(path: str, query: dict[str, str]) -> tuple[int, Any]:
    """The status and the JSON body (None if it is no JSON). Raises OSError if the API cannot be reached."""
    url = f"{API}{path}?{urllib.parse.urlencode(query)}"
    request = urllib.request.Request(url, headers={"Accept": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            status, body = response.status, response.read()
    except urllib.error.HTTPError as error:
        with error:
            status, body = error.code, error.read()
    try:
        return status, json.loads(body)
    except ValueError:
        return status, None


def get_weather(arguments: dict[str, Any]) -> ToolResult:
    city = arguments.get("city")
    if not isinstance(city, str):
        return rejected(TEXTS["city_not_text"])
    try:
        status, body = fetch("/v1/weather", {"city": city})
    except OSError as error:
        return rejected(TEXTS["no_answer"].format(reason=getattr(error, "reason", None) or error))
    if status == 404 and isinstance(body, dict) and isinstance(body.get("available"), list):
        available = ", ".join(name[LANGUAGE] for name in body["available"])
        return rejected(TEXTS["unknown_city"].format(city=city, available=available))
    if status != 200 or not isinstance(body, dict):
        return rejected(TEXTS["bad_answer"].format(status=status))
    return ToolResult(
        compact({"city": body["city"][LANGUAGE], "tempC": body["tempC"], "condition": body["condition"][LANGUAGE]})
    )


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def add(arguments: dict[str, Any]) -> ToolResult:
    a, b = arguments.get("a"), arguments.get("b")
    if not (is_number(a) and is_number(b)):
        return rejected(TEXTS["not_numbers"])
    total = a + b
    # JSON has one kind of number: 5.0 and 5 are the same sum.
    return ToolResult(compact({"sum": int(total) if float(total).is_integer() else total}))


FUNCTIONS: dict[str, Callable[[dict[str, Any]], ToolResult]] = {"get_weather": get_weather, "add": add}


def initialize(params: dict[str, Any]) -> dict[str, Any]:
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "weather", "version": "1.0.0"},
    }


def call_tool(params: dict[str, Any]) -> dict[str, Any]:
    name, arguments = params.get("name"), params.get("arguments", {})
    if not isinstance(name, str) or name not in FUNCTIONS:
        raise ProtocolError(-32602, f"Unknown tool: {name}")
    if not isinstance(arguments, dict):
        raise ProtocolError(-32602, '"arguments" must be an object')
    result = FUNCTIONS[name](arguments)
    return {"content": [{"type": "text", "text": result.text}], "isError": result.is_error}


METHODS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "initialize": initialize,
    "ping": lambda params: {},
    "tools/list": lambda params: {"tools": DEFINITIONS},
    "tools/call": call_tool,
}


def failure(identifier: Any, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identifier, "error": {"code": code, "message": message}}


def answer(line: bytes) -> dict[str, Any] | None:
    """The answer to one message; None where the protocol wants none."""
    try:
        message = json.loads(line)
    except ValueError:
        return failure(None, -32700, "Parse error")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return failure(None, -32600, "Invalid Request")
    identifier, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if not isinstance(method, str):
        is_answer = "result" in message or "error" in message
        return None if is_answer else failure(identifier, -32600, "Invalid Request")
    if "id" not in message:
        return None
    try:
        if method not in METHODS:
            raise ProtocolError(-32601, f"Method not found: {method}")
        if not isinstance(params, dict):
            raise ProtocolError(-32602, '"params" must be an object')
        return {"jsonrpc": "2.0", "id": identifier, "result": METHODS[method](params)}
    except ProtocolError as error:
        return failure(identifier, error.code, str(error))


def main() -> None:
    for line in sys.stdin.buffer:
        if line.strip():
            reply = answer(line)
            if reply is not None:
                sys.stdout.buffer.write(compact(reply).encode("utf-8") + b"\n")
                sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
