import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';
import { createCollector, decodeText, refuse } from './collect.ts';
import type { SubmissionLimits } from './limits.ts';
import { isRefused, type Refused, type SourceFile } from './port.ts';

const inflate = promisify(inflateRaw);

/** An entry of the central directory with its name decoded and its data located. */
type ZipEntry = { readonly name: string; readonly entry: Entry; readonly start: number; readonly data: Uint8Array };

/**
 * Lists the whole directory first, so that counts, names, sizes and overlaps are judged before anything is unpacked; then
 * unpacks one entry at a time, never past the size it declared.
 */
export const readZip = async (packed: Uint8Array, limits: SubmissionLimits): Promise<SourceFile[] | Refused> => {
  const buffer = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const listed = await list(buffer, limits);
  if (isRefused(listed)) return listed;
  const overlap = findOverlap(listed);
  if (overlap !== undefined) return refuse('ArchiveEntryRefused', overlap, 'overlaps another entry of the archive');
  const collector = createCollector(limits);
  let declared = 0;
  for (const { name, entry, data } of listed) {
    if (name.endsWith('/')) {
      const refused = collector.folder(name);
      if (refused !== undefined) return refused;
      continue;
    }
    const verdict = collector.admit(name, entry.uncompressedSize);
    if (verdict === 'skip') continue;
    if (verdict !== 'keep') return verdict;
    declared += entry.uncompressedSize;
    if (declared > limits.ratioFreeBytes && declared > packed.length * limits.ratio)
      return refuse('ArchiveTooLarge', name, `takes the archive over ${limits.ratio} times its size`, {
        limit: limits.ratio,
      });
    const bytes = await unpack(name, entry, data);
    const refused = isRefused(bytes) ? bytes : collector.add(name, bytes);
    if (refused !== undefined) return refused;
  }
  return collector.finish();
};

const list = async (buffer: Buffer, limits: SubmissionLimits): Promise<readonly ZipEntry[] | Refused> => {
  const found: ZipEntry[] = [];
  let last = '';
  let files = 0;
  try {
    for await (const entry of entriesOf(await open(buffer))) {
      const name = nameOf(entry);
      last = typeof name === 'string' ? name : '';
      if (typeof name !== 'string') return name;
      if (!name.endsWith('/')) files += 1;
      const most =
        files > limits.files ? `file more than the ${limits.files}` : `entry more than the ${limits.files * 4}`;
      if (files > limits.files || found.length >= limits.files * 4)
        return refuse('SubmissionTooLarge', name, `is one ${most} allowed`, { limit: limits.files });
      const located = judge(name, entry) ?? locate(name, entry, buffer);
      if (isRefused(located)) return located;
      found.push(located);
    }
  } catch (error) {
    return broken(last, error instanceof Error ? error.message : 'unknown damage');
  }
  return found;
};

const open = (buffer: Buffer): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    // Names stay raw: yauzl would guess a code page and turn backslashes into slashes.
    fromBuffer(buffer, { lazyEntries: true, decodeStrings: false }, (error, zip) =>
      error === null || error === undefined ? resolve(zip) : reject(error),
    );
  });

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  for (;;) {
    const entry = await new Promise<Entry | undefined>((resolve, reject) => {
      zip.removeAllListeners('entry').removeAllListeners('end').removeAllListeners('error');
      zip
        .once('entry', resolve)
        .once('end', () => resolve(undefined))
        .once('error', reject);
      zip.readEntry();
    });
    if (entry === undefined) return;
    yield entry;
  }
}

const nameOf = (entry: Entry): string | Refused => {
  // With decodeStrings off the name is a Buffer, whatever the type declarations say.
  const raw: unknown = entry.fileName;
  const name = raw instanceof Uint8Array ? decodeText(raw) : undefined;
  if (name !== undefined) return name;
  const shown = raw instanceof Uint8Array ? Buffer.from(raw).toString('utf8') : '';
  return refuse('ArchiveEntryRefused', shown, 'has a name that is not UTF-8');
};

const judge = (name: string, entry: Entry): Refused | undefined => {
  if (entry.isEncrypted() || (entry.generalPurposeBitFlag & 0x2040) !== 0)
    return refuse('ArchiveEntryRefused', name, 'is encrypted', { type: 'encrypted' });
  // The high half holds the Unix mode: zero from packers that know none, else a file (0o10) or a folder (0o04).
  const kind = entry.externalFileAttributes >>> 28;
  if (kind === 0o12)
    return refuse('ArchiveEntryRefused', name, 'is a symlink; only files and folders are taken', { type: 'symlink' });
  if (kind !== 0 && kind !== 0o10 && kind !== 0o04)
    return refuse('ArchiveEntryRefused', name, 'is neither a file nor a folder', { type: 'special' });
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
    return refuse('ArchiveEntryRefused', name, 'is packed by a method other than deflate', {
      type: `method ${entry.compressionMethod}`,
    });
  return undefined;
};

/** Reads the local header itself: what it says must agree with the directory, or two readers would see two archives. */
const locate = (name: string, entry: Entry, buffer: Buffer): ZipEntry | Refused => {
  const start = entry.relativeOffsetOfLocalHeader;
  if (start + 30 > buffer.length || buffer.readUInt32LE(start) !== 0x04034b50)
    return broken(name, 'its local header is missing');
  const nameEnd = start + 30 + buffer.readUInt16LE(start + 26);
  const dataStart = nameEnd + buffer.readUInt16LE(start + 28);
  const dataEnd = dataStart + entry.compressedSize;
  if (dataEnd > buffer.length) return broken(name, 'its data ends after the archive does');
  if (
    decodeText(buffer.subarray(start + 30, nameEnd)) !== name ||
    buffer.readUInt16LE(start + 8) !== entry.compressionMethod
  )
    return broken(name, 'its local header and the directory disagree');
  return { name, entry, start, data: buffer.subarray(dataStart, dataEnd) };
};

const findOverlap = (entries: readonly ZipEntry[]): string | undefined => {
  let end = 0;
  for (const { name, start, data } of entries.toSorted((a, b) => a.start - b.start)) {
    if (start < end) return name;
    end = start + 30 + data.length;
  }
  return undefined;
};

const unpack = async (name: string, entry: Entry, data: Uint8Array): Promise<Uint8Array | Refused> => {
  const size = entry.uncompressedSize;
  try {
    // One byte of room tells "as declared" from "more than declared" without unpacking the rest.
    const bytes = entry.compressionMethod === 0 ? data : await inflate(data, { maxOutputLength: size + 1 });
    if (bytes.length !== size) return broken(name, `it holds ${bytes.length} bytes where ${size} are declared`);
    return crc32(bytes) === entry.crc32 ? new Uint8Array(bytes) : broken(name, 'its checksum is wrong');
  } catch (error) {
    const more = error instanceof RangeError;
    return broken(name, more ? `it unpacks to more than the ${size} bytes declared` : 'its data is damaged');
  }
};

const broken = (entry: string, what: string): Refused => ({
  rejected: 'ArchiveBroken',
  reason: entry === '' ? `The archive can't be read: ${what}.` : `"${entry}" can't be unpacked: ${what}.`,
  details: { entry },
});
