import { createServer, type ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { performInServer } from '../../src/cli/control/client.ts';
import { exitCodes } from '../../src/cli/exitCodes.ts';
import type { Operation } from '../../src/cli/operations/operation.ts';

const counting: Operation<Record<string, never>, number, string> = {
  name: 'counting',
  args: z.strictObject({}),
  progress: z.number(),
  result: z.string(),
  run: async () => 'done',
};

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

/** A server that begins to answer, and then does what `ends` says. */
const answering = async (ends: (response: ServerResponse) => void) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(`${JSON.stringify({ progress: 1 })}\n`, () => ends(response));
  });
  servers.push(server);
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { pid: process.pid, port, token: 'x'.repeat(64) };
};

const ask = (control: Awaited<ReturnType<typeof answering>>, signal = new AbortController().signal) =>
  performInServer(control, counting, {}, () => {}, signal);

test.each([
  ['is killed', (response: ServerResponse) => response.destroy()],
  ['closes', (response: ServerResponse) => response.end()],
])('a server that %s in the middle of an operation is told as gone, with what to do', async (_, ends) => {
  const asking = ask(await answering(ends));
  await expect(asking).rejects.toMatchObject({ code: 'server_gone', exitCode: exitCodes.unreachable });
  await expect(asking).rejects.toHaveProperty('hint', expect.stringContaining('again'));
});

test('somebody who interrupts an operation is not told that the server went away', async () => {
  const interrupting = new AbortController();
  const asking = ask(await answering(() => interrupting.abort()), interrupting.signal);
  await expect(asking).rejects.toMatchObject({ name: 'AbortError' });
});
