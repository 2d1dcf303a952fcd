import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type Front, startFront } from '../../src/compose/front.ts';
import { readConfig } from '../../src/config.ts';

let front: Front | undefined;
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
afterEach(async () => {
  await front?.close();
});

const start = async (): Promise<Front> => {
  const read = readConfig({ OPSLOG_PORT: '0' });
  if (!read.ok) throw new Error(read.problems.join());
  front = await startFront(read.config);
  return front;
};
const ask = (url: string): Promise<{ status: number; connection: string | undefined }> =>
  new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume();
      const { connection } = response.headers;
      response.on('end', () => resolve({ status: response.statusCode ?? 0, connection }));
    }).on('error', reject);
  });

test('closing answers every request that was under way, tells the caller, and waits for nobody who is idle', async () => {
  const { url, serve, close } = await start();
  let begun = 0;
  serve(async (_request, response) => {
    begun += 1;
    await sleep(200);
    response.end('done');
  });
  await ask(url);
  const answers = Promise.all(Array.from({ length: 8 }, () => ask(url)));
  await expect.poll(() => begun).toBe(9);
  const startedAt = performance.now();
  const closed = close();
  for (const answer of await answers) expect(answer).toEqual({ status: 200, connection: 'close' });
  await closed;
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  await expect(ask(url)).rejects.toThrow();
});

test('an answer that had begun to be sent is finished, and its connection is not kept', async () => {
  const { url, serve, close } = await start();
  let begun = 0;
  serve(async (_request, response) => {
    response.write('a');
    begun += 1;
    await sleep(200);
    response.end('b');
  });
  const answer = ask(url);
  await expect.poll(() => begun).toBe(1);
  const startedAt = performance.now();
  await close();
  expect((await answer).status).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});
