// The two tools. A refused input or a failed call is a tool error, never a protocol error (SEP-1303).

import { readFileSync } from 'node:fs';
import { texts } from './texts.mjs';
import * as api from './weather-api.mjs';

const rejected = (text) => ({ text, isError: true });

async function getWeather({ city }) {
  if (typeof city !== 'string') return rejected(texts.cityNotText);
  let answer;
  try {
    answer = await api.weather(city);
  } catch (error) {
    return rejected(texts.noAnswer(error.message));
  }
  const { status, body } = answer;
  const { language } = texts;
  if (status === 404 && Array.isArray(body?.available)) {
    return rejected(texts.unknownCity(city, body.available.map((name) => name[language]).join(', ')));
  }
  if (status !== 200 || body === undefined) return rejected(texts.badAnswer(status));
  return { text: JSON.stringify({ city: body.city[language], tempC: body.tempC, condition: body.condition[language] }) };
}

async function add({ a, b }) {
  if (typeof a !== 'number' || typeof b !== 'number') return rejected(texts.notNumbers);
  let sum;
  try {
    sum = await api.sum(a, b);
  } catch (error) {
    process.stderr.write(`weather: /v1/sum not reached (${error.message}), added here\n`);
    sum = a + b;
  }
  return { text: JSON.stringify({ sum }) };
}

export const definitions = JSON.parse(readFileSync(new URL('../tools.json', import.meta.url), 'utf8'));

export const functions = { get_weather: getWeather, add };
