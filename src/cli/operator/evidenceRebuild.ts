import { command } from '../command.ts';
import { evidenceRebuild } from '../operations/evidenceRebuild.ts';
import { judgeRevisions, revisionArgs } from './evidenceCommand.ts';

export const run = command(revisionArgs, (args, cli) =>
  judgeRevisions(cli, evidenceRebuild, args, {
    good: 'built again: the same bytes',
    summary: 'revisions were built again; every bundle is the same, byte for byte.',
  }),
);
