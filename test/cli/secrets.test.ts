import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { failed, type Ran, type Served, serve, type Workbench, workbench } from './support.ts';

const stored = z.object({
  ok: z.literal(true),
  secret: z.object({ name: z.string(), version: z.number(), digest: z.string() }),
});
const listed = z.object({ ok: z.literal(true), secrets: z.array(z.object({ name: z.string(), version: z.number() })) });
const value = 'the-value-that-nobody-sees';

describe('The secrets of a worker on the command line', () => {
  let bench: Workbench;
  let opslog: Served;
  const said: string[] = [];
  const run = async (args: readonly string[], options = {}): Promise<Ran> => {
    const ran = await bench.opslog([...args], options);
    said.push(ran.stdout, ran.stderr);
    return ran;
  };

  beforeAll(async () => {
    bench = await workbench();
    opslog = await serve(bench, join(bench.home, 'data'));
    const input = `${opslog.admin.password ?? ''}\n`;
    await run(['login', '--url', opslog.url, '--email', opslog.admin.email, '--password-stdin'], { input });
    await run(['department', 'create', 'Sales']);
    await mkdir(join(bench.home, 'hello'));
    await writeFile(join(bench.home, 'hello/opslog.json'), '{}\n');
  });
  afterAll(async () => {
    await opslog?.stop();
    await bench.remove();
  });

  test('come from standard input or a file; a newline at the end does not count', async () => {
    const first = await run(['secrets', 'set', 'API_KEY', 'hello', '--json'], { input: `${value}\n` });
    expect(first.json(stored).secret).toMatchObject({ name: 'API_KEY', version: 1 });
    await writeFile(join(bench.home, 'value.txt'), `${value}\n`);
    const again = await run(['secrets', 'set', 'API_KEY', 'hello', '--file', 'value.txt', '--json']);
    expect(again.json(stored)).toEqual(first.json(stored));
    const other = await run(['secrets', 'set', 'API_KEY', 'hello', '--file', '-'], { input: 'another' });
    expect(other.stdout).toContain('API_KEY is at version 2');
  });

  test('are listed by version and digest', async () => {
    const ran = await run(['secrets', 'list', 'hello', '--json']);
    expect(ran.json(listed).secrets).toEqual([expect.objectContaining({ name: 'API_KEY', version: 2 })]);
  });

  test('are never taken from an argument, and a file that is not there is named', async () => {
    const argument = await run(['secrets', 'set', 'API_KEY', 'hello', 'a-value-in-the-clear', '--json']);
    expect(argument.code).not.toBe(0);
    const inPlaceOfTheFolder = await run(['secrets', 'set', 'API_KEY', value, '--json'], { input: 'else' });
    expect(inPlaceOfTheFolder.code).toBe(2);
    const missing = await run(['secrets', 'set', 'API_KEY', 'hello', '--file', 'nowhere.txt', '--json']);
    expect(missing.json(failed).message).toContain('nowhere.txt');
    const empty = await run(['secrets', 'set', 'API_KEY', 'hello', '--json'], { input: '' });
    expect(empty.code).not.toBe(0);
  });

  test('are not looked for elsewhere when the folder was mistyped', async () => {
    const ran = await run(['secrets', 'list', 'helo', '--json']);
    expect(ran.code).toBe(2);
    expect(ran.json(failed).message).toContain('helo');
  });

  test('are removed for good, and what is not there is said', async () => {
    expect((await run(['secrets', 'remove', 'API_KEY', 'hello'])).code).toBe(0);
    expect((await run(['secrets', 'list', 'hello', '--json'])).json(listed).secrets).toEqual([]);
    const nothing = await run(['secrets', 'remove', 'NOTHING', 'hello', '--json']);
    expect(nothing.json(failed)).toMatchObject({ code: 'edge_secret_not_found' });
  });

  test('are in nothing that was said', () => {
    expect([...said, opslog.log()].join('')).not.toContain(value);
  });
});
