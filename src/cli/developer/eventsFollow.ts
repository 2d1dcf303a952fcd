import { z } from 'zod';
import { type FollowedEvent, followEvents } from '../../client/index.ts';
import { clip } from '../../domain/kernel.ts';
import { type Paint, plain } from '../paint.ts';
import { remoteCommand } from './remote.ts';
import { findWorkspaceTarget, given, workspaceArgs } from './workspaceTarget.ts';

const args = workspaceArgs.extend({
  after: z
    .string()
    .regex(/^\d{1,16}$/, 'must be a position of the log, a whole number')
    .optional(),
  type: z.string().optional(),
  resourceType: z.string().optional(),
  resourceId: z.string().optional(),
});

export const run = remoteCommand(args, async ({ workspace, url, after, ...filter }, cli) => {
  const { client, path } = await findWorkspaceTarget(cli, { workspace, url });
  await followEvents(client, {
    ...{ path, signal: cli.signal, filter: given(filter), ...(after !== undefined && { after }) },
    onEvent: (event) => cli.answer(event, lineOf(event, cli.paint)),
  });
});

const longest = 120;

const lineOf = ({ time, position, type, subject, data }: FollowedEvent, paint: Paint): string => {
  const text = JSON.stringify(data) ?? '';
  const shown = text.length > longest ? `${clip(text, longest)}…` : text;
  return [
    paint.dim(time),
    position.padStart(10),
    paint.cyan(plain(type.replace(/^opslog\./, ''))),
    plain(subject),
    plain(shown),
  ].join('  ');
};
