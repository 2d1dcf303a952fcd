import type { ServerResponse } from 'node:http';
import type { Csv } from '../platform/csv/port.ts';
import type { AuditAnswer } from '../projections/answers.ts';
import type { ExportArgs, ExportedEntry } from '../projections/audit/auditList.ts';
import { writeTo } from './eventStream.ts';
import { isoTime } from './models.ts';
import type { MakeBit } from './turns.ts';

export const exportFormat = 'opslog-audit-1';

/** Entries that are read and written at a time: what an export holds in memory. */
const pageSize = 250;

export type Export = {
  readonly read: (args: Pick<ExportArgs, 'after' | 'limit'>) => Promise<readonly ExportedEntry[]>;
  readonly format: Format;
  readonly makeBit: MakeBit;
};

type Format = {
  readonly head: string;
  readonly entries: (entries: readonly ExportedEntry[]) => string;
  readonly end: (entries: number) => string;
};

/**
 * Writes an export page after page, asking for the next one only when the client has taken the last. What fails on the way
 * breaks the connection off, so that half an export is never taken for a whole one.
 */
export const streamExport = async (
  response: ServerResponse,
  { read, format, makeBit }: Export,
  signal: AbortSignal,
): Promise<void> => {
  let count = 0;
  let after = 0;
  let text = format.head;
  for (;;) {
    const entries = await makeBit(signal, async () => {
      const page = await read({ after, limit: pageSize });
      text += format.entries(page);
      return page;
    });
    count += entries.length;
    after = entries.at(-1)?.seq ?? after;
    const isLast = entries.length < pageSize;
    if (isLast) text += format.end(count);
    if (!(await writeTo(response, text, signal))) {
      response.destroy();
      return;
    }
    if (isLast) break;
    text = '';
  }
  response.end();
};

/**
 * JSON lines: what it is, an entry each, and how many there were, with the signed head when it holds the whole chain. The
 * text of `row` is what the hash covers, byte for byte.
 */
export const jsonLines = (about: object, head: unknown): Format => ({
  head: `${JSON.stringify({ format: exportFormat, ...about })}\n`,
  entries: (entries) => entries.map(lineOf).join(''),
  end: (entries) => `${JSON.stringify({ entries, head })}\n`,
});

const lineOf = ({ hash, previousHash, covered }: ExportedEntry): string =>
  `{"hash":${JSON.stringify(hash)},"previous":${JSON.stringify(previousHash ?? '')},"row":${covered}}\n`;

const columns: readonly (readonly [string, (entry: AuditAnswer) => string | number | null])[] = [
  ['sequence', ({ seq }) => seq],
  ['id', ({ id }) => id],
  ['createdAt', ({ createdAt }) => isoTime(createdAt)],
  ['action', ({ action }) => action],
  ['actorType', ({ actorType }) => actorType],
  ['actorId', ({ actorId }) => actorId],
  ['authMethod', ({ authMethod }) => authMethod],
  ['ip', ({ ip }) => ip],
  ['resourceType', ({ resourceType }) => resourceType],
  ['resourceId', ({ resourceId }) => resourceId],
  ['departmentId', ({ departmentId }) => departmentId],
  ['riskLevel', ({ riskLevel }) => riskLevel],
  ['status', ({ status }) => status],
  ['requestId', ({ requestId }) => requestId],
  ['correlationId', ({ correlationId }) => correlationId],
  ['causationId', ({ causationId }) => causationId],
  ['metadata', ({ metadata }) => JSON.stringify(metadata)],
  ['position', ({ position }) => position],
  ['previousHash', ({ previousHash }) => previousHash],
  ['hash', ({ hash }) => hash],
];

export const csvLines = (csv: Csv): Format => ({
  head: csv([columns.map(([name]) => name)]),
  entries: (entries) => csv(entries.map((entry) => columns.map(([, show]) => show(entry) ?? ''))),
  end: () => '',
});
