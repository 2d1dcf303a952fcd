import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EventLogUnavailable } from '../../../src/platform/eventLog/errors.ts';
import { openEventLog } from '../../../src/platform/eventLog/open.ts';
import type { EventLog, NewEvent } from '../../../src/platform/eventLog/port.ts';
import { startChildServer } from './childServer.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opslog-full-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const large = (): NewEvent => ({ id: randomUUID(), type: 'Large', data: { text: 'x'.repeat(100_000) }, metadata: {} });

const idsIn = async (log: EventLog): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { id } of log.readStream('large-1')) ids.push(id);
  return ids;
};

test('a full disk refuses appends without losing any, and the server goes on serving readers', async () => {
  const server = await startChildServer(folder, { largestFileBytes: 2_000_000 });
  const log = await openEventLog({ connectionString: server.connectionString, giveUpAfterMs: 200 });
  const acknowledged: string[] = [];
  const fillUp = async (): Promise<void> => {
    for (;;) {
      const event = large();
      await log.append('large-1', [event], acknowledged.length === 0 ? 'noStream' : acknowledged.length - 1);
      acknowledged.push(event.id);
    }
  };
  await expect(fillUp()).rejects.toThrow(EventLogUnavailable);
  expect(acknowledged.length).toBeGreaterThan(3);
  expect(await idsIn(log)).toEqual(acknowledged);
  await log.close();
  await server.kill();

  const roomy = await startChildServer(folder);
  const again = await openEventLog({ connectionString: roomy.connectionString });
  expect(await idsIn(again)).toEqual(acknowledged);
  const next = await again.append('large-1', [large()], acknowledged.length - 1);
  expect(next).toMatchObject({ ok: true, revision: acknowledged.length });
  await again.close();
  await roomy.kill();
});
