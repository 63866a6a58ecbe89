// node echo.mjs CERTIFICATE KEY: WebSocket servers with and without TLS on ports of their own, until stdin ends. Prints `TLS-PORT PORT`.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { WebSocketServer } from 'ws';

const [cert, key] = process.argv.slice(2).map((path) => readFileSync(path));
const ports = [];
for (const server of [https.createServer({ cert, key }), http.createServer()]) {
  new WebSocketServer({ server }).on('connection', (socket, request) => {
    socket.on('message', (text) => socket.send(`${text} to ${request.headers.host}${request.url}`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ports.push(server.address().port);
}
process.stdout.write(`${ports.join(' ')}\n`);
process.stdin.resume().once('end', () => process.exit(0));
