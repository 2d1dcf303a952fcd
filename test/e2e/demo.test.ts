import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const program = new URL('../../bin/opslog.mjs', import.meta.url).pathname;

test('the demo carries the main job through every layer, proves it, and leaves nothing behind', async () => {
  // Of its own, so that another demo on this machine is not taken for what this one left.
  const scratch = mkdtempSync(join(tmpdir(), 'opslog-demo-test-'));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, 'demo', '--exit', '--json'], {
    env: {
      PATH: process.env['PATH'],
      // Nobody listens there: the demo would fail if it took notice.
      DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
      HOME: process.env['HOME'],
      TMPDIR: scratch,
    },
  });
  expect(stdout.trim().split('\n')).toHaveLength(1);
  const result: unknown = JSON.parse(stdout);
  expect(result).toMatchObject({
    ok: true,
    worker: { status: 200, body: '{"message":"Hello, Ada!","revision":1}', revision: 1 },
    ticket: { status: 'completed', kind: 'rollback', revision: 1, next: null },
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
    'DeploymentCompleted',
  ]) {
    expect(stderr).toContain(told);
  }
  expect(readdirSync(scratch)).toEqual([]);
}, 90_000);
