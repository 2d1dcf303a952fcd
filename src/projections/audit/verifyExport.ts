import { createChainCheck, linkHash } from '../engine/chain.ts';

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

type Entry = { readonly hash: string; readonly previous: string; readonly covered: string; readonly row: Facts };
type Facts = { readonly workspaceId: string; readonly sequence: number };
type About = { readonly workspaceId: string; readonly complete: boolean };

/** Checks the lines of an export one after the other; of the entries it keeps the newest, and the hashes of some. */
export const createExportCheck = (wanted: ReadonlySet<number> = new Set()) => {
  const seen = new Map<number, string>();
  let about: About | undefined;
  let end: { readonly sealedHead: string } | undefined;
  let newest = { sequence: 0, hash: '' };
  let lines = 0;
  let entries = 0;
  const chain = createChainCheck();

  const judge = (text: string): ExportFault['reason'] | undefined => {
    if (about === undefined) {
      about = aboutOf(parse(text));
      return about === undefined ? 'form' : undefined;
    }
    if (end !== undefined) return 'form';
    if (text.startsWith('{"entries":')) {
      end = endOf(parse(text), entries);
      return end === undefined ? 'end' : undefined;
    }
    const entry = entryOf(text);
    if (entry === undefined || entry.row.workspaceId !== about.workspaceId) return 'form';
    const fault = about.complete ? inChain(entry) : alone(entry);
    newest = { sequence: entry.row.sequence, hash: entry.hash };
    entries += 1;
    if (wanted.has(newest.sequence)) seen.set(newest.sequence, newest.hash);
    return fault;
  };

  const inChain = ({ hash, previous, covered, row }: Entry): ExportFault['reason'] | undefined => {
    if (chain.add({ ...{ by: row.workspaceId, sequence: row.sequence }, hash, previous, covered })) return undefined;
    const verdict = chain.verdict();
    return verdict.ok ? undefined : verdict.reason;
  };
  const alone = ({ hash, previous, covered, row }: Entry): ExportFault['reason'] | undefined => {
    if (row.sequence <= newest.sequence) return 'gap';
    if (row.sequence === newest.sequence + 1 && entries > 0 && previous !== newest.hash) return 'link';
    return hash === linkHash(previous, covered) ? undefined : 'hash';
  };

  return {
    /** Hashes at the wanted sequences. */
    seen,
    /** The first line that does not fit; then no more need be given. */
    add: (text: string): ExportFault | undefined => {
      lines += 1;
      const reason = judge(text);
      return reason === undefined ? undefined : { line: lines, reason };
    },
    finish: (): ExportVerdict => {
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
  return { sealedHead: isObject(head) ? JSON.stringify(head) : '' };
};

const hashAt = '{"hash":"'.length;
const previousAt = hashAt + 64 + '","previous":"'.length;
const hex = /^[0-9a-f]{64}$/;

/** The row is taken as it stands, byte for byte: that is what the hash covers. */
const entryOf = (text: string): Entry | undefined => {
  const hash = text.slice(hashAt, hashAt + 64);
  const previous = text.startsWith('"', previousAt) ? '' : text.slice(previousAt, previousAt + 64);
  const head = `{"hash":"${hash}","previous":"${previous}","row":`;
  if (!text.startsWith(head) || !text.endsWith('}}') || !hex.test(hash)) return undefined;
  if (previous !== '' && !hex.test(previous)) return undefined;
  const covered = text.slice(head.length, -1);
  const row = factsOf(covered);
  return row && { hash, previous, covered, row };
};

const sequenceName = ',"seq":';
const workspaceName = ',"workspace_id":';

/** Reading all of a row would cost more than its hash. A quote inside a value is escaped, so a name is found as it is, near the end. */
const factsOf = (covered: string): Facts | undefined => {
  const sequenceAt = covered.lastIndexOf(sequenceName) + sequenceName.length;
  const workspaceAt = covered.lastIndexOf(workspaceName);
  if (sequenceAt < sequenceName.length || workspaceAt === -1) return undefined;
  const sequence = Number(covered.slice(sequenceAt, covered.indexOf(',', sequenceAt)));
  const workspaceId = parse(covered.slice(workspaceAt + workspaceName.length, -1));
  return Number.isSafeInteger(sequence) && typeof workspaceId === 'string' ? { workspaceId, sequence } : undefined;
};
