import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { createBuilder } from '../../../src/platform/builder/builder.ts';
import { buildLimits } from '../../../src/platform/builder/limits.ts';
import { type Built, isRefused, type Refused } from '../../../src/platform/builder/port.ts';
import { temporaryBuildKey } from '../../../src/platform/evidence/keys.ts';
import { projectOf, shop } from './projects.ts';

const signer = temporaryBuildKey();
const builder = createBuilder({ signer, builderVersion: '9.9.9' });
afterAll(() => builder.close());

const built = (result: Built | Refused): Built => {
  if (isRefused(result)) throw new Error(result.reason);
  return result;
};
const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');
const fetches = 'export default { fetch: () => new Response("ok") };';

describe('a build', () => {
  it('gives bundle, source and evidence under their digests', async () => {
    const result = built(await builder.build(projectOf(shop)));
    expect(result.bundleDigest).toBe(sha256(result.bundle));
    expect(result.sourceDigest).toBe(sha256(result.source));
    expect(result.sbomDigest).toBe(sha256(result.sbom));
    expect(result.warnings).toEqual([]);
  });

  it('gives the same bytes for the same project, whatever the order of files and flags and the builder that ran', async () => {
    const first = built(await builder.build(projectOf(shop, { compatibilityFlags: ['b', 'a'] })));
    const { files, ...settings } = projectOf(shop, {
      compatibilityFlags: ['a', 'b', 'a'],
      entryPoint: './src/index.ts',
    });
    const other = createBuilder({ signer, builderVersion: '9.9.9' });
    try {
      expect(built(await other.build({ ...settings, files: files.toReversed() }))).toEqual(first);
    } finally {
      other.close();
    }
  });

  it('differs in its source digest when any setting differs', async () => {
    const digests = await Promise.all(
      [
        {},
        { compatibilityDate: '2026-01-02' },
        { compatibilityFlags: ['nodejs_compat'] },
        { language: 'javascript' as const },
      ].map(
        async (settings) => built(await builder.build(projectOf({ 'src/index.ts': fetches }, settings))).sourceDigest,
      ),
    );
    expect(new Set(digests).size).toBe(4);
  });

  it('runs nothing of the submission', async () => {
    const source = `globalThis.process?.exit(1); throw new Error('ran'); ${fetches}`;
    built(await builder.build(projectOf({ 'src/index.ts': source })));
  });

  it('is refused without its entry point, and the answer names the likely one', async () => {
    const result = await builder.build(projectOf({ 'worker-main/src/index.ts': fetches }));
    expect(result).toMatchObject({ rejected: 'EntryPointMissing', field: 'entryPoint' });
    expect(isRefused(result) && result.reason).toContain('"worker-main/src/index.ts"');
  });

  it.each(['export const fetch = 1;', 'addEventListener("fetch", () => {});', ''])(
    'is refused when the entry point has no default export: %j',
    async (source) => {
      const result = await builder.build(projectOf({ 'src/index.ts': source }));
      expect(isRefused(result) && result.reason).toContain('no default export');
    },
  );

  it('is refused when the entry point is not code', async () => {
    const result = await builder.build(projectOf({ 'a.txt': 'text' }, { entryPoint: 'a.txt' }));
    expect(result).toMatchObject({ rejected: 'EntryPointMissing' });
  });

  it('warns of a worker that can not answer, and of a language that does not fit', async () => {
    const { warnings } = built(
      await builder.build(projectOf({ 'src/index.ts': 'export default {};' }, { language: 'javascript' })),
    );
    expect(warnings).toEqual([expect.stringContaining('"fetch" is nowhere'), expect.stringContaining('is TypeScript')]);
  });

  it('is refused when the bundle is over its limit', async () => {
    const small = createBuilder({ signer, builderVersion: '1', limits: { ...buildLimits, bundleBytes: 100 } });
    try {
      const source = `export default { fetch: () => new Response(${JSON.stringify('x'.repeat(100))}) };`;
      expect(await small.build(projectOf({ 'src/index.ts': source }))).toMatchObject({ rejected: 'BundleTooLarge' });
    } finally {
      small.close();
    }
  });
});

const childrenOf = (pid: number): readonly string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
const children = (): readonly string[] => childrenOf(process.pid);

/** Kills the first processes that this one starts while the work runs, each as soon as it is seen. */
const killingProcesses = async <T>(count: number, work: () => Promise<T>): Promise<T> => {
  const seen = new Set(children());
  let left = count;
  const hunt = setInterval(() => {
    for (const pid of children().filter((candidate) => candidate !== '' && !seen.has(candidate))) {
      seen.add(pid);
      if (left > 0) process.kill(Number(pid), 'SIGKILL');
      left -= 1;
    }
  }, 1);
  try {
    return await work();
  } finally {
    clearInterval(hunt);
  }
};

