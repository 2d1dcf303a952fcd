import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { type Cli, toJson } from '../cli.ts';
import { command } from '../command.ts';
import { exitCodes } from '../exitCodes.ts';
import { Failure, usage } from '../failure.ts';
import type { Moment } from '../operations/position.ts';
import { replayStream } from '../operations/replayStream.ts';
import { type ReplayResult, replayTables } from '../operations/replayTables.ts';
import { replayWorkspace } from '../operations/replayWorkspace.ts';
import { perform } from './node.ts';
import { createMeter } from './progress.ts';

const args = z.object({
  at: z.string().optional(),
  stream: z.string().optional(),
  table: z.string().optional(),
  out: z.string().optional(),
  workspace: z.string().optional(),
  into: z.string().optional(),
  data: z.string().optional(),
});

export const run = command(args, async ({ at, stream, table, out, workspace, into, data }, cli) => {
  const moment = at === undefined ? undefined : momentOf(at);
  if (workspace !== undefined || into !== undefined) {
    if (workspace === undefined || into === undefined) throw usage('Give --workspace and --into together.');
    if (stream ?? table ?? out) throw usage('--workspace and --into go with --at alone.');
    return buildWorkspace(cli, { moment, workspace, into, data });
  }
  if (stream === undefined) return showTables(cli, { moment, table, out, data });
  if (table !== undefined || out !== undefined) throw usage('Give --stream, or --table and --out, not both.');
  const folded = await perform(cli, data, replayStream, { stream, ...(moment && { at: moment }) }, () => {});
  cli.answer({ ok: true, ...folded }, JSON.stringify(folded, null, 2));
});

/** A number is a position; anything else must be a time. */
const momentOf = (text: string): Moment => {
  if (/^\d{1,19}$/.test(text)) return { position: text };
  const time = z.iso.datetime({ offset: true }).or(z.iso.date()).safeParse(text);
  if (!time.success) throw usage(`--at ${text}: neither a time like 2026-03-01T12:00:00Z nor a position.`);
  return { time: Date.parse(text) };
};

type Asked = {
  readonly moment: Moment | undefined;
  readonly table: string | undefined;
  readonly out: string | undefined;
  readonly data: string | undefined;
};

const showTables = async (cli: Cli, { moment, table, out, data }: Asked): Promise<void> => {
  const wanted = table === undefined ? (out === undefined ? [] : ('all' as const)) : [table];
  const file = out === undefined ? undefined : await create(resolve(cli.cwd, out));
  const meter = createMeter(cli, 'Replaying');
  const replayed = await perform(
    cli,
    data,
    replayTables,
    { rowsOf: wanted, ...(moment && { at: moment }) },
    async (line) => {
      if ('events' in line) meter(line.events, line.position, line.head);
      else if (file) await write(file, `${toJson(line)}\n`);
      else cli.out(`${toJson(line.row)}\n`);
    },
  );
  if (file) await new Promise<void>((done, failed) => file.once('error', failed).end(done));
  if (table !== undefined && file === undefined) {
    cli.note(`At position ${replayed.position}, after ${replayed.events} events.`);
    return;
  }
  const lines = linesOf(replayed.tables);
  const head = `The read tables at position ${replayed.position}, after ${replayed.events} events:`;
  const written = out === undefined ? [] : [`Their rows are in ${out}.`];
  cli.answer({ ok: true, ...replayed, ...(out && { out }) }, [head, ...lines, ...written].join('\n'));
};

const linesOf = (tables: ReplayResult['tables']): readonly string[] => {
  const width = Math.max(...tables.map(({ table }) => table.length));
  return tables.map(
    ({ table, rows, sha256 }) => `  ${table.padEnd(width)}  ${String(rows).padStart(8)} rows  ${sha256.slice(0, 16)}`,
  );
};

type Wanted = Pick<Asked, 'moment' | 'data'> & { readonly workspace: string; readonly into: string };

const buildWorkspace = async (cli: Cli, { moment, workspace, into, data }: Wanted): Promise<void> => {
  const isUrl = /^[a-z]+:\/\//.test(into);
  const folder = resolve(cli.cwd, into.replace(/^pglite:/, ''));
  const meter = createMeter(cli, 'Replaying');
  const replayed = await perform(
    cli,
    data,
    replayWorkspace,
    { workspace, into: isUrl ? into : `pglite:${folder}`, ...(moment && { at: moment }) },
    ({ events, position, head }) => meter(events, position, head),
  ).catch((error: unknown) => {
    const isAway = error instanceof Failure && error.code === 'target_unreachable';
    throw isAway ? new Failure(error.message, { code: error.code, exitCode: exitCodes.unreachable }) : error;
  });
  const query = 'select * from departments';
  const how = isUrl
    ? `Query it there, for example: ${query};`
    : `Query it where Opslog is installed:\n  node --input-type=module -e "import { PGlite } from '@electric-sql/pglite'; ` +
      `console.table((await new PGlite('${folder}').query('${query}')).rows)"`;
  const head = `Workspace ${replayed.workspaceId} at position ${replayed.position}, after ${replayed.events} events of it:`;
  cli.answer({ ok: true, ...replayed }, [head, ...linesOf(replayed.tables), how].join('\n'));
};

/** The read model of a company is nobody else's to read; what is there is not overwritten. */
const create = async (path: string): Promise<WriteStream> => {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  await once(file, 'open').catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(`Cannot write ${path}: ${reason}`, { code: 'file_refused', hint: 'Choose another --out.' });
  });
  return file;
};

const write = async (file: WriteStream, text: string): Promise<void> => {
  if (!file.write(text)) await once(file, 'drain');
};
