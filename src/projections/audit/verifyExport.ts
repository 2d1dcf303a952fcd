import { createEntryReader, type ExportedEntry } from './exportEntry.ts';

/** What an export in JSON lines proves by itself. The signature of its head is for the caller to check. */
export type ExportProof = {
  readonly workspaceId: string;
  readonly entries: number;
  /** False for what was filtered: then each entry is what was chained, and nothing says that none is missing. */
  readonly complete: boolean;
  /** The newest entry, by the entries themselves. */
  readonly newest: { readonly sequence: number; readonly hash: string };
  /** The signed head as it stands in the file, a DSSE envelope as text; '' without one. */
  readonly sealedHead: string;
};

export type ExportFault = {
  /** Number of the line, from 1. */
  readonly line: number;
  /** `form`: no line of an export. `gap`, `link`, `hash`: as in a chain. `end`: the last line is missing or counts others. */
  readonly reason: 'form' | 'gap' | 'link' | 'hash' | 'end';
};

export type ExportVerdict =
  | { readonly ok: true; readonly proof: ExportProof }
  | { readonly ok: false; readonly fault: ExportFault };

type About = { readonly workspaceId: string; readonly complete: boolean };

const newline = 0x0a;
/** No line of an export comes near: an entry tells of one event, and a log takes none of this size. */
const longestLine = 16 * 1024 * 1024;
const endMark = Buffer.from('{"entries":');

/**
 * Checks the lines of an export, whose bytes come in pieces of any size and are used up; of the entries it keeps the newest,
 * and the hashes of some.
 */
export const createExportCheck = (wanted: ReadonlySet<number> = new Set()) => {
  const seen = new Map<number, string>();
  let about: About | undefined;
  let readEntry = createEntryReader('');
  let end: { readonly sealedHead: string } | undefined;
  let newest = { sequence: 0, hash: '' };
  let [lines, entries] = [0, 0];
  let rest: Buffer = Buffer.alloc(0);

  const judge = (line: Buffer): ExportFault['reason'] | undefined => {
    if (about === undefined) {
      about = aboutOf(parse(line.toString()));
      if (about === undefined) return 'form';
      readEntry = createEntryReader(about.workspaceId);
      return undefined;
    }
    if (end !== undefined) return 'form';
    if (line.subarray(0, endMark.length).equals(endMark)) {
      end = endOf(parse(line.toString()), entries);
      return end === undefined ? 'end' : undefined;
    }
    const entry = readEntry(line);
    return entry === undefined ? 'form' : judgeEntry(entry, about.complete);
  };

  const judgeEntry = (entry: ExportedEntry, complete: boolean): ExportFault['reason'] | undefined => {
    const { sequence, previous, hash, computed } = entry;
    const isNext = sequence === newest.sequence + 1;
    if (complete ? !isNext : sequence <= newest.sequence) return 'gap';
    if (isNext && (complete || entries > 0) && previous !== newest.hash) return 'link';
    if (hash !== computed) return 'hash';
    newest = { sequence, hash };
    entries += 1;
    if (wanted.has(sequence)) seen.set(sequence, hash);
    return undefined;
  };

  const addLine = (line: Buffer): ExportFault | undefined => {
    lines += 1;
    const reason = judge(line);
    return reason === undefined ? undefined : { line: lines, reason };
  };

  return {
    /** Hashes at the wanted sequences. */
    seen,
    /** The first line that does not fit; then no more need be given. */
    add: (piece: Buffer): ExportFault | undefined => {
      const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      let from = 0;
      for (let to = bytes.indexOf(newline, from); to !== -1; to = bytes.indexOf(newline, from)) {
        const fault = addLine(bytes.subarray(from, to));
        if (fault) return fault;
        from = to + 1;
      }
      rest = bytes.subarray(from);
      return rest.length > longestLine ? { line: lines + 1, reason: 'form' } : undefined;
    },
    /** After the last piece. */
    finish: (): ExportVerdict => {
      const fault = rest.length === 0 ? undefined : addLine(rest);
      if (fault) return { ok: false, fault };
      if (about === undefined || end === undefined) return { ok: false, fault: { line: lines + 1, reason: 'end' } };
      return { ok: true, proof: { ...about, entries, newest, sealedHead: end.sealedHead } };
    },
  };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const aboutOf = (value: unknown): About | undefined => {
  if (!isObject(value) || value['format'] !== 'opslog-audit-1') return undefined;
  const { workspaceId, complete } = value;
  return typeof workspaceId === 'string' && typeof complete === 'boolean' ? { workspaceId, complete } : undefined;
};

const endOf = (value: unknown, entries: number): { readonly sealedHead: string } | undefined => {
  if (!isObject(value) || value['entries'] !== entries) return undefined;
  const { head } = value;
  if (!isObject(head)) return { sealedHead: '' };
  try {
    return { sealedHead: JSON.stringify(head) };
  } catch {
    // Nested so deeply that it cannot be written again, though it could be read.
    return undefined;
  }
};
