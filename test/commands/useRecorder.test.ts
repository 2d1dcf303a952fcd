import { describe, expect, test } from 'vitest';
import { createAggregates } from '../../src/commands/aggregates.ts';
import type { Envelope } from '../../src/commands/envelope.ts';
import { createUseRecorder, type Use } from '../../src/commands/useRecorder.ts';
import { createMemoryLog } from '../support/memoryLog.ts';

const hourMs = 3_600_000;
const token = {
  workspaceId: 'w1',
  name: 'ci',
  digest: 'f00d',
  role: 'MEMBER' as const,
  departmentId: '',
  expiresAt: 0,
};
const envelope: Envelope = {
  ...{ commandId: 'c1', commandDigest: '', actor: { kind: 'user', id: 'u1' }, authMethod: 'session' },
  ...{ workspaceId: 'w1', departmentId: '', requestId: '', correlationId: '', causationId: '' },
};
const use = (id: string, usedAt = 0): Use => ({
  ...{ kind: 'apiToken', id, usedAt, workspaceId: 'w1', actor: { kind: 'apiToken', id }, authMethod: 'api_token' },
});

const given = async (options: { remember?: number; atOnce?: number } = {}) => {
  const log = createMemoryLog();
  const aggregates = createAggregates({ log, now: Date.now });
  await aggregates.apiToken.send('t1', { type: 'IssueApiToken', data: token }, envelope);
  const clock = { ms: 10 * hourMs, now: () => clock.ms };
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => failures.push(error);
  const recorder = (parts: Pick<typeof aggregates, 'session' | 'apiToken'> = aggregates) =>
    createUseRecorder({ aggregates: parts, clock, onFailure }, options);
  const uses = async () => {
    let count = 0;
    for await (const event of log.readStream('apiToken-t1')) if (event.type === 'ApiTokenUsed') count += 1;
    return count;
  };
  return { aggregates, clock, failures, recorder, uses };
};

describe('Uses of tokens', () => {
  test('are noted once an hour, however many there are and in however many processes', async () => {
    const { clock, recorder, uses } = await given();
    const both = [recorder(), recorder()];
    const useManyTimes = () => {
      for (let index = 0; index < 50; index += 1) for (const each of both) each.note(use('t1'));
    };
    useManyTimes();
    await expect.poll(uses).toBe(1);
    clock.ms += hourMs;
    useManyTimes();
    await expect.poll(uses).toBe(2);
    useManyTimes();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await uses()).toBe(2);
  });

  test('that the log knows of already are not noted again', async () => {
    const { recorder, uses, clock } = await given();
    const one = recorder();
    one.note(use('t1', clock.ms - 1_000 + 1_000));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await uses()).toBe(0);
    expect(one.remembered()).toBe(0);
  });

  test('are remembered for so many and no more', async () => {
    const { recorder } = await given({ remember: 5, atOnce: 1_000 });
    const one = recorder();
    for (let index = 0; index < 50; index += 1) one.note(use(`t${index}`));
    expect(one.remembered()).toBe(5);
  });

  test('that cannot be noted harm nobody and are noted with a later use', async () => {
    const { aggregates, recorder, uses, failures } = await given();
    let fails = true;
    const send: typeof aggregates.apiToken.send = (...args) =>
      fails ? Promise.reject(new Error('The log is away.')) : aggregates.apiToken.send(...args);
    const one = recorder({ ...aggregates, apiToken: { ...aggregates.apiToken, send } });
    one.note(use('t1'));
    await expect.poll(() => failures).toHaveLength(1);
    fails = false;
    await expect.poll(() => one.remembered()).toBe(0);
    one.note(use('t1'));
    await expect.poll(uses).toBe(1);
  });

  test('pile up no work while the log does not answer', async () => {
    const { aggregates, recorder } = await given({ atOnce: 3 });
    let asked = 0;
    const send: typeof aggregates.apiToken.send = () => {
      asked += 1;
      return new Promise(() => {});
    };
    const one = recorder({ ...aggregates, apiToken: { ...aggregates.apiToken, send } });
    for (let index = 0; index < 50; index += 1) one.note(use(`t${index}`));
    expect(asked).toBe(3);
  });
});
