import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import type { Parts } from '../../parts.ts';
import { openDatabase } from '../../platform/database/database.ts';
import type { Database } from '../../platform/database/port.ts';
import { digest, hasTables, replayInto } from '../../projections/engine/index.ts';
import { workspaceLog } from '../../projections/past/workspaceLog.ts';
import type { ReadTables } from '../../projections/schema.ts';
import { messageOf } from '../messageOf.ts';
import { type Operation, OperationRefused } from './operation.ts';
import { isWithin, type Moment, moment } from './position.ts';

const args = z.strictObject({
  /** Its id, or its slug while it has one. */
  workspace: z.string(),
  at: moment.optional(),
  /** `postgres://…`, `mysql://…` or `pglite:<folder>`; empty. */
  into: z.string(),
});

const progress = z.object({ events: z.number(), position: z.string(), head: z.string() });

const result = z.object({
  workspaceId: z.string(),
  /** How far the log was read. */
  position: z.string(),
  events: z.number(),
  tables: z.array(z.object({ table: z.string(), rows: z.number(), sha256: z.string() })),
});
export type ReplayedWorkspace = z.infer<typeof result>;

/** Builds the read tables of one workspace as of a moment in an empty database, for people to query. */
export const replayWorkspace: Operation<z.infer<typeof args>, z.infer<typeof progress>, ReplayedWorkspace> = {
  name: 'replay-workspace',
  args,
  progress,
  result,
  run: async (parts, { workspace, at, into }, onProgress, signal) => {
    const { log, tables, decode } = parts;
    const workspaceId = await findWorkspace(parts, workspace, at);
    const head = String(await log.head());
    const database = await openEmpty(into);
    try {
      const replayed = await replayInto(database, {
        ...{ log: workspaceLog(log, workspaceId), tables, decode, signal },
        ...(at && { until: 'time' in at ? at : { position: BigInt(at.position) } }),
        onProgress: ({ events, position }) => void onProgress({ events, position: String(position), head }),
      });
      const digests: ReplayedWorkspace['tables'] = [];
      for (const table of tables) digests.push({ table: table.name, ...(await digest(database, table)) });
      return { workspaceId, position: String(replayed.position), events: replayed.events, tables: digests };
    } finally {
      await database.close();
    }
  },
};

const findWorkspace = async ({ log, database }: Parts, wanted: string, at: Moment | undefined): Promise<string> => {
  const found = await database.db.selectFrom('workspaces').select('id').where('slug', '=', wanted).executeTakeFirst();
  const id = found?.id ?? wanted;
  for await (const first of log.readStream(`workspace-${id}`, { limit: 1 })) {
    if (isWithin(first, at)) return id;
    throw new OperationRefused('workspace_unknown', `The workspace ${wanted} was not there yet at that time.`);
  }
  throw new OperationRefused(
    'workspace_unknown',
    `There is no workspace ${wanted}. Give its slug, or its id: one that was deleted has no slug any more.`,
  );
};

const openEmpty = async (url: string): Promise<Database<ReadTables>> => {
  const folder = url.startsWith('pglite:') ? url.slice('pglite:'.length) : undefined;
  // Looked at before it is opened: what is no database of ours must not be touched.
  if (folder !== undefined && (await readdir(folder).catch((): string[] => [])).length > 0) throw notEmpty(folder);
  const database = await openDatabase<ReadTables>(url).catch((error: unknown) => {
    const what = `Nothing was written: the database of --into cannot be opened: ${messageOf(error)}.`;
    throw new OperationRefused('target_unreachable', `${what} It must be there, and empty.`);
  });
  if (!(await hasTables(database.session, database.kind))) return database;
  await database.close();
  throw notEmpty('the database');
};

const notEmpty = (what: string): OperationRefused =>
  new OperationRefused('target_not_empty', `Nothing was written: ${what} is not empty. Give an empty one.`);
