// node client.mjs KIND [--at-once] URL…
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
  async ws(url) {
    const { WebSocket } = await import('ws');
    return await echoed(new WebSocket(url));
  },
  async websocket(url) {
    const { WebSocket } = await import('undici');
    return await echoed(new WebSocket(url));
  },
};

function echoed(socket) {
  return new Promise((resolve, reject) => {
    socket.onopen = () => socket.send('hello');
    socket.onmessage = ({ data }) => {
      resolve([101, data]);
      socket.close();
    };
    socket.onerror = ({ message }) => reject(new Error(message || 'no connection'));
  });
}

async function read(stream) {
  let text = '';
  for await (const piece of stream.setEncoding('utf8')) text += piece;
  return text;
}

try {
  const print = ([status, body]) => process.stdout.write(`${status} ${body}\n`);
  if (urls[0] === '--at-once') {
    (await Promise.all(urls.slice(1).map(kinds[kind]))).forEach(print);
  } else {
    for (const url of urls) print(await kinds[kind](url));
  }
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error.cause?.message ?? error.message}\n`);
  process.exit(1);
}
