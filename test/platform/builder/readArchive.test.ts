import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isRefused, type Refused, type SourceFile } from '../../../src/platform/builder/port.ts';
import { readArchive } from '../../../src/platform/builder/readArchive.ts';
import { gzipBomb, paxRecord, tar, tarGz, zip } from './archives.ts';

const MiB = 1024 * 1024;
const textOf = (files: SourceFile[] | Refused): Record<string, string> => {
  if (isRefused(files)) throw new Error(files.reason);
  return Object.fromEntries(files.map((file) => [file.path, Buffer.from(file.bytes).toString()]));
};
/** Text that hardly packs, so that no ratio is met. */
const noiseOf = (bytes: number): Buffer => Buffer.from(randomBytes(bytes / 2).toString('hex'));
const codeAndEntry = (result: SourceFile[] | Refused): unknown =>
  isRefused(result) ? [result.rejected, result.details?.['entry']] : textOf(result);

type Named = { readonly name: string | Uint8Array; readonly data?: string | Uint8Array };
const typed = (entry: Named) => (String(entry.name).endsWith('/') ? { ...entry, type: '5' } : entry);
const containers = [
  { kind: 'tar.gz', pack: (entries: readonly Named[]) => tarGz(entries.map(typed)) },
  { kind: 'zip', pack: (entries: readonly Named[]) => zip(entries) },
] as const;

describe.each(containers)('a $kind submission', ({ pack }) => {
  const read = async (entries: readonly Named[]) => codeAndEntry(await readArchive(pack(entries)));

  it('is read into files sorted by path, whatever their order in the archive', async () => {
    const files = await readArchive(
      pack([{ name: 'src/z.ts', data: 'z' }, { name: 'a.ts', data: 'a' }, { name: 'empty.txt' }]),
    );
    expect(textOf(files)).toEqual({ 'a.ts': 'a', 'empty.txt': '', 'src/z.ts': 'z' });
    expect(isRefused(files) ? [] : files.map((file) => file.path)).toEqual(['a.ts', 'empty.txt', 'src/z.ts']);
  });

  it('may be packed from ".", with folders listed and with what macOS adds', async () => {
    const entries = [
      { name: 'src/' },
      { name: './src/a.ts', data: 'a' },
      { name: 'src/._a.ts', data: Uint8Array.of(0xff) },
    ];
    expect(await read([...entries, { name: '__MACOSX/src/._a.ts', data: Uint8Array.of(0xfe) }])).toEqual({
      'src/a.ts': 'a',
    });
  });

  it('spells names in NFC, so that an import finds its file from any system', async () => {
    expect(await read([{ name: 'cafe\u0301.ts', data: '1' }])).toEqual({ 'caf\u00e9.ts': '1' });
  });

  it.each([
    '../x.ts',
    'a/../../x.ts',
    'a/..',
    '/etc/passwd',
    '//host/x',
    'C:/x.ts',
    'c:x.ts',
    'a\\b.ts',
    '..\\x.ts',
    'a//b.ts',
    'a/./b.ts',
    'line\nbreak.ts',
    `${'d/'.repeat(16)}x.ts`,
  ])('is refused for the path %j', async (name) => {
    const shown = name.replace('\n', '\uFFFD');
    expect(await read([{ name: 'ok.ts' }, { name }])).toEqual(['SubmissionPathRefused', shown]);
  });

  it.each([
    ['a.ts', 'a.ts'],
    ['a.ts', './a.ts'],
    ['A.ts', 'a.ts'],
    ['caf\u00e9.ts', 'cafe\u0301.ts'],
    ['stra\u00dfe.ts', 'STRASSE.ts'],
    ['a', 'a/b.ts'],
    ['a/b.ts', 'a'],
  ])('is refused when %j and %j would be one file', async (first, second) => {
    const result = await readArchive(
      pack([
        { name: first, data: '1' },
        { name: second, data: '2' },
      ]),
    );
    expect(isRefused(result) && result.rejected).toBe('SubmissionPathDuplicate');
    expect(isRefused(result) && result.details?.['entry']).toBe(second.replace('./', '').normalize('NFC'));
  });

  it('is refused at its 501st file, long before its 10,000th', async () => {
    const entries = Array.from({ length: 10_000 }, (_, index) => ({ name: `f${index}.ts` }));
    expect(await read(entries)).toEqual(['SubmissionTooLarge', 'f500.ts']);
  });

  it('is refused for a mass of folders as well', async () => {
    const entries = Array.from({ length: 10_000 }, (_, index) => ({ name: `f${index}/` }));
    expect(await read(entries)).toEqual(['SubmissionTooLarge', 'f2000/']);
  });

  it('is refused for a file over 1 MiB, and takes one of exactly that size', async () => {
    const noise = noiseOf(MiB);
    expect(Object.keys(textOf(await readArchive(pack([{ name: 'full.txt', data: noise }]))))).toEqual(['full.txt']);
    const over = Buffer.concat([noise, Buffer.from('!')]);
    expect(await read([{ name: 'over.txt', data: over }])).toEqual(['SubmissionTooLarge', 'over.txt']);
  });

  it('is refused when its files together are over 5 MiB', async () => {
    const data = noiseOf(MiB);
    const entries = Array.from({ length: 6 }, (_, index) => ({ name: `f${index}.txt`, data }));
    expect(await read(entries)).toEqual(['SubmissionTooLarge', 'f5.txt']);
  });

  it('is refused when a file is not UTF-8 text', async () => {
    expect(await read([{ name: 'a.ts', data: Uint8Array.of(0x61, 0xc3, 0x28) }])).toEqual([
      'SubmissionFileNotText',
      'a.ts',
    ]);
  });

  it('is refused when a name is not UTF-8', async () => {
    const result = await readArchive(pack([{ name: Uint8Array.of(0x61, 0xff, 0x62), data: '1' }]));
    expect(isRefused(result) && ['ArchiveEntryRefused', 'SubmissionPathRefused'].includes(result.rejected)).toBe(true);
    expect(isRefused(result) && result.details?.['entry']).toBe('a\uFFFDb');
  });

  it('is refused when it holds no file', async () => {
    expect(await read([])).toEqual(['SubmissionEmpty', undefined]);
    expect(await read([{ name: 'only/' }])).toEqual(['SubmissionEmpty', undefined]);
  });

  it('treats names of built-in properties as any other name', async () => {
    const names = ['__proto__', 'constructor', 'a/__proto__/toString'];
    const files = await readArchive(pack(names.map((name) => ({ name, data: name }))));
    expect(isRefused(files) ? files : files.map((file) => file.path)).toEqual(names.toSorted());
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
  });

  it('is refused as broken when any part of it is cut off, and never hangs or throws', async () => {
    const whole = pack([
      { name: 'a.ts', data: 'export default 1;'.repeat(50) },
      { name: 'b.ts', data: 'b' },
    ]);
    for (let length = 2; length < whole.length - 1; length += 7) {
      const result = await readArchive(whole.subarray(0, length));
      expect([length, isRefused(result) && result.rejected]).toEqual([length, 'ArchiveBroken']);
    }
  });
});

