import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock/system.ts';
import { silentLog } from '../../../src/platform/log/port.ts';
import { formatCursor, parseCursor } from '../../../src/platform/workerLogs/cursor.ts';
import type { WorkerLogLimits } from '../../../src/platform/workerLogs/limits.ts';
import type { LogLine, LogStart, ReadLine } from '../../../src/platform/workerLogs/port.ts';
import { createWorkerLogReader } from '../../../src/platform/workerLogs/reader.ts';
import { createWorkerLogWriter, shortNode } from '../../../src/platform/workerLogs/writer.ts';

const script = `dw-${'a'.repeat(48)}`;
let clockOfLines = 1_800_000_000_000;
const line = (message: string, more: Partial<LogLine> = {}): LogLine => {
  clockOfLines += 1;
  return { at: clockOfLines, revision: 3, origin: 'console', level: 'log', message, ...more };
};
const newest: LogStart = { from: 'newest' };
const begin: LogStart = { from: 'cursor', cursor: '0' };
const past = (cursor: string): LogStart => ({ from: 'cursor', cursor });
const messages = (lines: readonly ReadLine[]) => lines.map(({ message }) => message);

const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'opslog-logs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const createWorld = async (limits: Partial<WorkerLogLimits> = {}) => {
  const folder = await newFolder();
  const open = (nodeId: string = randomUUID()) =>
    createWorkerLogWriter({
      folder,
      nodeId,
      log: silentLog,
      limits,
      redact: (text) => text.replaceAll('hunter2', '***'),
    });
  const reader = createWorkerLogReader({ folder, clock: systemClock, pollMs: 5 });
  return { folder, open, reader };
};

