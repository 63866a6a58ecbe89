// stdio: one JSON-RPC message a line. The end of stdin is the end of the server, after what is still being answered.

import readline from 'node:readline';

export function serveStdio(server) {
  const pending = new Set();
  const lines = readline.createInterface({ input: process.stdin, crlfDelay: Infinity });

  lines.on('line', (line) => {
    if (line.trim() === '') return;
    const work = server.answer(line).then((answer) => {
      if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer)}\n`);
      pending.delete(work);
    });
    pending.add(work);
  });
  lines.on('close', async () => {
    await Promise.all(pending);
    process.stdout.end(() => process.exit(0));
  });
}