describe('a tar.gz submission in particular', () => {
  it.each([
    ['1', 'link'],
    ['2', 'symlink'],
    ['3', 'character-device'],
    ['4', 'block-device'],
    ['6', 'fifo'],
  ])('is refused for an entry of type %s', async (type, named) => {
    const result = await readArchive(tarGz([{ name: 'ok.ts' }, { name: 'evil', type }]));
    expect(result).toMatchObject({ rejected: 'ArchiveEntryRefused', details: { entry: 'evil', type: named } });
  });

  it('is judged by the long name of a pax header, not by the short one beside it', async () => {
    const pax = (path: string) => tarGz([{ name: 'pax', type: 'x', data: paxRecord('path', path) }, { name: 'ok.ts' }]);
    expect(codeAndEntry(await readArchive(pax('../../x.ts')))).toEqual(['SubmissionPathRefused', '../../x.ts']);
    expect(codeAndEntry(await readArchive(pax('nul\0.ts')))).toEqual(['SubmissionPathRefused', 'nul\uFFFD.ts']);
    const long = `${'n'.repeat(256)}`;
    expect(codeAndEntry(await readArchive(pax(long)))).toEqual(['SubmissionPathRefused', `${'n'.repeat(200)}…`]);
  });

  it('is refused when the gzip checksum is wrong', async () => {
    const bytes = tarGz([{ name: 'a.ts', data: 'a' }]);
    bytes.writeUInt32LE(1234, bytes.length - 8);
    expect(codeAndEntry(await readArchive(bytes))).toMatchObject(['ArchiveBroken', '']);
  });

  it('is refused when the tar inside is none', async () => {
    expect(codeAndEntry(await readArchive(gzipBomb(Buffer.from('no tar at all'.repeat(100)), 0)))).toMatchObject([
      'ArchiveBroken',
      '',
    ]);
  });

  it('is refused when it is not compressed', async () => {
    expect(codeAndEntry(await readArchive(tar([{ name: 'a.ts' }])))).toEqual(['ArchiveBroken', '']);
  });
});

