// Stand-in for https://api.weather.example: fixed data over real HTTPS, so that a recording gives the same bytes every time.
//
//   node api/server.mjs --port 0      prints its URL on stdout as one line, then serves until SIGTERM or SIGINT
//
// GET /v1/weather?city=Seoul    a city in English or Korean; 404 with the known cities otherwise
// GET /v1/sum?a=1&b=2           {"sum":3}; 400 unless both are numbers
// GET /__hits                   what was asked so far; asking this does not count

import { readFileSync } from 'node:fs';
import https from 'node:https';
import { parseArgs } from 'node:util';

const CITIES = [
  { city: { en: 'Seoul', ko: '서울' }, tempC: 21, condition: { en: 'clear', ko: '맑음' } },
  { city: { en: 'Busan', ko: '부산' }, tempC: 24, condition: { en: 'cloudy', ko: '흐림' } },
  { city: { en: 'Jeju', ko: '제주' }, tempC: 26, condition: { en: 'rain', ko: '비' } },
];

const hits = { connections: 0, requests: 0, paths: {} };
// Sockets that have carried a request, so that a look at the counters is not itself counted as a connection.
const seen = new WeakSet();

function weather(query) {
  const name = query.get('city') ?? '';
  const found = CITIES.find(({ city }) => city.ko === name || city.en.toLowerCase() === name.toLowerCase());
  if (found) return { status: 200, body: found };
  return { status: 404, body: { error: 'unknown_city', available: CITIES.map(({ city }) => city) } };
}

function sum(query) {
  const [a, b] = ['a', 'b'].map((name) => (query.get(name) ? Number(query.get(name)) : NaN));
  if (!Number.isFinite(a + b)) return { status: 400, body: { error: 'not_a_number' } };
  return { status: 200, body: { sum: a + b } };
}

const ROUTES = { '/v1/weather': weather, '/v1/sum': sum };

function answer(request) {
  const { pathname, searchParams } = new URL(request.url, 'https://api.weather.example');
  const first = !seen.has(request.socket);
  seen.add(request.socket);
  if (pathname === '/__hits') {
    if (first) hits.connections -= 1;
    return { status: 200, body: hits };
  }
  hits.requests += 1;
  hits.paths[pathname] = (hits.paths[pathname] ?? 0) + 1;
  if (request.method !== 'GET') return { status: 405, body: { error: 'method_not_allowed' } };
  return ROUTES[pathname]?.(searchParams) ?? { status: 404, body: { error: 'no_such_path' } };
}

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, host: { type: 'string', default: '127.0.0.1' } },
});
const tlsFile = (name) => readFileSync(new URL(`tls/${name}`, import.meta.url));

const server = https.createServer({ cert: tlsFile('api.pem'), key: tlsFile('api.key') }, (request, response) => {
  const { status, body } = answer(request);
  const bytes = Buffer.from(JSON.stringify(body));
  // No Date header: the same question has the same answer, byte for byte.
  response.sendDate = false;
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes);
});
server.on('connection', () => {
  hits.connections += 1;
});
server.listen(Number(values.port), values.host, () => {
  process.stdout.write(`https://${values.host}:${server.address().port}\n`);
});

const stop = () => {
  server.close(() => process.exit(0));
  server.closeAllConnections();
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
