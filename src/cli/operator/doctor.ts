import { resolve } from 'node:path';
import { z } from 'zod';
import { settings } from '../../config.ts';
import type { Cli } from '../cli.ts';
import { command } from '../command.ts';
import { performInServer } from '../control/client.ts';
import { readControl } from '../control/file.ts';
import { exitCodes } from '../exitCodes.ts';
import { Failure } from '../failure.ts';
import { type Check, doctor } from '../operations/doctor.ts';
import { plain } from '../paint.ts';
import { localChecks } from './localChecks.ts';
import { configOf } from './node.ts';
import { storeChecks } from './storeChecks.ts';

const args = z.object({ data: z.string().optional(), settings: z.boolean().default(false) });

/** Looks at everything and says what to do; fails when something is down. */
export const run = command(args, async ({ data, settings: wantsSettings }, cli) => {
  if (wantsSettings) return printSettings(cli);
  const config = configOf(cli, { OPSLOG_DATA_DIR: data });
  const dataDir = resolve(cli.cwd, config.dataDir);
  const control = await readControl(dataDir);
  const fromServer = control && (await performInServer(control, doctor, {}, () => {}, cli.signal));
  const local = await localChecks(config, dataDir, fromServer !== undefined);
  const stores = fromServer ? fromServer.result : await storeChecks(config, dataDir);
  const checks = [...local, ...stores];
  const failing = checks.filter(({ status }) => status === 'down');
  const serving = fromServer ? { pid: control.pid } : null;
  if (failing.length === 0) {
    cli.answer({ ok: true, dataDir, serving, checks }, asText(checks, cli));
    return;
  }
  if (!cli.json) cli.out(`${asText(checks, cli)}\n`);
  throw new Failure(`Down: ${failing.map(({ name }) => name).join(', ')}.`, {
    code: 'down',
    exitCode: exitCodes.refused,
    more: { dataDir, serving, checks },
  });
});

const printSettings = (cli: Cli): void => {
  const all = settings();
  const width = Math.max(...all.map(({ name }) => name.length));
  const lines = all.map(({ name, about, fallback }) => {
    const suffix = fallback === '' ? '' : cli.paint.dim(` (${fallback})`);
    return `${name.padEnd(width)}  ${about}${suffix}`;
  });
  cli.answer(
    { ok: true, settings: all },
    ['Environment variables, with what holds when they are not set:', '', ...lines].join('\n'),
  );
};

const asText = (checks: readonly Check[], { paint }: Cli): string => {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const marks = { ok: paint.green('ok  '), warn: paint.yellow('warn'), down: paint.red('down') };
  return checks
    .flatMap(({ name, status, detail, hint }) => [
      `${marks[status]}  ${name.padEnd(width)}  ${plain(detail)}`,
      ...(hint === '' ? [] : [`${' '.repeat(width + 8)}${hint}`]),
    ])
    .join('\n');
};
