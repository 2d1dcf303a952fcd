import { resolve } from 'node:path';
import { z } from 'zod';
import { command } from '../command.ts';
import { exitCodes } from '../exitCodes.ts';
import { Failure } from '../failure.ts';
import { type BackupLine, backup } from '../operations/backup.ts';
import { perform } from './node.ts';
import { duration } from './progress.ts';

const args = z.object({
  target: z.string().min(1),
  withKeys: z.string().optional(),
  wait: z.coerce.number().int().min(0).max(86_400).default(60),
  data: z.string().optional(),
});

const told = (line: BackupLine): string => {
  switch (line.phase) {
    case 'waiting':
      return `No deployment begins now; waiting for ${line.leases.length} to finish …`;
    case 'log':
      return 'Copying the log …';
    case 'artifacts':
      return `Copying artifacts: ${line.files} files, ${megabytes(line.bytes)}`;
  }
};

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

export const run = command(args, async ({ target, withKeys, wait, data }, cli) => {
  const wanted = {
    target: resolve(cli.cwd, target),
    keysFile: withKeys === undefined ? '' : resolve(cli.cwd, withKeys),
    waitMs: wait * 1_000,
  };
  const made = await perform(cli, data, backup, wanted, (line) => {
    if (line.phase === 'waiting') cli.note(told(line));
    else cli.status(told(line));
  });
  const isWhole = made.missingArtifacts.length === 0;
  cli.answer(
    { ok: isWhole, ...made },
    [
      `${made.backup}: ${made.events} events up to position ${made.position}, ${made.artifacts} artifacts, ${megabytes(made.bytes)}, in ${duration(made.durationMs)}.`,
      `No deployment was admitted for ${duration(made.gateClosedMs)}.`,
      ...(made.artifactsIn === 'folder' ? [] : [`Artifacts are in ${made.artifactsIn}: back that up as well.`]),
      made.keys > 0
        ? 'The keys of secrets are in the file that you named. Keep it away from the backup: together they open every secret.'
        : 'The keys of secrets are not in it: after a restore no secret opens. Save them with --with-keys.',
    ].join('\n'),
  );
  if (!isWhole) {
    throw new Failure(
      `The backup is there, but ${made.missingArtifacts.length} artifacts that revisions refer to were missing or broken: ${made.missingArtifacts.join(', ')}.`,
      { code: 'artifacts_missing', exitCode: exitCodes.unverified, answered: true },
    );
  }
});
