import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { runEventStore } from '../../platform/eventstore/standalone.ts';
import { command } from '../command.ts';
import { exitCodes } from '../exitCodes.ts';
import { Failure, usage } from '../failure.ts';
import { keepFilesPrivate } from './privacy.ts';

const args = z.object({
  data: z.string().default('./data/eventstore'),
  port: z.coerce.number().int().min(0).max(65_535).default(2113),
  keyFile: z.string().optional(),
});

/** Runs the event store until Ctrl-C. */
export const run = command(args, async ({ data, port, keyFile }, cli) => {
  keepFilesPrivate();
  const dataDir = resolve(cli.cwd, data);
  const accessKey = keyFile === undefined ? undefined : await readKey(resolve(cli.cwd, keyFile));
  if (accessKey === undefined)
    cli.note('Every user of this machine may read and write it: --key-file keeps others out.');
  const ready = ({ port: listening, connectionString }: { port: number; connectionString: string }): void => {
    cli.answer(
      { ok: true, connectionString, port: listening, dataDir },
      `The event store listens. Use it with\n  EVENTSTORE_URL='${connectionString}'`,
    );
    cli.note(`Events are kept in ${dataDir}. Stop it with Ctrl-C.`);
  };
  await runEventStore({
    port,
    dataDir,
    signal: cli.signal,
    ready,
    ...(accessKey !== undefined && { accessKey }),
  }).catch((error: unknown) => {
    throw asFailure(error, port);
  });
});

/** The key goes into a connection string as it is. */
const readKey = async (path: string): Promise<string> => {
  const key = await readFile(path, 'utf8').catch(() => undefined);
  if (key !== undefined && /^[0-9A-Za-z_-]{16,200}$/.test(key.trim())) return key.trim();
  throw usage(`${path} holds no key of 16 to 200 letters, digits, "-" or "_".`, 'Make one: openssl rand -hex 32 > key');
};

const asFailure = (error: unknown, port: number): unknown => {
  if (!(error instanceof Error)) return error;
  if (error.name === 'DataFolderInUse') {
    return new Failure(error.message, {
      code: 'folder_in_use',
      hint: 'Stop the other process, or choose another --data.',
    });
  }
  if (/EADDRINUSE|address already in use|No address added/i.test(error.message)) {
    return new Failure(`Port ${port} is taken.`, {
      code: 'port_taken',
      exitCode: exitCodes.refused,
      hint: 'Choose another --port, or 0 for any.',
    });
  }
  return error;
};
