// Streamable HTTP without sessions: POST /mcp gives one JSON answer, GET /healthz says that the server is up.

import http from 'node:http';
import { VERSIONS } from './protocol.mjs';

const BODY_LIMIT = 1024 * 1024;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

function sameMachine(origin) {
  try {
    return LOOPBACK.has(new URL(origin).hostname);
  } catch {
    return false;
  }
}

async function read(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > BODY_LIMIT) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const methodOf = (body) => {
  try {
    return JSON.parse(body).method;
  } catch {
    return undefined;
  }
};

async function respond(server, request) {
  const { pathname } = new URL(request.url, 'http://server');
  if (pathname === '/healthz') return { status: 200, body: { status: 'ok' } };
  if (pathname !== '/mcp') return { status: 404 };
  if (request.method !== 'POST') return { status: 405, headers: { allow: 'POST' } };
  // A page in somebody's browser must not reach a server on that person's machine (DNS rebinding).
  if (request.headers.origin !== undefined && !sameMachine(request.headers.origin)) return { status: 403 };
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return { status: 415 };
  const body = await read(request);
  if (body === undefined) return { status: 413, headers: { connection: 'close' } };

  const version = request.headers['mcp-protocol-version'];
  const method = methodOf(body);
  if (version !== undefined && !VERSIONS.includes(version) && method !== 'initialize' && server.knows(method)) {
    const message = `Unsupported protocol version (supported: ${VERSIONS.join(', ')})`;
    return { status: 400, body: { jsonrpc: '2.0', id: null, error: { code: -32000, message } } };
  }
  const answer = await server.answer(body);
  return answer === undefined ? { status: 202 } : { status: 200, body: answer };
}

/** Listens, prints the URL on stdout as one line, and serves until SIGTERM or SIGINT. */
export function serveHttp(server, { host, port }) {
  const listener = http.createServer(async (request, response) => {
    const { status, headers = {}, body } = await respond(server, request).catch(() => ({ status: 500 }));
    const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
    if (body !== undefined) headers['content-type'] = 'application/json';
    response.writeHead(status, { ...headers, 'content-length': bytes.length }).end(bytes);
  });
  listener.listen(port, host, () => {
    process.stdout.write(`http://${host}:${listener.address().port}/mcp\n`);
  });
  const stop = () => {
    listener.close(() => process.exit(0));
    listener.closeAllConnections();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
