import { crc32, deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { submissionLimits } from '../../../src/platform/builder/limits.ts';
import { isRefused } from '../../../src/platform/builder/port.ts';
import { readArchive } from '../../../src/platform/builder/readArchive.ts';
import { gzipBomb, tar, tarGz, zip } from './archives.ts';

const MiB = 1024 * 1024;

/** Reads while watching the memory of this process, and holds the reader to 64 MiB and two seconds. */
const die = async (bomb: Uint8Array) => {
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 1);
  const started = performance.now();
  const result = await readArchive(bomb);
  const ms = performance.now() - started;
  clearInterval(watch);
  const grownMiB = (Math.max(peak, process.memoryUsage.rss()) - before) / MiB;
  if (process.env['OPSLOG_SHOW_FIGURES'] !== undefined) console.log({ ms, grownMiB });
  expect(grownMiB).toBeLessThan(64);
  expect(ms).toBeLessThan(2000);
  return isRefused(result) ? [result.rejected, result.details?.['entry']] : result;
};

const headerOf = (name: string, size: number) => tar([{ name, size }]).subarray(0, 512);

it('a tar.gz that unpacks to 4 GiB behind one huge file dies at its header', async () => {
  expect(await die(gzipBomb(headerOf('huge.txt', 8 ** 11 - 1), 4))).toEqual(['SubmissionTooLarge', 'huge.txt']);
});

it('a tar.gz that unpacks to 4 GiB of nothing dies at the total', async () => {
  expect(await die(gzipBomb(tar([{ name: 'a.ts', data: 'a' }]), 4))).toEqual(['ArchiveTooLarge', 'a.ts']);
});

it('a tar.gz of endless headers dies at the total', async () => {
  const header = (index: number) =>
    tar([{ name: 'h', type: 'g', data: `${index}`.padEnd(2 * MiB, `${index}x`) }]).subarray(0, -1024);
  const bomb = gzipBomb(Buffer.concat([0, 1, 2, 3, 4, 5].map(header)), 0);
  const padded = Buffer.concat([bomb, Buffer.alloc(200_000)]);
  expect(await die(padded)).toEqual(['ArchiveTooLarge', 'The archive']);
});

it('a zip whose entry declares 4 GiB dies unopened', async () => {
  const packed = deflateRawSync(Buffer.alloc(64 * MiB), { level: 9 });
  expect(await die(zip([{ name: 'huge.txt', packed, declaredSize: 2 ** 32 - 2 }]))).toEqual([
    'SubmissionTooLarge',
    'huge.txt',
  ]);
});

it('a zip whose entry hides 64 MiB behind a small declared size dies at that size', async () => {
  const packed = deflateRawSync(Buffer.alloc(64 * MiB), { level: 9 });
  expect(await die(zip([{ name: 'liar.txt', packed, declaredSize: 1000 }]))).toEqual(['ArchiveBroken', 'liar.txt']);
});

it('a zip of many overlapping entries dies before any is unpacked', async () => {
  const data = Buffer.alloc(MiB);
  const first = { name: 'a', packed: deflateRawSync(data), crc: crc32(data), declaredSize: MiB };
  const entries = [first, ...Array.from({ length: 400 }, () => ({ ...first, sameDataAs: 0 }))];
  expect(await die(zip(entries))).toEqual(['ArchiveEntryRefused', 'a']);
});

it('a tar.gz that is only dense dies at the ratio', async () => {
  const entries = Array.from({ length: 4 }, (_, index) => ({ name: `f${index}`, data: Buffer.alloc(MiB) }));
  expect(await die(tarGz(entries))).toEqual(['ArchiveTooLarge', 'f0']);
});

it('a zip that is only dense dies at the ratio', async () => {
  const entries = Array.from({ length: 5 }, (_, index) => ({ name: `f${index}`, data: Buffer.alloc(MiB) }));
  expect(await die(zip(entries))).toEqual(['ArchiveTooLarge', 'f1']);
  expect(submissionLimits.ratio).toBeLessThan(1032);
});
