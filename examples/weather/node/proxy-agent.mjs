// An https.Agent that obeys HTTPS_PROXY and NO_PROXY. `node:https` of Node 20 obeys neither, so SDKs that want to work
// behind a company's proxy bring an agent like this one.

import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';

const CONNECT_TIMEOUT_MS = 5000;

const variable = (name) => process.env[name.toLowerCase()] || process.env[name] || '';

function bypasses(host) {
  return variable('NO_PROXY')
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean)
    .some((entry) => entry === '*' || entry === host || (entry.startsWith('.') && host.endsWith(entry)));
}

class TunnelAgent extends https.Agent {
  #proxy;

  constructor(proxy) {
    super();
    this.#proxy = proxy;
  }

  createConnection(options, done) {
    const authority = `${options.host}:${options.port}`;
    const headers = { host: authority };
    if (this.#proxy.username) {
      const credentials = decodeURIComponent(`${this.#proxy.username}:${this.#proxy.password}`);
      headers['proxy-authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
    }
    const request = http.request({
      host: this.#proxy.hostname,
      port: this.#proxy.port || 80,
      method: 'CONNECT',
      path: authority,
      headers,
      agent: false,
      timeout: CONNECT_TIMEOUT_MS,
    });
    request.once('connect', (response, socket) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        done(new Error(`the proxy refused the tunnel with status ${response.statusCode}`));
        return;
      }
      done(null, tls.connect({ ...options, socket, servername: options.servername || options.host }));
    });
    request.once('timeout', () => request.destroy(new Error('the proxy did not answer')));
    request.once('error', done);
    request.end();
  }
}

/** The agent for a URL: a tunnel through the proxy that the environment names, or `undefined` for Node's own. */
export function agentFor(url) {
  const proxy = variable('HTTPS_PROXY');
  return proxy && !bypasses(url.hostname) ? new TunnelAgent(new URL(proxy)) : undefined;
}
