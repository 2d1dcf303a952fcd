import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { onNats, startTestBus, type TestBus } from '../support/nats.ts';
import { failed, serve, type Workbench, workbench } from './support.ts';

const republished = z.object({ ok: z.literal(true), stream: z.string(), published: z.number(), position: z.string() });

await onNats('A lost stream of messages', () => {
  let bench: Workbench;
  let bus: TestBus;
  let data: readonly string[];
  beforeAll(async () => {
    bench = await workbench();
    bus = await startTestBus();
    const opslog = await serve(bench, join(bench.home, 'data'));
    data = ['--data', opslog.dataDir];
    await opslog.stop();
  }, 60_000);
  afterAll(async () => {
    await bus.stop();
    await bench.remove();
  });

  test('is published again from the log, all of it or a part', async () => {
    const env = { NATS_URL: bus.url, OPSLOG_NATS_STREAM: bus.stream, OPSLOG_NATS_SUBJECTS: bus.prefix };
    const all = await bench.opslog(['events', 'republish', ...data, '--json'], { env });
    expect(all.code).toBe(0);
    const { published, position } = all.json(republished);
    expect(published).toBeGreaterThan(3);
    expect(await bus.count()).toBe(published);
    const last = String(BigInt(position) - 1n);
    const some = await bench.opslog(['events', 'republish', '--after', last, ...data, '--json'], { env });
    expect(some.json(republished)).toMatchObject({ published: 1, position });
  });

  test('cannot be published where no NATS is configured, and the answer says what to set', async () => {
    const refused = await bench.opslog(['events', 'republish', ...data, '--json']);
    expect(refused.code).toBe(1);
    expect(refused.json(failed)).toMatchObject({
      code: 'nats_missing',
      message: expect.stringContaining('NATS_URL'),
    });
  });
});
