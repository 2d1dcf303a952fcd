import { resolve } from 'node:path';
import { z } from 'zod';
import { answerOf, OpslogProblem } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { Failure } from '../failure.ts';
import { plain } from '../paint.ts';
import { finishDeployment, waitArgs } from './finish.ts';
import { type Package, packFolder } from './pack.ts';
import { remoteCommand } from './remote.ts';
import { readSettings, settingsFile } from './settings.ts';
import { sourceFailure } from './sourceError.ts';
import { findTarget, type Target } from './target.ts';

const deployArgs = waitArgs.extend({ supersede: z.boolean().default(false) });

/** Packs, submits, deploys, and follows the deployment to its end. */
export const run = remoteCommand(deployArgs, async ({ wait, supersede, ...args }, cli) => {
  const folder = resolve(cli.cwd, args.folder);
  // Without it this may be any folder, a home for example, and all of it would be sent.
  if (!(await readSettings(folder))) {
    throw new Failure(`${folder} has no ${settingsFile}, so it is no worker.`, {
      code: 'settings_missing',
      hint: 'Name the folder of a worker, or write a starter with "opslog init".',
    });
  }
  const target = await findTarget(cli, args);
  const packed = await packFolder(target.folder);
  report(packed, cli);
  const submitted = await submit(cli, target, packed);
  const { revision, bundleBytes, warnings } = submitted;
  cli.note(`Built revision ${revision}: ${kibibytes(bundleBytes)}, ${submitted.bundleDigest.slice(0, 16)}`);
  for (const warning of warnings) cli.note(`${cli.paint.yellow('warning')}: ${plain(warning)}`);
  const admitted = await answerOf(
    target.client.POST('/workspaces/{workspaceId}/departments/{departmentId}/worker/deployments', {
      params: { path: target.path },
      body: { revision, ...(supersede && { supersede }) },
      signal: cli.signal,
    }),
  );
  await finishDeployment(cli, target, admitted, wait);
});

const submit = async (cli: Cli, { client, path, folder }: Target, { archive }: Package) => {
  try {
    return await answerOf(
      client.POST('/workspaces/{workspaceId}/departments/{departmentId}/worker/revisions', {
        params: { path },
        body: archive,
        bodySerializer: () => archive,
        headers: { 'Content-Type': 'application/gzip' },
        signal: cli.signal,
      }),
    );
  } catch (error) {
    throw (error instanceof OpslogProblem && (await sourceFailure(error, folder, cli.paint))) || error;
  }
};

const mostLines = 8;

const report = ({ files, bytes, archive, leftOut, missing }: Package, cli: Cli): void => {
  cli.note(`Packed ${files.length} files, ${kibibytes(bytes)} (${kibibytes(archive.length)} compressed)`);
  for (const { path, why } of leftOut.slice(0, mostLines))
    cli.note(cli.paint.dim(`  left out ${plain(path)} (${why})`));
  if (leftOut.length > mostLines) cli.note(cli.paint.dim(`  left out ${leftOut.length - mostLines} more`));
  if (missing.length > 0) {
    cli.note(`${cli.paint.yellow('warning')}: not installed: ${missing.join(', ')}; run your package manager first.`);
  }
};

const kibibytes = (bytes: number): string => (bytes < 1_024 ? `${bytes} B` : `${(bytes / 1_024).toFixed(1)} KiB`);
