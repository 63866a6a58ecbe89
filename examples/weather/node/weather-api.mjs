// The client of the weather API: one call by node:https through a proxy-aware agent, one by fetch.

import https from 'node:https';
import { agentFor } from './proxy-agent.mjs';

const WEATHER_TIMEOUT_MS = 5000;
const SUM_TIMEOUT_MS = 2000;

const base = (process.env.WEATHER_API || 'https://api.weather.example').replace(/\/+$/, '');

function endpoint(path, query) {
  const url = new URL(base + path);
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
  return url;
}

// A DOMException (a timed-out fetch) has a number for a code, which says nothing to a reader.
const reasonOf = (error) => [error.cause?.code, error.code].find((code) => typeof code === 'string') ?? error.message;

/** `{ status, body }` of `GET /v1/weather`. Throws if the API cannot be reached or does not send JSON. */
export function weather(city) {
  const url = endpoint('/v1/weather', { city });
  return new Promise((resolve, reject) => {
    const request = https.get(url, { agent: agentFor(url), headers: { accept: 'application/json' } }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        try {
          resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
        } catch {
          resolve({ status: response.statusCode, body: undefined });
        }
      });
    });
    const deadline = setTimeout(() => request.destroy(new Error('no answer in time')), WEATHER_TIMEOUT_MS);
    request.on('close', () => clearTimeout(deadline));
    request.on('error', (error) => reject(new Error(reasonOf(error))));
  });
}

/** The sum by `GET /v1/sum`. Throws if the API cannot be reached or does not send a number. */
export async function sum(a, b) {
  try {
    const response = await fetch(endpoint('/v1/sum', { a, b }), {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(SUM_TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const body = await response.json();
    if (typeof body.sum !== 'number') throw new Error('an answer without a sum');
    return body.sum;
  } catch (error) {
    throw new Error(reasonOf(error));
  }
}
