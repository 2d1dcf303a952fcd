import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Config, readConfig } from '../../config.ts';
import { createLog } from '../../platform/log/pino.ts';
import type { Cli } from '../cli.ts';
import { performInServer } from '../control/client.ts';
import { readControl } from '../control/file.ts';
import { exitCodes } from '../exitCodes.ts';
import { Failure } from '../failure.ts';
import { type Operation, OperationRefused } from '../operations/operation.ts';
import { keepFilesPrivate } from './privacy.ts';
import { startFailure } from './startFailure.ts';

/** The configuration of the environment, with the options of the command line over it. */
export const configOf = (cli: Cli, over: Readonly<Record<string, string | undefined>>): Config => {
  const given = Object.fromEntries(Object.entries(over).filter(([, value]) => value !== undefined));
  const read = readConfig({ ...cli.env, ...given });
  if (read.ok) return read.config;
  throw new Failure(`The configuration is not right:\n${read.problems.map((each) => `  ${each}`).join('\n')}`, {
    code: 'configuration_invalid',
    exitCode: exitCodes.usage,
    hint: 'Run "opslog doctor --settings" to see every variable.',
  });
};

/**
 * Runs an operation where the stores are: inside the server that holds the data folder when there is one, otherwise in
 * this process, which then holds them itself until it is done.
 */
export const perform = async <Args, Progress, Result>(
  cli: Cli,
  data: string | undefined,
  operation: Operation<Args, Progress, Result>,
  args: Args,
  onProgress: (progress: Progress) => Promise<void> | void,
): Promise<Result> => {
  const config = configOf(cli, { OPSLOG_DATA_DIR: data });
  const control = await readControl(resolve(cli.cwd, config.dataDir));
  const remote = control && (await performInServer(control, operation, args, onProgress, cli.signal));
  return remote ? remote.result : performHere(cli, config, operation, args, onProgress);
};

const performHere = async <Args, Progress, Result>(
  cli: Cli,
  config: Config,
  operation: Operation<Args, Progress, Result>,
  args: Args,
  onProgress: (progress: Progress) => Promise<void> | void,
): Promise<Result> => {
  const dataDir = resolve(cli.cwd, config.dataDir);
  const isElsewhere = config.eventStoreUrl !== undefined && config.databaseUrl !== undefined;
  if (!isElsewhere && !existsSync(dataDir)) {
    throw new Failure(`There is no data in ${dataDir}.`, {
      code: 'data_missing',
      hint: 'Name the folder of the node with --data or OPSLOG_DATA_DIR; "opslog serve" creates one.',
    });
  }
  keepFilesPrivate();
  const { openParts } = await import('../../parts.ts');
  const parts = await openParts(config, { logger: createLog('error') }).catch((error: unknown) => {
    throw startFailure(error);
  });
  try {
    return await operation.run(parts, args, onProgress, cli.signal);
  } catch (error) {
    if (error instanceof OperationRefused) throw new Failure(error.message, { code: error.code });
    throw error;
  } finally {
    await parts.close();
  }
};
