// MCP, the legacy era (2024-11-05 to 2025-11-25): one JSON-RPC message in, one answer or none out. Knows no transport.

export const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

class ProtocolError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

const failure = (id, code, message) => ({ jsonrpc: '2.0', id, error: { code, message } });

/** The methods of a server with these tools: definitions for `tools/list`, functions by name for `tools/call`. */
function methods({ definitions, functions }) {
  return {
    initialize: ({ protocolVersion }) => ({
      protocolVersion: VERSIONS.includes(protocolVersion) ? protocolVersion : VERSIONS[0],
      capabilities: { tools: {} },
      serverInfo: { name: 'weather', version: '1.0.0' },
    }),
    ping: () => ({}),
    'tools/list': () => ({ tools: definitions }),
    'tools/call': async ({ name, arguments: input = {} }) => {
      if (!Object.hasOwn(functions, name)) throw new ProtocolError(INVALID_PARAMS, `Unknown tool: ${name}`);
      if (!isObject(input)) throw new ProtocolError(INVALID_PARAMS, '"arguments" must be an object');
      const { text, isError = false } = await functions[name](input);
      return { content: [{ type: 'text', text }], isError };
    },
  };
}

export class Server {
  #methods;

  constructor(tools) {
    this.#methods = methods(tools);
  }

  knows(method) {
    return Object.hasOwn(this.#methods, method);
  }

  /** Answers one message given as text; `undefined` where the protocol wants no answer. */
  async answer(text) {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return failure(null, PARSE_ERROR, 'Parse error');
    }
    if (!isObject(message) || message.jsonrpc !== '2.0') return failure(null, INVALID_REQUEST, 'Invalid Request');
    const { id, method, params = {} } = message;
    if (typeof method !== 'string') {
      // An answer to a request that this server never sends: nobody waits for a word about it.
      return 'result' in message || 'error' in message ? undefined : failure(id ?? null, INVALID_REQUEST, 'Invalid Request');
    }
    if (id === undefined) return undefined;
    try {
      if (!this.knows(method)) throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${method}`);
      if (!isObject(params)) throw new ProtocolError(INVALID_PARAMS, '"params" must be an object');
      return { jsonrpc: '2.0', id, result: await this.#methods[method](params) };
    } catch (error) {
      if (error instanceof ProtocolError) return failure(id, error.code, error.message);
      throw error;
    }
  }
}
