import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import tar from 'tar-stream';
import { filesBelow } from './files.ts';
import { manifestName } from './manifest.ts';

/** The archive holds something that no backup holds. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused';
}

/** Packs every file below a folder, the manifest last: a cut archive has none. Durable when it resolves. */
export const packFolder = async (folder: string, target: string): Promise<void> => {
  const pack = tar.pack();
  const names = (await filesBelow(folder)).filter((name) => name !== manifestName);
  const adding = (async () => {
    for (const name of [...names, manifestName]) {
      const { size } = await stat(join(folder, name));
      await pipeline(createReadStream(join(folder, name)), pack.entry({ name, size, mode: 0o600 }));
    }
    pack.finalize();
  })();
  await Promise.all([
    adding.catch((error: unknown) => {
      pack.destroy(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }),
    pipeline(pack, createWriteStream(target, { flags: 'wx', mode: 0o600 })),
  ]);
  const file = await open(target, 'r+');
  await file.sync();
  await file.close();
};

const isOurs = (name: string): boolean =>
  /^[0-9A-Za-z._/-]{1,300}$/.test(name) && !name.split('/').some((part) => /^\.{0,2}$/.test(part));

/** Unpacks plain files with plain names into an empty folder. Throws ArchiveRefused for anything else. */
export const unpackInto = async (archive: string, folder: string): Promise<void> => {
  const extract = tar.extract();
  const reading = pipeline(createReadStream(archive), extract);
  const unpacking = (async () => {
    for await (const entry of extract) {
      const { name, type } = entry.header;
      if (type !== 'file' || !isOurs(name))
        throw new ArchiveRefused(`${archive} holds ${JSON.stringify(name)} (${type}).`);
      await mkdir(dirname(join(folder, name)), { recursive: true, mode: 0o700 });
      await pipeline(entry, createWriteStream(join(folder, name), { flags: 'wx', mode: 0o600 }));
    }
  })();
  try {
    await Promise.all([reading, unpacking]);
  } catch (error) {
    extract.destroy();
    if (error instanceof ArchiveRefused) throw error;
    throw new ArchiveRefused(
      `${archive} cannot be read as a tar archive: ${error instanceof Error ? error.message : ''}`,
    );
  }
};