describe('a zip submission in particular', () => {
  const read = async (entries: Parameters<typeof zip>[0]) => codeAndEntry(await readArchive(zip(entries)));
  const ok = { name: 'ok.ts', data: 'ok' };

  it('takes stored entries and packers that write no mode', async () => {
    expect(await read([{ name: 'a.ts', data: 'a', method: 0, unixMode: 0 }])).toEqual({ 'a.ts': 'a' });
  });
  it('is refused for a symlink', async () => {
    expect(await read([ok, { name: 'evil', data: '/etc/passwd', unixMode: 0o120777 }])).toEqual([
      'ArchiveEntryRefused',
      'evil',
    ]);
  });
  it('is refused for a device', async () => {
    expect(await read([ok, { name: 'evil', unixMode: 0o060644 }])).toEqual(['ArchiveEntryRefused', 'evil']);
  });
  it('is refused for an encrypted entry', async () => {
    expect(await read([ok, { name: 'secret.ts', data: 'x', flags: 0x801 }])).toEqual([
      'ArchiveEntryRefused',
      'secret.ts',
    ]);
  });
  it('is refused for a NUL in a name', async () => {
    expect(await read([{ name: 'a\0.ts', data: 'x' }])).toEqual(['SubmissionPathRefused', 'a\uFFFD.ts']);
  });
  it('is refused for a method other than deflate', async () => {
    expect(await read([{ name: 'a.ts', data: 'x', method: 12 }])).toEqual(['ArchiveEntryRefused', 'a.ts']);
  });
  it('is refused when entries overlap', async () => {
    expect(await read([ok, { name: 'again.ts', data: 'ok', localName: 'ok.ts', sameDataAs: 0 }])).toEqual([
      'ArchiveBroken',
      'again.ts',
    ]);
    const twin = { name: 'ok.ts', data: 'ok' };
    expect(await read([twin, { ...twin, sameDataAs: 0 }])).toEqual(['ArchiveEntryRefused', 'ok.ts']);
  });
  it('is refused when the two headers of an entry disagree about its name', async () => {
    expect(await read([{ name: 'a.ts', data: 'x', localName: 'b.ts' }])).toEqual(['ArchiveBroken', 'a.ts']);
  });
  it('is refused when an entry unpacks to more or less than it declares', async () => {
    expect(await read([{ name: 'a.ts', data: 'x'.repeat(1000), declaredSize: 10 }])).toEqual(['ArchiveBroken', 'a.ts']);
    expect(await read([{ name: 'a.ts', data: 'x'.repeat(1000), declaredSize: 1001 }])).toEqual([
      'ArchiveBroken',
      'a.ts',
    ]);
  });
  it('is refused when a checksum is wrong or the data is damaged', async () => {
    expect(await read([{ name: 'a.ts', data: 'x', crc: 1 }])).toEqual(['ArchiveBroken', 'a.ts']);
    expect(await read([{ name: 'a.ts', data: 'x', packed: Uint8Array.of(0xff, 0xff, 0xff) }])).toEqual([
      'ArchiveBroken',
      'a.ts',
    ]);
  });
});

it('anything that is no archive is refused', async () => {
  expect(codeAndEntry(await readArchive(new Uint8Array()))).toEqual(['ArchiveBroken', '']);
  expect(codeAndEntry(await readArchive(Buffer.from('Rar!\x1a\x07')))).toEqual(['ArchiveBroken', '']);
});

it('an archive over 5 MiB is refused unread', async () => {
  expect(codeAndEntry(await readArchive(new Uint8Array(5 * MiB + 1)))).toEqual(['ArchiveTooLarge', '']);
});
