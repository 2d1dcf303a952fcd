import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createExportCheck, type ExportFault, type ExportProof } from '../../projections/audit/verifyExport.ts';
import type { Cli } from '../cli.ts';
import { exitCodes } from '../exitCodes.ts';
import { Failure, usage } from '../failure.ts';
import { plain } from '../paint.ts';
import { readFiles, trustedHead } from './auditKeys.ts';

type Asked = { readonly file: string; readonly head: readonly string[]; readonly key: readonly string[] };

/** Verifies an export on a machine without Opslog: it needs the file, and the public key for what was signed. */
export const verifyFile = async (cli: Cli, { file, head, key }: Asked): Promise<void> => {
  if (head.length > 0 && key.length === 0)
    throw usage('To check a head against a file, give the public key with --key.');
  const keys = await readFiles(cli, key);
  const kept = (await readFiles(cli, head)).map((text) => trustedHead(text, keys));
  const startedAt = performance.now();
  const { proof, at } = await readExport(resolve(cli.cwd, file), new Set(kept.map(({ sequence }) => sequence)));
  const durationMs = Math.round(performance.now() - startedAt);
  const signedBy = headOf(proof, keys);
  for (const { workspaceId, sequence, hash } of kept) {
    if (workspaceId !== proof.workspaceId) throw differs('A head is of another workspace than the file.');
    if (sequence > 0 && at.get(sequence) !== hash) throw differs(`The head at entry ${sequence} is not in the file.`);
  }
  cli.answer(
    { ok: true, ...proof, signedBy, heads: kept.length, durationMs },
    [
      `${proof.entries} entries of workspace ${plain(proof.workspaceId)} fit their hashes.`,
      proof.complete
        ? '  complete  from the first entry, none is missing'
        : '  filtered  nothing shows that none is missing',
      `  head      ${signedBy === '' ? 'not checked: give the public key with --key' : `signed with the key ${signedBy}`}`,
    ].join('\n'),
  );
};

/** Id of the key that signed the newest entry; '' when there is no head, or no key to check it with. */
const headOf = ({ sealedHead, newest, workspaceId }: ExportProof, keys: readonly string[]): string => {
  if (sealedHead === '' || keys.length === 0) return '';
  const { sequence, hash, workspaceId: of } = trustedHead(sealedHead, keys);
  if (of !== workspaceId || sequence !== newest.sequence || hash !== newest.hash) {
    throw differs(`The signed head is entry ${sequence}; the entries end with ${newest.sequence}.`);
  }
  const [signature] = JSON.parse(sealedHead).signatures;
  return signature.keyid;
};

const differs = (message: string, more: Readonly<Record<string, unknown>> = {}): Failure =>
  new Failure(message, { code: 'audit_differs', exitCode: exitCodes.unverified, more });

/** The proof, and the hashes at some sequences. */
const readExport = async (path: string, wanted: ReadonlySet<number>) => {
  const check = createExportCheck(wanted);
  for await (const piece of piecesOf(path)) {
    const fault = check.add(piece);
    if (fault) throw misfit(fault);
  }
  const verdict = check.finish();
  if (!verdict.ok) throw misfit(verdict.fault);
  return { proof: verdict.proof, at: check.seen };
};

const misfit = (fault: ExportFault): Failure =>
  fault.reason === 'end'
    ? differs('The file is no whole export: its last line is missing.', { fault })
    : differs(`Line ${fault.line} does not fit: ${fault.reason}.`, { fault });

async function* piecesOf(path: string): AsyncGenerator<Buffer> {
  try {
    for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 })) yield piece;
  } catch (error) {
    throw usage(`Cannot read ${path}: ${error instanceof Error ? error.message : ''}`);
  }
}
