import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../src/platform/edge/workerd/index.ts';
import { createLineBudget, readLines } from '../../../src/platform/edge/workerd/output.ts';
import { call, deploy, newScriptName, openNode, revisionOf, until } from './support.ts';

describe('what a worker writes', () => {
  it('reaches the log hook as one record per call, with its level and revision, and variables masked', async () => {
    const node = await openNode();
    const script = newScriptName();
    const source = `export default { fetch(_, env) {
      console.log('two\\nlines', { a: 1 }); console.error('key ' + env.KEY); return new Response('');
    } };`;
    await deploy(node.provider, await revisionOf(node, script, 7, source, { variables: { KEY: 'tiger-lily-9000' } }));
    await call(node.provider, script);
    await until('both lines', () => node.lines.length >= 2);
    expect(node.lines).toMatchObject([
      { scriptName: script, revision: 7, origin: 'console', level: 'log', message: 'two\nlines { a: 1 }' },
      { scriptName: script, revision: 7, origin: 'console', level: 'error', message: 'key ***' },
    ]);
  });

  it('is cut to its budget of lines, and how many were dropped is said', async () => {
    const node = await openNode({
      limits: { log: { ...defaultLimits.log, burstLines: 10, linesPerSecond: 50 } },
    });
    const script = newScriptName();
    const source =
      'export default { fetch() { for (let i = 0; i < 500; i++) console.log(i); return new Response(""); } };';
    await deploy(node.provider, await revisionOf(node, script, 1, source));
    await call(node.provider, script);
    await until('a word about dropped lines', async () => {
      await call(node.provider, script);
      return node.lines.some(({ origin, message }) => origin === 'platform' && /^\d+ lines dropped/.test(message));
    });
    expect(node.lines.length).toBeLessThan(300);
  });

  it('is split at line ends wherever chunks end, and a line too long is cut', async () => {
    const lines: string[] = [];
    const stream = Readable.from([
      Buffer.from('ab'),
      Buffer.from('c\nde\n\n'),
      Buffer.from('x'.repeat(50)),
      Buffer.from('\nend'),
    ]);
    readLines(stream, 10, (line) => lines.push(line));
    await new Promise((resolve) => stream.on('close', resolve));
    expect(lines).toEqual(['abc', 'de', 'xxxxxxxxxx', 'end']);
  });

  it('has its budget refilled by time, never above the burst', () => {
    let now = 0;
    const budget = createLineBudget(() => now, 2, 1);
    const takes = (count: number) => Array.from({ length: count }, () => budget.take().allowed);
    expect(takes(3)).toEqual([true, true, false]);
    now = 1_000;
    expect(budget.take()).toEqual({ allowed: true, droppedBefore: 1 });
    now = 1_000_000;
    expect(takes(3)).toEqual([true, true, false]);
  });
});
