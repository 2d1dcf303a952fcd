import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const program = fileURLToPath(new URL('../../bin/opslog.mjs', import.meta.url));

const play = async (...more: readonly string[]) => {
  // Of its own, so that another demo on this machine is not taken for what this one left.
  const scratch = mkdtempSync(join(tmpdir(), 'opslog-demo-test-'));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const env = {
    PATH: process.env['PATH'],
    // Nobody listens there: the demo would fail if it took notice.
    DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
    HOME: process.env['HOME'],
    TMPDIR: scratch,
  };
  const run = [program, 'demo', '--exit', '--json', ...more];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, run, { env });
  expect(stdout.trim().split('\n')).toHaveLength(1);
  const result: unknown = JSON.parse(stdout);
  expect(readdirSync(scratch)).toEqual([]);
  return { result, stderr };
};

test('the same job at Cloudflare is told with a stand-in, which is named as such', async () => {
  const { result, stderr } = await play('--provider', 'cloudflare');
  expect(result).toMatchObject({
    ok: true,
    ticket: { status: 'completed', kind: 'rollback', revision: 1 },
    uncertain: { status: 'completed', revision: 2 },
    auditVerified: true,
    readTablesEqualLog: true,
  });
  expect(stderr).toContain('in place of Cloudflare');
  expect(stderr).toContain('opslog-paused');
}, 90_000);

test('the demo carries the main job through every layer, proves it, and leaves nothing behind', async () => {
  const { result, stderr } = await play();
  expect(result).toMatchObject({
    ok: true,
    worker: { status: 200, body: '{"message":"Hello, Ada!","revision":1,"keyEnding":"0001"}', revision: 1 },
    ticket: { status: 'completed', kind: 'rollback', revision: 1, next: null },
    uncertain: { status: 'completed', revision: 2, attempts: 2 },
    hostname: 'hello.acme.test',
    auditVerified: true,
    readTablesEqualLog: true,
    timingsMs: { start: expect.any(Number), submit: expect.any(Number), deploy: expect.any(Number) },
  });
  for (const told of [
    'signed in',
    'submitted   revision 2',
    'rolled back',
    'answers 503',
    'resumed     200',
    'hello.acme.test attached',
    'API_KEY version 2 sealed',
    'uncertain',
    'by looking',
    'DeploymentCompleted',
  ]) {
    expect(stderr).toContain(told);
  }
}, 90_000);
