// MCP weather server on nothing but Node's own modules.
//
//   node server.mjs                          stdio
//   node server.mjs --http 8000              Streamable HTTP at http://127.0.0.1:8000/mcp
//   node server.mjs --http 0 --host 0.0.0.0  any free port, on every address
//
// WEATHER_API   base URL of the API, https://api.weather.example by default
// WEATHER_LANG  ko: the tools answer in Korean

import { parseArgs } from 'node:util';
import { Server } from './protocol.mjs';
import { serveHttp } from './streamable-http.mjs';
import { serveStdio } from './stdio.mjs';
import { definitions, functions } from './tools.mjs';

const { values } = parseArgs({ options: { http: { type: 'string' }, host: { type: 'string', default: '127.0.0.1' } } });
const server = new Server({ definitions, functions });

if (values.http === undefined) serveStdio(server);
else serveHttp(server, { host: values.host, port: Number(values.http) });
