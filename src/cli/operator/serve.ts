import { z } from 'zod';
import { createLog } from '../../platform/log/pino.ts';
import { command } from '../command.ts';
import { configOf } from './node.ts';
import { keepFilesPrivate } from './privacy.ts';
import { startFailure } from './startFailure.ts';

const args = z.object({
  data: z.string().optional(),
  port: z.string().optional(),
  edgePort: z.string().optional(),
});

/** Runs everything in one process until Ctrl-C. */
export const run = command(args, async ({ data, port, edgePort }, cli) => {
  keepFilesPrivate();
  const config = configOf(cli, { OPSLOG_DATA_DIR: data, OPSLOG_PORT: port, OPSLOG_EDGE_PORT: edgePort });
  const { startOpslog } = await import('../../compose.ts');
  const logger = createLog(config.logLevel);
  const running = await startOpslog(config, { logger }).catch((error: unknown) => {
    throw startFailure(error);
  });
  try {
    const { url, edgeUrl, adminPassword } = running;
    const admin = { email: config.admin.email, ...(adminPassword !== undefined && { password: adminPassword }) };
    cli.answer({ ok: true, url, edgeUrl, admin }, welcome(url, edgeUrl, admin));
    await untilAborted(cli.signal);
    cli.note('Stopping …');
  } finally {
    await running.close();
  }
});

const welcome = (url: string, edgeUrl: string, admin: { email: string; password?: string }): string =>
  [
    `Opslog answers at ${url} (documentation at ${url}/docs).`,
    `Workers answer at ${edgeUrl}.`,
    ...(admin.password === undefined
      ? []
      : [
          '',
          'This is a fresh installation. Sign in with',
          `  e-mail    ${admin.email}`,
          `  password  ${admin.password}`,
          'The password is not shown again. It lasts a day: sign in with "opslog login", change it with "opslog password".',
        ]),
  ].join('\n');

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
