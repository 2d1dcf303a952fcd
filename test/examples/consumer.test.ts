import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { consume } from '../../examples/consumer.ts';
import { systemClock, systemRandom } from '../../src/platform/clock/system.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { openNats } from '../../src/platform/nats/nats.ts';
import type { MessageBus } from '../../src/platform/nats/port.ts';
import { type Publisher, startPublisher } from '../../src/sagas/publisher.ts';
import { createMemoryLog } from '../support/memoryLog.ts';
import { onNats, startTestBus, type TestBus } from '../support/nats.ts';

await onNats('the example consumer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'opslog-consumer-'));
  const file = join(folder, 'deployments.jsonl');
  const log = createMemoryLog();
  let test: TestBus;
  let bus: MessageBus;
  let publisher: Publisher;

  beforeEach(async () => {
    test = await startTestBus();
    bus = openNats({ url: test.url, logger: silentLog, stream: test.stream, subjectPrefix: test.prefix });
    await bus.ready();
    publisher = startPublisher({
      ...{ log, bus, subjectPrefix: test.prefix, clock: systemClock, random: systemRandom, logger: silentLog },
      checkpoints: { load: async () => 0n, save: async () => {} },
    });
  });
  afterEach(async () => {
    await publisher.stop();
    await bus.close();
    await test.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const lines = (): readonly string[] => {
    try {
      return readFileSync(file, 'utf8').split('\n').slice(0, -1);
    } catch {
      return [];
    }
  };
  const ids = (): readonly unknown[] => lines().map((line) => JSON.parse(line).id);
  const start = (durable: string) => {
    const stopping = new AbortController();
    const names = { url: test.url, stream: test.stream, prefix: test.prefix };
    const running = consume({ ...names, durable, file, signal: stopping.signal });
    return async () => {
      stopping.abort();
      await running;
    };
  };

  it('writes each finished deployment once, however often it is delivered and whenever it stopped', async () => {
    const finish = (id: number): void =>
      void log.add(`edgeWorker-${id}`, 'DeploymentCompleted', { ticketId: `t${id}` }, { workspaceId: 'w1' });
    log.add('session-1', 'SessionOpened', {});
    finish(1);
    const stopFirst = start('one');
    await expect.poll(() => lines().length).toBe(1);
    finish(2);
    await expect.poll(() => lines().length).toBe(2);
    await publisher.republish({});
    await stopFirst();
    // A crash cut the last line short, and the acknowledgements were lost: a consumer that begins anew gets everything again.
    appendFileSync(file, '{"id":"half');
    finish(3);
    const stopSecond = start('two');
    await expect.poll(() => lines().length).toBe(3);
    await stopSecond();
    const expected = log.events.filter(({ type }) => type === 'DeploymentCompleted').map((event) => event.id);
    expect(ids()).toEqual(expected);
  });
});
