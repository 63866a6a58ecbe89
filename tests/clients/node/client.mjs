// node client.mjs KIND URL…
import { once } from 'node:events';

const [kind, ...urls] = process.argv.slice(2);

const kinds = {
  async fetch(url) {
    const response = await fetch(url);
    return [response.status, await response.text()];
  },
  async http(url) {
    const { get } = await import(url.startsWith('https') ? 'node:https' : 'node:http');
    const [response] = await once(get(url, { agent: false }), 'response');
    return [response.statusCode, await read(response)];
  },
  async axios(url) {
    const { default: axios } = await import('axios');
    const response = await axios.get(url, { responseType: 'text', transformResponse: (text) => text });
    return [response.status, response.data];
  },
  async got(url) {
    const { default: got } = await import('got');
    const response = await got(url, { retry: { limit: 0 } });
    return [response.statusCode, response.body];
  },
  async undici(url) {
    const { Agent, request } = await import('undici');
    const { statusCode, body } = await request(url, { dispatcher: new Agent({ connect: { timeout: 5000 } }) });
    return [statusCode, await body.text()];
  },
  // Looks the name up by itself (c-ares), and connects to the address.
  async resolve(url) {
    const { resolve4 } = await import('node:dns/promises');
    const { hostname, protocol, pathname } = new URL(url);
    const [address] = await resolve4(hostname);
    const { get } = await import(protocol === 'https:' ? 'node:https' : 'node:http');
    const request = get({ host: address, servername: hostname, path: pathname, headers: { host: hostname }, agent: false });
    const [response] = await once(request, 'response');
    return [response.statusCode, await read(response)];
  },
};

async function read(stream) {
  let text = '';
  for await (const piece of stream.setEncoding('utf8')) text += piece;
  return text;
}

try {
  for (const url of urls) {
    const [status, body] = await kinds[kind](url);
    process.stdout.write(`${status} ${body}\n`);
  }
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error.cause?.message ?? error.message}\n`);
  process.exit(1);
}
