import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { createCollector, refuse } from './collect.ts';
import type { SubmissionLimits } from './limits.ts';
import type { Refused, SourceFile } from './port.ts';

/** Stops the pipeline from wherever it is, carrying the answer. */
class Stop extends Error {
  readonly refused: Refused;
  constructor(refused: Refused) {
    super(refused.reason);
    this.refused = refused;
  }
}

/** Headers, padding and folders: what a tar needs beside the bytes of its files. */
const containerBytes = (limits: SubmissionLimits): number => limits.files * 4096 + 64 * 1024;

/** Unpacks piece by piece and gives up at the first byte over a limit, so that a bomb costs no memory. */
export const readTarGz = async (packed: Uint8Array, limits: SubmissionLimits): Promise<SourceFile[] | Refused> => {
  const collector = createCollector(limits);
  const progress = { entry: '', entries: 0 };
  const untar = extract();
  const unpacking = pipeline(
    Readable.from([packed], { objectMode: false }),
    createGunzip(),
    (source: AsyncIterable<Uint8Array>) => metered(source, packed.length, limits, progress),
    untar,
  );
  // Awaited below; a failure seen first by the loop must not count as unhandled here.
  unpacking.catch(() => undefined);
  try {
    for await (const entry of untar) {
      progress.entry = entry.header.name;
      progress.entries += 1;
      if (progress.entries > limits.files * 4)
        throw new Stop(
          refuse('SubmissionTooLarge', progress.entry, `is one entry more than the ${limits.files * 4} allowed`),
        );
      const verdict = judge(entry.header, collector);
      if (verdict === 'skip') await drain(entry);
      else if (verdict === 'keep') throwIfRefused(collector.add(entry.header.name, await bytesOf(entry)));
      else throw new Stop(verdict);
    }
    await unpacking;
  } catch (error) {
    untar.destroy();
    if (error instanceof Stop) return error.refused;
    return broken(progress.entry, error);
  }
  return collector.finish();
};

const judge = (header: Header, collector: ReturnType<typeof createCollector>): 'keep' | 'skip' | Refused => {
  switch (header.type) {
    case 'file':
    case 'contiguous-file':
      if (isSparse(header))
        return refuse('ArchiveEntryRefused', header.name, 'is a sparse file; pack it whole', { type: 'sparse' });
      // Packers older than the folder type mark a folder by the slash alone.
      if (header.name.endsWith('/') && header.size === 0) return collector.folder(header.name) ?? 'skip';
      return collector.admit(header.name, header.size);
    case 'directory':
      return collector.folder(header.name) ?? 'skip';
    default: {
      const type = header.type ?? 'unknown';
      return refuse('ArchiveEntryRefused', header.name, `is a ${type}; only files and folders are taken`, { type });
    }
  }
};

const isSparse = (header: Header): boolean =>
  'pax' in header &&
  typeof header.pax === 'object' &&
  header.pax !== null &&
  Object.keys(header.pax).some((key) => key.startsWith('GNU.sparse'));

async function* metered(
  source: AsyncIterable<Uint8Array>,
  packedBytes: number,
  limits: SubmissionLimits,
  progress: { readonly entry: string },
): AsyncGenerator<Uint8Array> {
  const most = limits.bytes + containerBytes(limits);
  let unpacked = 0;
  for await (const chunk of source) {
    unpacked += chunk.length;
    const at = progress.entry === '' ? 'The archive' : progress.entry;
    if (unpacked > limits.ratioFreeBytes && unpacked > packedBytes * limits.ratio)
      throw new Stop(
        refuse('ArchiveTooLarge', at, `unpacks to more than ${limits.ratio} times its size`, { limit: limits.ratio }),
      );
    if (unpacked > most)
      throw new Stop(refuse('ArchiveTooLarge', at, `unpacks to more than ${most} bytes`, { limit: most }));
    yield chunk;
  }
}

const bytesOf = async (entry: AsyncIterable<unknown>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry) if (chunk instanceof Uint8Array) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
};

const drain = async (entry: AsyncIterable<unknown>): Promise<void> => {
  for await (const _chunk of entry);
};

const throwIfRefused = (refused: Refused | undefined): void => {
  if (refused !== undefined) throw new Stop(refused);
};

const broken = (entry: string, error: unknown): Refused => ({
  rejected: 'ArchiveBroken',
  reason: `The archive can't be unpacked: ${error instanceof Error ? error.message : 'unknown damage'}.`,
  details: { entry },
});
