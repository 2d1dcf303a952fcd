import { z } from 'zod';
import { command } from '../command.ts';
import { Failure } from '../failure.ts';
import { keepFilesPrivate } from './privacy.ts';

const args = z.object({
  exit: z.boolean().default(false),
  services: z.boolean().default(false),
  provider: z.enum(['workerd', 'cloudflare']).default('workerd'),
  data: z.string().optional(),
});

/** A demonstration must not write into somebody's servers because their addresses happen to be in the environment. */
const embedded = {
  EVENTSTORE_URL: undefined,
  DATABASE_URL: undefined,
  NATS_URL: undefined,
  OPSLOG_ROLES: undefined,
  OPSLOG_SHARED_DIR: undefined,
  OPSLOG_ARTIFACTS_URL: undefined,
  OPSLOG_EDGE_PROVIDER: undefined,
  CLOUDFLARE_ACCOUNT_ID: undefined,
  CLOUDFLARE_API_TOKEN: undefined,
  CLOUDFLARE_API_URL: undefined,
};

/** Plays the main job on everything embedded and, unless told to end, stays up afterwards. */
export const run = command(args, async ({ exit, services, provider, data }, cli) => {
  keepFilesPrivate();
  const { runDemo } = await import('../../demo/demo.ts');
  let failure: Failure | undefined;
  await runDemo({
    exit,
    provider,
    env: { ...cli.env, ...(services ? {} : embedded), ...(data !== undefined && { OPSLOG_DATA_DIR: data }) },
    signal: cli.signal,
    say: (line) => (cli.json ? cli.note(line) : cli.out(`${line}\n`)),
    answer: (result) => {
      if (result.ok || cli.json) cli.answer(result, 'Everything went as it should.');
      if (!result.ok) {
        const reason = result.reason ?? 'unknown';
        failure = new Failure(`The demo failed: ${reason}`, { code: 'demo_failed', answered: true });
      }
    },
  });
  if (failure) throw failure;
});