// Resident memory and child processes are read from /proc.
describe.skipIf(process.platform !== 'linux')('a build that costs too much', () => {
  it('ends at the memory limit, and the next build is served', async () => {
    const limits = { ...buildLimits, memoryBytes: 160 * 1024 * 1024 };
    const bounded = createBuilder({ signer, builderVersion: '1', limits });
    try {
      const deep = `export default ${'('.repeat(200_000)}1${')'.repeat(200_000)}`;
      const result = await bounded.build(projectOf({ 'src/index.ts': deep }));
      expect(result).toMatchObject({ rejected: 'BuildTimedOut', details: { limit: 'memory' } });
      built(await bounded.build(projectOf(shop)));
    } finally {
      bounded.close();
    }
  });

  it('ends at the time limit, and the next build is served', async () => {
    const limits = { ...buildLimits, timeMs: 1 };
    const hurried = createBuilder({ signer, builderVersion: '1', limits });
    try {
      const result = await hurried.build(projectOf(shop));
      expect(result).toMatchObject({ rejected: 'BuildTimedOut', details: { limit: 'time' } });
    } finally {
      hurried.close();
    }
  });

  it.each([
    ['tried again when its process dies', 1],
    ['refused when a second process dies as well', 2],
  ])('is %s, and the next build is served', async (_, deaths) => {
    const fragile = createBuilder({ signer, builderVersion: '1' });
    try {
      const result = await killingProcesses(deaths, () => fragile.build(projectOf(shop)));
      if (deaths === 1) built(result);
      else expect(result).toMatchObject({ rejected: 'BuildTimedOut', details: { limit: 'crash' } });
      built(await fragile.build(projectOf(shop)));
    } finally {
      fragile.close();
    }
  });
});

describe('many builds at once', () => {
  it.skipIf(process.platform !== 'linux')('leave the processor to whoever answers requests meanwhile', async () => {
    const before = new Set(children());
    const modest = createBuilder({ signer, builderVersion: '1' });
    try {
      built(await modest.build(projectOf(shop)));
      const started = children().filter((pid) => !before.has(pid));
      const bundlers = started.flatMap((pid) => [pid, ...childrenOf(Number(pid))]);
      expect(bundlers.length).toBeGreaterThanOrEqual(2);
      for (const pid of bundlers) expect(getPriority(Number(pid))).toBeGreaterThan(getPriority());
    } finally {
      modest.close();
    }
  });

  it('all finish, and one too many is told to come back', async () => {
    const limits = { ...buildLimits, concurrency: 2, queue: 3 };
    const busy = createBuilder({ signer, builderVersion: '1', limits });
    try {
      const builds = Array.from({ length: 5 }, (_, index) =>
        busy.build(projectOf({ 'src/index.ts': `${fetches} // ${index}` })),
      );
      await expect(busy.build(projectOf(shop))).rejects.toMatchObject({ name: 'BuilderBusy' });
      const sources = (await Promise.all(builds)).map((result) => built(result).sourceDigest);
      expect(new Set(sources).size).toBe(5);
      built(await busy.build(projectOf(shop)));
    } finally {
      busy.close();
    }
  });
});

it('closing ends what is under way and what waits, and nothing is started again', async () => {
  const closing = createBuilder({ signer, builderVersion: '1', limits: { ...buildLimits, concurrency: 1 } });
  const builds = [closing.build(projectOf(shop)), closing.build(projectOf(shop))];
  closing.close();
  for (const settled of await Promise.allSettled([...builds, closing.build(projectOf(shop))]))
    expect(settled).toMatchObject({ status: 'rejected', reason: { name: 'BundlerFailed' } });
});

describe('a rebuild', () => {
  it('from the stored source gives everything again, byte for byte', async () => {
    const first = built(await builder.build(projectOf(shop)));
    expect(built(await builder.rebuild(first.source))).toEqual(first);
  });

  it('takes no source that was changed or written by others', async () => {
    const { source } = built(await builder.build(projectOf(shop)));
    const text = Buffer.from(source).toString();
    for (const changed of [
      `${text} `,
      text.replace('"files":', '"files" :'),
      '{}',
      '',
      text.replace('.ts', '\\u002ets'),
    ])
      await expect(builder.rebuild(Buffer.from(changed))).rejects.toMatchObject({ name: 'SourceNotCanonical' });
  });
});
