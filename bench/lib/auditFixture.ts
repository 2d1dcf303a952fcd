import { createHash } from 'node:crypto';
import type { SqlDatabase } from '../../src/platform/database/port.ts';
import { auditLogs } from '../../src/projections/audit/auditLogs.ts';
import { type ChainHead, isChained, linkRows } from '../../src/projections/engine/chain.ts';
import { copyTexts } from '../../src/projections/engine/copyText.ts';
import { createTables } from '../../src/projections/engine/createTables.ts';
import type { Row } from '../../src/projections/engine/rows.ts';

const batchRows = 20_000;
const startedAt = Date.UTC(2026, 0, 1);

const idOf = (text: string): string => {
  const hex = createHash('md5').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

/** A row as a step of a deployment leaves it: the kind that there is most of. */
const rowOf = (workspaceId: string, index: number): Row => {
  const ticketId = idOf(`ticket ${index % 5_000}`);
  return {
    ...{ id: idOf(`event ${index}`), workspace_id: workspaceId, seq: 0, department_id: idOf(`d ${index % 50}`) },
    ...{ actor_type: 'system', actor_id: 'runner', auth_method: 'system', action: 'edgeWorker.DeploymentStepRecorded' },
    ...{ resource_type: 'edgeWorker', resource_id: idOf(`worker ${index % 50}`), resource_revision: index },
    ...{ risk_level: 'low', status: 'success', request_id: idOf(`request ${index >> 3}`) },
    ...{ correlation_id: idOf(`request ${index >> 3}`), causation_id: ticketId, command_id: idOf(`command ${index}`) },
    ip: '',
    metadata: JSON.stringify({
      ...{ attempt: 1, detail: '', durationMs: index % 900, facts: {}, mode: 'perform', outcome: 'done' },
      ...{ startedAt: startedAt + index, step: 'switch', ticketId },
    }),
    ...{ position: index * 100, created_at: startedAt + index * 10, previous_hash: '', hash: '' },
  };
};

/** Fills audit_logs with one chain of so many rows, straight into the table. */
export const writeChain = async (database: SqlDatabase, workspaceId: string, rows: number): Promise<void> => {
  const { copy } = database;
  if (copy === undefined || !isChained(auditLogs)) throw new Error('This needs COPY and a chain.');
  await createTables(database, [auditLogs]);
  const heads = new Map<string, ChainHead>();
  const columns = Object.keys(auditLogs.columns);
  for (let from = 0; from < rows; from += batchRows) {
    const batch = Array.from({ length: Math.min(batchRows, rows - from) }, (_, at) => rowOf(workspaceId, from + at));
    linkRows(auditLogs, batch, heads);
    await database.transaction(async (session) => {
      for (const text of copyTexts(database.kind, { table: auditLogs, physical: auditLogs.name }, batch)) {
        await copy(session, auditLogs.name, columns, text);
      }
    });
  }
};
