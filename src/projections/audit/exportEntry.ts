import { hash } from 'node:crypto';

/** One line of an export, with the hash that its row has after what it says came before. */
export type ExportedEntry = {
  readonly sequence: number;
  readonly hash: string;
  readonly previous: string;
  readonly computed: string;
};

const hashAt = '{"hash":"'.length;
const previousAt = hashAt + 64 + '","previous":"'.length;
const beforeRow = '","row":';
const digestLength = 64;
const hex = /^[0-9a-f]{64}$/;
const quote = 0x22;

/**
 * Reads lines of the entries of one workspace; undefined for what is none. Works on the bytes as they stand, which is what
 * the hash covers, and uses them up: a million lines are read in seconds.
 */
export const createEntryReader = (workspaceId: string): ((line: Buffer) => ExportedEntry | undefined) => {
  // The names of a row are in order and this is the last. A quote inside a value is escaped: so it can be nothing else.
  const end = Buffer.from(`,"workspace_id":${JSON.stringify(workspaceId)}}}`);
  return (line) => {
    const isFirst = line[previousAt] === quote;
    const rowAt = previousAt + (isFirst ? 0 : digestLength) + beforeRow.length;
    const head = line.toString('latin1', 0, rowAt);
    const found = head.slice(hashAt, hashAt + digestLength);
    const previous = isFirst ? '' : head.slice(previousAt, previousAt + digestLength);
    if (head !== `{"hash":"${found}","previous":"${previous}${beforeRow}` || !hex.test(found)) return undefined;
    if (previous !== '' && !hex.test(previous)) return undefined;
    const endAt = line.length - end.length;
    if (endAt < rowAt || end.compare(line, endAt) !== 0) return undefined;
    const sequence = sequenceOf(line, endAt);
    if (sequence === undefined) return undefined;
    // The hash before goes right in front of the row: both are hashed as one piece, without a copy of the row.
    const from = isFirst ? rowAt : rowAt - digestLength;
    if (!isFirst) line.copyWithin(from, previousAt, previousAt + digestLength);
    return { sequence, hash: found, previous, computed: hash('sha256', line.subarray(from, line.length - 1)) };
  };
};

const sequenceName = Buffer.from(',"seq":');
const comma = 0x2c;

const sequenceOf = (line: Buffer, endAt: number): number | undefined => {
  const at = line.lastIndexOf(sequenceName, endAt) + sequenceName.length;
  if (at < sequenceName.length) return undefined;
  const sequence = Number(line.toString('latin1', at, line.indexOf(comma, at)));
  return Number.isSafeInteger(sequence) ? sequence : undefined;
};
