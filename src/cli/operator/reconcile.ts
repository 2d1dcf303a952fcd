import { z } from 'zod';
import type { Cli } from '../cli.ts';
import { command } from '../command.ts';
import { exitCodes } from '../exitCodes.ts';
import { Failure } from '../failure.ts';
import { type Reconciled, type ReconciledFinding, reconcile } from '../operations/reconcile.ts';
import { plain } from '../paint.ts';
import { perform } from './node.ts';

const args = z.object({
  provider: z.enum(['workerd', 'cloudflare']).optional(),
  apply: z.boolean().default(false),
  data: z.string().optional(),
});

export const run = command(args, async ({ provider = '', apply, data }, cli) => {
  const reconciled = await perform(cli, data, reconcile, { provider, apply }, (line) => cli.status(line));
  const { providers } = reconciled;
  const failed = providers.filter(({ status }) => status !== 'succeeded');
  const found = providers.reduce((sum, each) => sum + each.found, 0);
  if (failed.length === 0 && found === 0) {
    cli.answer({ ok: true, applied: apply, ...reconciled }, asText(reconciled, cli));
    return;
  }
  if (!cli.json) cli.out(`${asText(reconciled, cli)}\n`);
  const more = { applied: apply, ...reconciled };
  if (failed.length > 0) {
    const names = failed.map((each) => each.provider).join(', ');
    throw new Failure(`Not every provider could be looked at: ${names}.`, { code: 'provider_unreadable', more });
  }
  throw new Failure(found === 1 ? 'There is one finding.' : `There are ${found} findings.`, {
    code: 'reconciliation_found',
    exitCode: exitCodes.unverified,
    hint: apply
      ? 'Run it again when the jobs and deployments that it began are done.'
      : 'Run it with --apply to put right what can be.',
    more,
  });
});

const asText = ({ providers }: Reconciled, { paint }: Cli): string =>
  providers
    .flatMap(({ provider, status, detail, found, findings }) => [
      `${found === 0 && status === 'succeeded' ? paint.green('ok  ') : paint.red('look')}  ${provider}  ${plain(detail)}`,
      ...findings.map(lineOf),
      ...(found > findings.length ? [`      … and ${found - findings.length} more`] : []),
    ])
    .join('\n');

const lineOf = ({ kind, scriptName, expected, found, by, did, action }: ReconciledFinding): string => {
  const who = by === '' ? '' : ` by ${plain(by)}`;
  const should = expected === '' ? '' : `, should be ${expected}`;
  return `      ${kind.padEnd(8)} ${plain(scriptName)}  ${plain(found)}${who}${should}; proposed: ${action}; done: ${did}`;
};
