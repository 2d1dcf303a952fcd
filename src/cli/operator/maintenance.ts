import { z } from 'zod';
import type { Cli } from '../cli.ts';
import { command } from '../command.ts';
import { maintenance, type ScopeStatus } from '../operations/maintenance.ts';
import { plain } from '../paint.ts';
import { perform } from './node.ts';

const common = { data: z.string().optional(), scope: z.string().default('') };

export const begin = command(z.object({ ...common, reason: z.string() }), async ({ data, scope, reason }, cli) =>
  show(cli, await perform(cli, data, maintenance, { do: 'begin', scope, reason }, () => {})),
);
export const end = command(z.object(common), async ({ data, scope }, cli) =>
  show(cli, await perform(cli, data, maintenance, { do: 'end', scope }, () => {})),
);
export const status = command(z.object(common), async ({ data, scope }, cli) =>
  show(cli, await perform(cli, data, maintenance, { do: 'status', scope }, () => {})),
);

const show = (cli: Cli, shown: ScopeStatus): void => cli.answer({ ok: true, ...shown }, asText(shown));

const asText = ({ scope, gate, state, epoch, reason, restoring, backup, backedUpTo, leases }: ScopeStatus): string =>
  [
    `${scope}: the gate is ${gate}, epoch ${epoch}.`,
    ...(state === 'unregistered' ? ['Nobody has started a node of this scope.'] : []),
    ...(state === 'active' ? [`Maintenance is under way: ${plain(reason)}`] : []),
    ...(restoring ? ['Restored from a backup; the node has still to run what the log says.'] : []),
    ...(backup ? [`Backup ${backup.fenceId} is under way (${backup.phase}), by ${backup.owner}.`] : []),
    ...(leases.length > 0 ? [`Being carried out: ${leases.join(', ')}`] : []),
    backedUpTo === '' ? 'There has been no backup.' : `The last backup ends at position ${backedUpTo}.`,
  ].join('\n');
