import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../artifacts/durable.ts';

/** The file of the events cannot be what this program wrote. The message names the file and says what to do. */
export class EventStoreCorrupt extends Error {
  override readonly name = 'EventStoreCorrupt';

  constructor(file: string, why: string) {
    super(
      `The event store file ${file} is damaged: ${why}. Move its folder away and put a backup in its place with "opslog restore".`,
    );
  }
}

/*
 * LMDB trusts its file: reading one that is not its own, or shorter than it says, ends the program with a signal. So the
 * header is read here first. Two meta pages, the newer of which counts, each with these fields (little-endian).
 */
const magic = 0xbeefc0de;
const at = {
  magic: 24,
  version: 28,
  pageSize: 48,
  freeRoot: 88,
  mainRoot: 136,
  lastPage: 144,
  transaction: 152,
  end: 160,
};
const formats: ReadonlySet<number> = new Set([1, 2]);
/** Pages at the end that a transaction took and gave back are never written. */
const unwrittenPages = 64;
const noRoot = 0xffff_ffff_ffff_ffffn;

/** Throws EventStoreCorrupt when `data.mdb` in this folder is there and is no whole LMDB file. */
export const checkWhole = async (folder: string): Promise<void> => {
  const file = join(folder, 'data.mdb');
  const handle = await open(file, 'r').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (handle === undefined) return;
  try {
    const { size } = await handle.stat();
    const read = async (from: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(at.end), 0, at.end, from);
      return buffer.subarray(0, bytesRead);
    };
    const why = await defectOf(size, read);
    if (why !== undefined) throw new EventStoreCorrupt(file, why);
  } finally {
    await handle.close();
  }
};

const isMeta = (meta: Buffer): boolean =>
  meta.length === at.end && meta.readUInt32LE(at.magic) === magic && formats.has(meta.readUInt32LE(at.version));

const defectOf = async (size: number, read: (from: number) => Promise<Buffer>): Promise<string | undefined> => {
  if (size === 0) return 'it is empty';
  const first = await read(0);
  if (!isMeta(first)) return 'it does not begin as such a file does';
  const pageSize = first.readUInt32LE(at.pageSize);
  const second = pageSize >= 512 ? await read(pageSize) : first;
  if (!isMeta(second)) return 'its second header is missing';
  const newer = first.readBigUInt64LE(at.transaction) >= second.readBigUInt64LE(at.transaction) ? first : second;
  const pages = BigInt(Math.floor(size / pageSize));
  const roots = [newer.readBigUInt64LE(at.freeRoot), newer.readBigUInt64LE(at.mainRoot)];
  const last = newer.readBigUInt64LE(at.lastPage);
  const isShort = pages + BigInt(unwrittenPages) <= last || roots.some((root) => root !== noRoot && root >= pages);
  return isShort ? `it has ${size} bytes and should have about ${(last + 1n) * BigInt(pageSize)}` : undefined;
};