describe('Lines of a worker', () => {
  test('are read as they were written, the newest ones first asked for, then on from any place', async () => {
    const { open, reader } = await createWorld();
    const writer = open();
    for (let n = 1; n <= 10; n += 1) writer.write(script, line(`line ${n}`, { level: n === 3 ? 'error' : 'log' }));
    await writer.flush();
    const last = await reader.page(script, newest, 3);
    expect(messages(last.lines)).toEqual(['line 8', 'line 9', 'line 10']);
    const all = await reader.page(script, begin, 100);
    expect(all.lines[2]).toMatchObject({ message: 'line 3', level: 'error', revision: 3, origin: 'console' });
    const on = await reader.page(script, past(all.lines[6]?.cursor ?? ''), 2);
    expect(messages(on.lines)).toEqual(['line 8', 'line 9']);
    expect(messages((await reader.page(script, past(on.cursor), 100)).lines)).toEqual(['line 10']);
    expect((await reader.page(script, past(last.cursor), 100)).lines).toEqual([]);
    const since = await reader.page(script, { from: 'time', at: all.lines[8]?.at ?? 0 }, 100);
    expect(messages(since.lines)).toEqual(['line 9', 'line 10']);
  });

  test('asked for from the end are the last ones, however long they are and wherever they were rotated', async () => {
    const { open, reader } = await createWorld({ segmentBytes: 200_000 });
    const writer = open();
    const written: string[] = [];
    for (let n = 0; n < 400; n += 1) {
      const message = `${n} ${'x'.repeat(n % 7 === 0 ? 4_000 : n % 50)}`;
      written.push(message);
      writer.write(script, line(message));
      await writer.flush();
      if (n % 10 !== 9) continue;
      for (const limit of [1, 5, 50]) {
        const { lines, cursor } = await reader.page(script, newest, limit);
        expect(messages(lines)).toEqual(written.slice(-limit));
        expect((await reader.page(script, past(cursor), 10)).lines).toEqual([]);
      }
    }
  });

  test('of one script are never those of another, and nothing but a script name becomes a path', async () => {
    const { open, reader } = await createWorld();
    const writer = open();
    writer.write(script, line('mine'));
    await writer.flush();
    expect((await reader.page(`dw-${'b'.repeat(48)}`, begin, 10)).lines).toEqual([]);
    await expect(reader.page('../secrets', begin, 10)).rejects.toThrow('not the name of a script');
  });

  test('go on counting after a restart, whatever a dying process left half written', async () => {
    const { folder, open, reader } = await createWorld();
    const nodeId = randomUUID();
    const first = open(nodeId);
    first.write(script, line('before'));
    await first.flush();
    const { cursor } = await reader.page(script, begin, 10);
    const [segment = ''] = await readdir(join(folder, script, shortNode(nodeId)));
    await appendFile(join(folder, script, shortNode(nodeId), segment), '[2,18000000,3,"console","lo');
    // Nobody reads what is not finished.
    expect(messages((await reader.page(script, begin, 10)).lines)).toEqual(['before']);
    const second = open(nodeId);
    second.write(script, line('after'));
    await second.flush();
    const page = await reader.page(script, past(cursor), 10);
    expect(page.lines).toMatchObject([{ message: 'after', droppedBefore: 0 }]);
    expect(page.cursor).toBe(`${shortNode(nodeId)}-2`);
  });

  test('that have been rotated away are counted, and the files stay within their bounds', async () => {
    const { folder, open, reader } = await createWorld({ segmentBytes: 1_000, segments: 2 });
    const nodeId = randomUUID();
    const writer = open(nodeId);
    writer.write(script, line('the first'));
    await writer.flush();
    const { cursor } = await reader.page(script, begin, 10);
    for (let n = 2; n <= 200; n += 1) {
      writer.write(script, line(`line ${n}`));
      await writer.flush();
    }
    const files = await readdir(join(folder, script, shortNode(nodeId)));
    expect(files).toHaveLength(2);
    const sizes = await Promise.all(
      files.map(async (file) => (await readFile(join(folder, script, shortNode(nodeId), file))).length),
    );
    expect(Math.max(...sizes)).toBeLessThan(1_200);
    const { lines } = await reader.page(script, past(cursor), 1_000);
    expect(lines.reduce((sum, { droppedBefore }) => sum + 1 + droppedBefore, 0)).toBe(199);
    expect(lines[0]?.droppedBefore).toBeGreaterThan(100);
    expect(lines.slice(1).every(({ droppedBefore }) => droppedBefore === 0)).toBe(true);
    expect(lines.at(-1)?.message).toBe('line 200');
  });

  test('are redacted before they are written, and cut between characters', async () => {
    const { folder, open, reader } = await createWorld({ messageBytes: 64 });
    const nodeId = randomUUID();
    const writer = open(nodeId);
    writer.write(script, line('the password is hunter2'));
    writer.write(script, line('ü'.repeat(500)));
    await writer.flush();
    const { lines } = await reader.page(script, begin, 10);
    expect(lines[0]?.message).toBe('the password is ***');
    expect(lines[1]?.message).toMatch(/^ü{20,32} … \[cut\]$/);
    const [file = ''] = await readdir(join(folder, script, shortNode(nodeId)));
    expect(await readFile(join(folder, script, shortNode(nodeId), file), 'utf8')).not.toContain('hunter2');
  });

  test('beyond what may wait are dropped, and a line says how many', async () => {
    const { open, reader } = await createWorld({ pendingBytes: 2_000 });
    const writer = open();
    for (let n = 1; n <= 100; n += 1) writer.write(script, line(`line ${n}`));
    await writer.flush();
    const { lines } = await reader.page(script, begin, 1_000);
    const kept = lines.filter(({ origin }) => origin === 'console').length;
    expect(kept).toBeLessThan(100);
    expect(lines.at(-1)).toMatchObject({
      ...{ origin: 'platform', level: 'warn', message: `${100 - kept} lines dropped: they could not be kept` },
    });
  });

  test('that the disk refuses are dropped and counted, and the next ones are kept', async () => {
    const { folder, open, reader } = await createWorld();
    const nodeId = randomUUID();
    const writer = open(nodeId);
    // A file where a folder must be.
    await writeFile(join(folder, script), '');
    writer.write(script, line('lost'));
    await writer.flush();
    await rm(join(folder, script));
    writer.write(script, line('kept'));
    await writer.flush();
    expect(messages((await reader.page(script, begin, 10)).lines)).toEqual([
      'kept',
      '1 lines dropped: they could not be kept',
    ]);
  });

  test('of all nodes are read together by time, each with a count of its own', async () => {
    const { open, reader } = await createWorld();
    const [one, two] = [open(), open()];
    for (let n = 1; n <= 6; n += 1) (n % 2 === 0 ? one : two).write(script, line(`line ${n}`));
    await Promise.all([one.flush(), two.flush()]);
    const { lines } = await reader.page(script, begin, 4);
    expect(messages(lines)).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
    const rest = await reader.page(script, past(lines.at(-1)?.cursor ?? ''), 10);
    expect(messages(rest.lines)).toEqual(['line 5', 'line 6']);
  });

  test('are forgotten with the script; a place from before reads what is there since', async () => {
    const { folder, open, reader } = await createWorld();
    const nodeId = randomUUID();
    const writer = open(nodeId);
    for (let n = 1; n <= 5; n += 1) writer.write(script, line(`old ${n}`));
    await writer.flush();
    const { cursor } = await reader.page(script, begin, 10);
    await writer.remove(script);
    expect(await readdir(folder)).toEqual([]);
    writer.write(script, line('new'));
    await writer.flush();
    expect(messages((await reader.page(script, past(cursor), 10)).lines)).toEqual(['new']);
  });

  test('are for the owner of the process alone', async () => {
    const { folder, open } = await createWorld();
    const writer = open();
    writer.write(script, line('x'));
    await writer.flush();
    const openToOthers = execFileSync('find', [folder, '-mindepth', '2', '-perm', '/077'], { encoding: 'utf8' });
    expect(openToOthers).toBe('');
  });
});

