import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import tar from 'tar-stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  compareWithManifest,
  digestOf,
  type Manifest,
  manifestSchema,
  readManifest,
} from '../../../src/platform/backup/manifest.ts';
import { packFolder, unpackInto } from '../../../src/platform/backup/tar.ts';
import { placeVaultKeys, readVaultKeys, saveVaultKeys } from '../../../src/platform/backup/vaultKeys.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'opslog-backup-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const manifestOf = (files: Manifest['files']): Manifest => ({
  ...{ format: 1, backupId: 'b', createdAt: '2026-01-01T00:00:00.000Z', opslog: '0', nodeId: 'n', scope: 's' },
  ...{ epoch: 1, position: '1', events: 1, artifactsIn: 'folder', artifacts: 0, missingArtifacts: [], files },
});
const fileOf = (path: string, text: string) => ({ path, bytes: text.length, sha256: digestOf(Buffer.from(text)) });

describe('A manifest', () => {
  test.each(['../escape', '/etc/passwd', 'a/../../b', 'a/./b', '..', ''])('that names %j is refused', (path) => {
    expect(manifestSchema.safeParse(manifestOf([fileOf(path, 'x')])).success).toBe(false);
  });

  test('of a newer program, half written, or not there, is told apart', async () => {
    expect(await readManifest(home)).toMatchObject({ ok: false, code: 'unfinished' });
    await writeFile(join(home, 'manifest.json'), '{"format":1,');
    expect(await readManifest(home)).toMatchObject({ ok: false, code: 'unreadable' });
    await writeFile(join(home, 'manifest.json'), JSON.stringify({ ...manifestOf([]), format: 2 }));
    expect(await readManifest(home)).toMatchObject({ ok: false, code: 'newer' });
  });

  test('takes a link in the place of a file for a changed one', async () => {
    await writeFile(join(home, 'elsewhere'), 'text');
    await mkdir(join(home, 'backup'));
    await symlink(join(home, 'elsewhere'), join(home, 'backup/file'));
    const found = await compareWithManifest(join(home, 'backup'), manifestOf([fileOf('file', 'text')]));
    expect(found).toEqual({ changed: ['file'], missing: [], extra: [] });
  });
});

describe('An archive', () => {
  test('gives back what was packed, for its owner alone', async () => {
    await mkdir(join(home, 'from/artifacts/ab'), { recursive: true });
    await writeFile(join(home, 'from/artifacts/ab/abc'), Buffer.alloc(100_000, 7));
    await writeFile(join(home, 'from/manifest.json'), '{}');
    await packFolder(join(home, 'from'), join(home, 'a.tar'));
    await mkdir(join(home, 'to'));
    await unpackInto(join(home, 'a.tar'), join(home, 'to'));
    expect(await readFile(join(home, 'to/artifacts/ab/abc'))).toEqual(Buffer.alloc(100_000, 7));
    expect((await stat(join(home, 'a.tar'))).mode & 0o077).toBe(0);
  });

  test.each([
    { name: '../escape', type: 'file' as const },
    { name: '/absolute', type: 'file' as const },
    { name: 'link', type: 'symlink' as const, linkname: '/etc/passwd' },
  ])('with $name ($type) is refused, and nothing appears outside', async (header) => {
    const pack = tar.pack();
    pack.entry(header, header.type === 'file' ? 'x' : '');
    pack.finalize();
    await pipeline(pack, createWriteStream(join(home, 'bad.tar')));
    await mkdir(join(home, 'to'));
    await expect(unpackInto(join(home, 'bad.tar'), join(home, 'to'))).rejects.toMatchObject({ name: 'ArchiveRefused' });
    await expect(stat(join(home, 'escape'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('The file of vault keys', () => {
  test('gives back master keys, data keys and tombstones, and nothing else of the folder', async () => {
    await mkdir(join(home, 'keys/master'), { recursive: true });
    await mkdir(join(home, 'keys/data/ab'), { recursive: true });
    await writeFile(join(home, 'keys/master/1.key'), Buffer.alloc(32, 1));
    await writeFile(join(home, 'keys/data/ab/tombstone'), '');
    await writeFile(join(home, 'keys/digest-key'), 'id\n');
    await writeFile(join(home, 'keys/secret.key'), Buffer.alloc(32, 2));
    expect(await saveVaultKeys(join(home, 'keys'), join(home, 'file'), 'b')).toBe(3);
    expect((await stat(join(home, 'file'))).mode & 0o777).toBe(0o600);
    const keys = await readVaultKeys(join(home, 'file'));
    expect(Object.keys(keys?.files ?? {})).toEqual(['data/ab/tombstone', 'digest-key', 'master/1.key']);
    if (keys) await placeVaultKeys(join(home, 'placed'), keys);
    expect(await readFile(join(home, 'placed/master/1.key'))).toEqual(Buffer.alloc(32, 1));
  });

  test('that was changed, or names a path outside, is not taken', async () => {
    await mkdir(join(home, 'keys'), { recursive: true });
    await writeFile(join(home, 'keys/digest-key'), 'id\n');
    await saveVaultKeys(join(home, 'keys'), join(home, 'file'), 'b');
    const text = await readFile(join(home, 'file'), 'utf8');
    await writeFile(join(home, 'file'), text.replace('aWQK', 'aWQL'));
    expect(await readVaultKeys(join(home, 'file'))).toBeUndefined();
    await writeFile(join(home, 'file'), text.replace('"digest-key"', '"master/../../x"'));
    expect(await readVaultKeys(join(home, 'file'))).toBeUndefined();
  });
});
