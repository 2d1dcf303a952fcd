import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { packFolder } from '../../src/cli/developer/pack.ts';
import { starterFiles } from '../../src/cli/developer/starter.ts';
import { readArchive } from '../../src/platform/builder/readArchive.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

const folderOf = async (files: Readonly<Record<string, string | Uint8Array>>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'opslog-pack-'));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
};

const starter = starterFiles({ name: 'hello', workspace: '', department: '' });

describe('Packing a folder', () => {
  test('gives an archive that the server reads, with the same files and bytes', async () => {
    const packed = await packFolder(await folderOf(starter));
    const read = await readArchive(packed.archive);
    if (!Array.isArray(read)) throw new Error('The server refuses the archive.');
    const unpacked = Object.fromEntries(read.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]));
    expect(unpacked).toEqual(starter);
    expect(packed.files).toEqual(Object.keys(starter).toSorted());
  });

  test('gives the same bytes for the same files, whenever they were written', async () => {
    const first = await folderOf(starter);
    const second = await folderOf(Object.fromEntries(Object.entries(starter).toReversed()));
    await utimes(join(second, 'src/index.ts'), 1, 1);
    vi.useFakeTimers({ now: 1_000_000_000_000, toFake: ['Date'] });
    const then = await packFolder(second);
    vi.useRealTimers();
    expect((await packFolder(first)).archive).toEqual(then.archive);
  });

  test('leaves out secrets, links, what is no text and what .gitignore names, and says so', async () => {
    const folder = await folderOf({
      ...starter,
      '.env': 'PASSWORD=x',
      '.git/config': 'private',
      'logo.png': new Uint8Array([0x89, 0x50, 0xff, 0xfe]),
      'dist/index.js': 'built',
    });
    await symlink('/etc/hostname', join(folder, 'src/link.ts'));
    const packed = await packFolder(folder);
    expect(packed.files).toEqual(Object.keys(starter).toSorted());
    const reasons = Object.fromEntries(packed.leftOut.map(({ path, why }) => [path, why]));
    expect(reasons).toEqual({
      '.env': 'never sent',
      'dist/': 'named in .gitignore',
      'logo.png': 'not text',
      'src/link.ts': 'a link',
    });
  });

  test('.opslogignore takes the place of .gitignore', async () => {
    const { files } = await packFolder(
      await folderOf({ ...starter, 'dist/a.js': 'x', 'notes.txt': 'x', '.opslogignore': 'notes.txt\n' }),
    );
    expect(files).toContain('dist/a.js');
    expect(files).not.toContain('notes.txt');
  });

  test('brings of node_modules what "dependencies" reach, and no more', async () => {
    const manifest = (dependencies: object, more: object = {}) => JSON.stringify({ dependencies, ...more });
    const packed = await packFolder(
      await folderOf({
        ...starter,
        'package.json': manifest({ used: '1', absent: '1' }, { devDependencies: { tool: '1' } }),
        'node_modules/used/package.json': manifest({ '@deep/er': '1' }),
        'node_modules/used/index.js': 'export {};',
        'node_modules/used/index.d.ts': 'export {};',
        'node_modules/used/test/a.js': 'test',
        'node_modules/@deep/er/package.json': manifest({}),
        'node_modules/@deep/er/main.mjs': 'export {};',
        'node_modules/tool/package.json': manifest({}),
        'node_modules/tool/index.js': 'export {};',
      }),
    );
    expect(packed.files.filter((path) => path.startsWith('node_modules/'))).toEqual([
      'node_modules/@deep/er/main.mjs',
      'node_modules/@deep/er/package.json',
      'node_modules/used/index.js',
      'node_modules/used/package.json',
    ]);
    expect(packed.missing).toEqual(['absent']);
  });

  test('a name in "dependencies" cannot reach outside the folder', async () => {
    const folder = await folderOf({ 'w/package.json': JSON.stringify({ dependencies: { '../../secret': '1' } }) });
    await mkdir(join(folder, 'secret'));
    await writeFile(join(folder, 'secret/package.json'), '{}');
    const packed = await packFolder(join(folder, 'w'));
    expect(packed.files).toEqual(['package.json']);
    expect(packed.missing).toEqual(['../../secret']);
  });
});