describe('Following', () => {
  test('every line arrives exactly once, however often the reader is cut off and comes back', async () => {
    const { open, reader } = await createWorld({ segmentBytes: 4_000, segments: 50 });
    const writer = open();
    const total = 400;
    let written = 0;
    const read: string[] = [];
    let cursor = '0';
    while (read.length < total) {
      const cut = new AbortController();
      const budget = 1 + ((read.length * 7) % 23);
      let got = 0;
      for await (const batch of reader.follow(script, past(cursor), cut.signal)) {
        for (; written < total && written < read.length + 40; written += 1)
          writer.write(script, line(`line ${written}`));
        await writer.flush();
        for (const each of batch.lines) {
          if (got === budget) break;
          expect(each.droppedBefore).toBe(0);
          read.push(each.message);
          cursor = each.cursor;
          got += 1;
        }
        if (got === budget || read.length === total) cut.abort();
        if (cut.signal.aborted) break;
      }
    }
    expect(read).toEqual(Array.from({ length: total }, (_, n) => `line ${n}`));
  });

  test('from now on, nothing of before is told and nothing of after is lost', async () => {
    const { open, reader } = await createWorld();
    const writer = open();
    writer.write(script, line('before'));
    await writer.flush();
    const over = new AbortController();
    const read: string[] = [];
    for await (const { lines } of reader.follow(script, newest, over.signal)) {
      if (read.length === 0 && lines.length === 0) writer.write(script, line('after'));
      read.push(...messages(lines));
      if (read.length > 0) over.abort();
    }
    expect(read[0]).toBe('after');
  });
});

describe('A cursor', () => {
  test('comes back as it was given out', () => {
    const node = fc.stringMatching(/^[0-9a-f]{8}$/);
    const entries = fc.uniqueArray(fc.tuple(node, fc.integer({ min: 1, max: 999_999_999 })), {
      ...{ selector: ([name]) => name, maxLength: 8 },
    });
    fc.assert(
      fc.property(entries, (pairs) => {
        const cursor = new Map(pairs);
        expect(parseCursor(formatCursor(cursor))).toEqual(cursor);
      }),
      { numRuns: 50 },
    );
  });

  test.each(['', '1', 'zz-1', '../-1', 'aaaaaaaa-0', 'aaaaaaaa-1.', `aaaaaaaa-${'9'.repeat(30)}`])(
    '%j is none',
    (text) => {
      expect(parseCursor(text)).toBeUndefined();
    },
  );
});
