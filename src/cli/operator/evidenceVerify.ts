import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { verifyEvidence } from '../../platform/evidence/verify.ts';
import type { Cli } from '../cli.ts';
import { command } from '../command.ts';
import { exitCodes } from '../exitCodes.ts';
import { Failure, usage } from '../failure.ts';
import { evidenceVerify } from '../operations/evidenceVerify.ts';
import { judgeRevisions, revisionArgs } from './evidenceCommand.ts';

const file = z.string().optional();
const args = revisionArgs.extend({ bundle: file, sbom: file, receipt: file, key: file });

export const run = command(args, async ({ bundle, sbom, receipt, key, ...stored }, cli) => {
  const given = [bundle, sbom, receipt, key].filter((each) => each !== undefined);
  if (given.length === 0) {
    return judgeRevisions(cli, evidenceVerify, stored, {
      good: 'signature, bundle, SBOM and source fit',
      summary: 'revisions fit their evidence.',
    });
  }
  if (bundle === undefined || sbom === undefined || receipt === undefined || key === undefined) {
    throw usage('To check files, give all of --bundle, --sbom, --receipt and --key.');
  }
  await verifyFiles(cli, { bundle, sbom, receipt, key });
});

type Files = Readonly<Record<'bundle' | 'sbom' | 'receipt' | 'key', string>>;

/** Needs nothing but the four files: no server, no network. */
const verifyFiles = async (cli: Cli, files: Files): Promise<void> => {
  const [bundle, sbom, receipt, key] = await Promise.all(
    [files.bundle, files.sbom, files.receipt, files.key].map((path) => read(resolve(cli.cwd, path))),
  );
  if (!bundle || !sbom || !receipt || !key) return;
  const verified = verifyEvidence({
    bundle,
    sbom: sbom.toString('utf8'),
    buildReceipt: receipt.toString('utf8'),
    publicKeys: [key.toString('utf8')],
  });
  if (!verified.ok) {
    throw new Failure(`The files do not fit: ${verified.problem}.`, {
      code: 'evidence_differs',
      exitCode: exitCodes.unverified,
      more: { problem: verified.problem },
    });
  }
  const { keyId, bundleDigest, sourceDigest, builder } = verified;
  cli.answer(
    { ...verified },
    [
      'Signature, bundle and SBOM fit.',
      `  bundle   ${bundleDigest}`,
      `  source   ${sourceDigest}`,
      `  key      ${keyId}`,
      `  builder  Opslog ${builder.opslog} with esbuild ${builder.esbuild}`,
    ].join('\n'),
  );
};

const read = async (path: string): Promise<Buffer> => {
  try {
    return await readFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(`Cannot read ${path}: ${reason}`, { code: 'file_unreadable' });
  }
};
