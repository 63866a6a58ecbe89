// The three servers say the same, reach the API over HTTPS through a proxy, and end with their input.
//
//   node --test examples/weather/servers.test.mjs
//
// WEATHER_RUST: the built Rust server, rust/target/debug/weather-server by default.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import readline from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const DEADLINE = { timeout: 30_000 };
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const CA = here('api/tls/ca.pem');
const SERVERS = {
  node: [process.execPath, here('node/server.mjs')],
  python: ['python3', here('python/server.py')],
  rust: [process.env.WEATHER_RUST ?? here('rust/target/debug/weather-server')],
};

let api;
let proxy;

/** What a run's environment is: nothing of the tester's own proxies and certificates. */
const environment = (extra) => ({ PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: CA, SSL_CERT_FILE: CA, ...extra });

async function firstLine(child) {
  const [line] = await once(readline.createInterface({ input: child.stdout }), 'line');
  return line;
}

async function startApi() {
  const child = spawn(process.execPath, [here('api/server.mjs'), '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = new URL(await firstLine(child));
  return { child, port: Number(url.port) };
}

/** A CONNECT proxy that leads every tunnel to the API and notes what was asked for. */
async function startProxy(port) {
  const authorities = [];
  const server = http.createServer((_, response) => response.writeHead(405).end());
  server.on('connect', ({ url }, client) => {
    authorities.push(url);
    const upstream = net.connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) {
      socket.on('error', () => {});
      socket.on('close', () => (socket === client ? upstream : client).destroy());
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, authorities, url: `http://127.0.0.1:${server.address().port}` };
}

/** Sends the requests one after the other to a fresh server, ends its input, and gives the answers and its exit code. */
async function run(command, requests, extra = {}) {
  const [file, ...args] = command;
  const child = spawn(file, args, { env: environment(extra), stdio: ['pipe', 'pipe', 'pipe'] });
  const exit = once(child, 'exit');
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answers = [];
  for (const [index, request] of requests.entries()) {
    const isText = typeof request === 'string';
    child.stdin.write(`${isText ? request : JSON.stringify({ jsonrpc: '2.0', id: index, ...request })}\n`);
    if (isText || !request.method.startsWith('notifications/')) answers.push(JSON.parse((await lines.next()).value));
  }
  child.stdin.end();
  const [code] = await exit;
  return { answers, code, stderr };
}

const call = (name, input) => ({ method: 'tools/call', params: { name, arguments: input } });
const said = ({ result }) => [result.isError, result.content[0].text];

before(async () => {
  api = await startApi();
  proxy = await startProxy(api.port);
}, DEADLINE);

after(() => {
  api.child.kill();
  proxy.server.close();
  proxy.server.closeAllConnections();
});

for (const [language, command] of Object.entries(SERVERS)) {
  describe(language, DEADLINE, () => {
    test('shakes hands in every legacy version and defines exactly the tools of tools.json', async () => {
      const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '1999-01-01'];
      const { answers, code } = await run(command, [
        { method: 'server/discover' },
        ...versions.map((protocolVersion) => ({ method: 'initialize', params: { protocolVersion, capabilities: {} } })),
        { method: 'tools/list' },
        { method: 'ping' },
      ]);
      assert.equal(answers[0].error.code, -32601);
      const agreed = answers.slice(1, 6).map(({ result }) => result.protocolVersion);
      assert.deepEqual(agreed, [...versions.slice(0, 4), '2025-11-25']);
      assert.deepEqual(answers[6].result, { tools: JSON.parse(readFileSync(here('tools.json'), 'utf8')) });
      assert.deepEqual(answers[7].result, {});
      assert.equal(code, 0);
    });

    test('answers what breaks the protocol with the right error', async () => {
      const { answers } = await run(command, [
        '{',
        '[]',
        '{"jsonrpc":"1.0","id":1,"method":"ping"}',
        call('no_such_tool', {}),
        { method: 'tools/call', params: { name: 'add', arguments: [] } },
        { method: 'ping', params: [] },
      ]);
      const codes = answers.map(({ error }) => error.code);
      assert.deepEqual(codes, [-32700, -32600, -32600, -32602, -32602, -32602]);
    });

    test('gets the weather through the proxy, over TLS that it trusts', async () => {
      const already = proxy.authorities.length;
      const { answers } = await run(
        command,
        ['Seoul', '부산', 'jeju', 'Atlantis'].map((city) => call('get_weather', { city })),
        { HTTPS_PROXY: proxy.url },
      );
      assert.deepEqual(answers.map(said), [
        [false, '{"city":"Seoul","tempC":21,"condition":"clear"}'],
        [false, '{"city":"Busan","tempC":24,"condition":"cloudy"}'],
        [false, '{"city":"Jeju","tempC":26,"condition":"rain"}'],
        [true, "→ No weather data for 'Atlantis'. Available cities: Seoul, Busan, Jeju\n→ This example server only has fixed data."],
      ]);
      const asked = new Set(proxy.authorities.slice(already));
      assert.deepEqual(asked, new Set(['api.weather.example:443']));
    });

    test('refuses wrong input in Korean where asked to', async () => {
      const { answers } = await run(
        command,
        [
          call('get_weather', { city: '서울' }),
          call('get_weather', { city: 'example' }),
          call('get_weather', {}),
          call('get_weather', { city: 0 }),
          call('add', { b: 0 }),
          call('add', { a: 'example', b: 0 }),
          call('add', { a: 0, b: true }),
        ],
        { HTTPS_PROXY: proxy.url, WEATHER_LANG: 'ko' },
      );
      const city = '→ \'city\' 는 문자열이어야 합니다. 예: { "city": "서울" }';
      const numbers = "→ 'a' 와 'b' 는 모두 숫자여야 합니다.";
      assert.deepEqual(answers.map(said), [
        [false, '{"city":"서울","tempC":21,"condition":"맑음"}'],
        [true, "→ 'example' 의 날씨 데이터가 없습니다. 사용 가능한 도시: 서울, 부산, 제주\n→ 이 예제 서버는 고정 데이터만 가지고 있습니다."],
        [true, city],
        [true, city],
        [true, numbers],
        [true, numbers],
        [true, numbers],
      ]);
    });

    test('adds, with or without the API', async () => {
      const { answers } = await run(command, [
        call('add', { a: 2, b: 3 }),
        call('add', { a: -1.5, b: 0.25 }),
        call('add', { a: 0.1, b: 0.2 }),
        call('add', { a: 1.5, b: 1.5 }),
      ]);
      const sums = answers.map((answer) => JSON.parse(said(answer)[1]).sum);
      assert.deepEqual(sums, [5, -1.25, 0.30000000000000004, 3]);
    });

    test('says so when the API cannot be reached', async () => {
      const { answers } = await run(command, [call('get_weather', { city: 'Seoul' })], { WEATHER_API: 'https://127.0.0.1:1' });
      const [isError, text] = said(answers[0]);
      assert.equal(isError, true);
      assert.match(text, /^→ The weather API did not answer: .+\.\n→ Check WEATHER_API and the way there\.$/);
    });
  });
}

async function hits() {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '--eval', `process.stdout.write(await (await fetch('https://localhost:${api.port}/__hits')).text())`],
    { env: environment(), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return JSON.parse(text);
}

test('the fetch of the Node server goes past the proxy on Node 20', DEADLINE, async (context) => {
  if (!process.version.startsWith('v20.')) {
    context.diagnostic(`Node ${process.version} may obey NODE_USE_ENV_PROXY; only the sum is checked`);
  }
  const earlier = (await hits()).paths['/v1/sum'] ?? 0;
  const tunnels = proxy.authorities.length;
  const { answers, stderr } = await run(SERVERS.node, [call('add', { a: 2, b: 3 })], {
    HTTPS_PROXY: proxy.url,
    NODE_USE_ENV_PROXY: '1',
    WEATHER_API: `https://localhost:${api.port}`,
  });
  assert.deepEqual(said(answers[0]), [false, '{"sum":5}']);
  assert.equal((await hits()).paths['/v1/sum'], earlier + 1);
  if (process.version.startsWith('v20.')) assert.equal(proxy.authorities.length, tunnels);
  assert.equal(stderr, '');
});

describe('node over Streamable HTTP', DEADLINE, () => {
  let child;
  let url;

  before(async () => {
    const [file, script] = SERVERS.node;
    child = spawn(file, [script, '--http', '0'], { env: environment(), stdio: ['ignore', 'pipe', 'inherit'] });
    url = await firstLine(child);
  });

  const post = (body, headers = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    });

  test('answers requests with JSON and notifications with 202', async () => {
    const listed = await post({ method: 'tools/list' }, { 'mcp-protocol-version': '2025-11-25' });
    assert.equal(listed.status, 200);
    assert.equal((await listed.json()).result.tools.length, 2);
    const noted = await post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    assert.deepEqual([noted.status, await noted.text()], [202, '']);
  });

  test('refuses what it must', async () => {
    const statuses = [
      (await fetch(url)).status,
      (await post({ method: 'ping' }, { origin: 'https://evil.example' })).status,
      (await post({ method: 'ping' }, { origin: 'http://localhost:3000' })).status,
      (await post({ method: 'ping' }, { 'content-type': 'text/plain' })).status,
      (await post({ method: 'ping' }, { 'mcp-protocol-version': '2026-07-28' })).status,
      (await post(' '.repeat(2 * 1024 * 1024))).status,
      (await fetch(new URL('/elsewhere', url))).status,
      (await fetch(new URL('/healthz', url))).status,
    ];
    assert.deepEqual(statuses, [405, 403, 200, 415, 400, 413, 404, 200]);
    const probe = await post({ method: 'server/discover' }, { 'mcp-protocol-version': '2026-07-28' });
    assert.equal((await probe.json()).error.code, -32601);
  });

  after(async () => {
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
  });
});
