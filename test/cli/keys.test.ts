import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { failed, type Served, serve, type Workbench, workbench } from './support.ts';

const listed = z.object({
  ok: z.literal(true),
  masterKeys: z.array(z.object({ version: z.number(), wraps: z.boolean(), dataKeys: z.number() })),
  unfinishedRotation: z.number().nullable(),
});
const rotated = z.object({ ok: z.literal(true), version: z.number(), rewrapped: z.number(), resumed: z.boolean() });

let bench: Workbench;
let opslog: Served;
let data: readonly string[];
beforeAll(async () => {
  bench = await workbench();
  opslog = await serve(bench, join(bench.home, 'data'));
  data = ['--data', opslog.dataDir];
}, 120_000);
afterAll(async () => {
  await opslog?.stop();
  await bench.remove();
});

const masterFiles = () => readdir(join(opslog.dataDir, 'keys/master'));

test('an operator rotates and retires master keys in a running server, and without one', async () => {
  const first = await bench.opslog(['keys', 'list', ...data, '--json']);
  expect(first.json(listed).masterKeys).toEqual([{ version: 1, wraps: true, dataKeys: 1 }]);

  const online = await bench.opslog(['keys', 'rotate', ...data, '--json']);
  expect(online.json(rotated)).toMatchObject({ version: 2, rewrapped: 1, resumed: false });
  const text = await bench.opslog(['keys', 'list', ...data]);
  expect(text.stdout).toMatch(/version 2 .*1 data keys {2}wraps new keys\nversion 1 .*0 data keys\n/);
  const newest = await bench.opslog(['keys', 'retire', '2', ...data, '--json']);
  expect([newest.code, newest.json(failed).code]).toEqual([1, 'master_key_newest']);
  expect((await bench.opslog(['keys', 'retire', '1', ...data])).code).toBe(0);
  expect(await masterFiles()).toEqual(['2.key']);
  const unknown = await bench.opslog(['keys', 'retire', '1', ...data, '--json']);
  expect([unknown.code, unknown.json(failed).code]).toEqual([1, 'master_key_unknown']);

  await opslog.stop();
  expect((await bench.opslog(['keys', 'rotate', ...data, '--json'])).json(rotated)).toMatchObject({ version: 3 });

  const path = join(opslog.dataDir, 'keys/master/3.key');
  await chmod(path, 0o644);
  const exposed = await bench.opslog(['keys', 'list', ...data, '--json']);
  expect([exposed.code, exposed.json(failed).code]).toEqual([1, 'keys_unusable']);
  expect(exposed.json(failed).message).toContain(`chmod 600 ${path}`);
}, 120_000);
