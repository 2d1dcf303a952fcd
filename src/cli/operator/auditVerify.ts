import { z } from 'zod';
import type { Cli } from '../cli.ts';
import { command } from '../command.ts';
import { exitCodes } from '../exitCodes.ts';
import { Failure, usage } from '../failure.ts';
import { auditChain, type ChainResult } from '../operations/auditChain.ts';
import { type AuditResult, auditVerify } from '../operations/auditVerify.ts';
import { evidenceKey } from '../operations/evidenceKey.ts';
import { plain } from '../paint.ts';
import { verifyFile } from './auditFile.ts';
import { readFiles, trustedHead } from './auditKeys.ts';
import { perform } from './node.ts';

const files = z.array(z.string()).default([]);
const args = z.object({
  chain: z.boolean().default(false),
  head: files,
  key: files,
  file: z.string().optional(),
  data: z.string().optional(),
});

export const run = command(args, async ({ data, chain, head, key, file }, cli) => {
  if (file !== undefined) {
    if (chain) throw usage('--chain is for the table of a node; a file has nothing but its chain.');
    return verifyFile(cli, { file, head, key });
  }
  const heads = await trustedHeads(cli, data, head, key);
  // A head that is no longer there settles it, and is found in a moment; the comparison with the log takes long.
  if (chain || heads.length > 0) judgeChain(cli, await perform(cli, data, auditChain, { heads }, () => {}), chain);
  if (chain) return;
  cli.status('Comparing every read table with a fresh replay of the log …');
  const proof = await perform(cli, data, auditVerify, {}, () => {});
  if (proof.ok) {
    cli.answer({ ...proof, heads: heads.length }, asText(proof, cli));
    return;
  }
  if (!cli.json) cli.out(`${asText(proof, cli)}\n`);
  const { ok: _, ...more } = proof;
  throw new Failure('What the tables hold is not what the log says.', {
    code: 'audit_differs',
    exitCode: exitCodes.unverified,
    hint: 'Find out who wrote to the database, then run "opslog rebuild": the log is the truth.',
    more,
  });
});

/** Of this installation's key, or of those given: an old one, or that of another installation. */
const trustedHeads = async (cli: Cli, data: string | undefined, head: readonly string[], key: readonly string[]) => {
  if (head.length === 0) return [];
  const { publicKey } = await perform(cli, data, evidenceKey, {}, () => {});
  const keys = [publicKey, ...(await readFiles(cli, key))];
  return (await readFiles(cli, head)).map((text) => {
    const { workspaceId, sequence, hash } = trustedHead(text, keys);
    return { workspaceId, sequence, hash };
  });
};

/** Says what was found when it is all that was asked for; throws Failure when something does not fit. */
const judgeChain = (cli: Cli, result: ChainResult, isAll: boolean): void => {
  const { ok, entries, chains, broken, heads, durationMs } = result;
  if (ok) {
    const perSecond = Math.round((entries / Math.max(1, durationMs)) * 1_000);
    const text = `${entries} audit entries in ${chains} chains fit their hashes, ${perSecond} a second; heads found: ${heads.length}`;
    if (isAll) cli.answer(result, text);
    return;
  }
  const { ok: _, ...more } = result;
  const lost = heads.filter(({ found }) => found !== 'contained');
  const message = broken
    ? `The chain of workspace ${plain(broken.workspaceId) || '(none)'} breaks at entry ${broken.sequence}: ${broken.reason}.`
    : lost
        .map(({ workspaceId, sequence, found }) =>
          found === 'missing'
            ? `The chain of workspace ${plain(workspaceId)} ends before entry ${sequence}, which was signed: newest entries were cut off.`
            : `Entry ${sequence} of workspace ${plain(workspaceId)} is another one than was signed: the chain was replaced.`,
        )
        .join('\n');
  throw new Failure(message, {
    code: 'audit_differs',
    exitCode: exitCodes.unverified,
    hint: 'Find out who wrote to the database, then run "opslog rebuild": the log is the truth.',
    more,
  });
};

const asText = ({ chain, tables, position }: AuditResult, { paint }: Cli): string => {
  const mark = (fits: boolean): string => (fits ? paint.green('ok  ') : paint.red('fail'));
  const { broken } = chain;
  const { differing, behind } = tables;
  return [
    `${mark(chain.ok)}  hash chain   ${chain.entries} audit entries`,
    ...(broken ? [`      workspace ${broken.workspaceId}, entry ${broken.sequence}: ${broken.reason}`] : []),
    `${mark(tables.ok)}  read tables  ${tables.compared} tables, ${tables.rows} rows against the log up to ${position}`,
    ...differing.flatMap(({ table, edited, removed, inserted, first }) => [
      `      ${table}: ${edited} edited, ${removed} removed, ${inserted} inserted`,
      ...first.map(({ key, kind }) => `        ${kind} ${plain(key)}`),
    ]),
    ...(behind.length > 0 ? [`      behind the log: ${behind.join(', ')}`] : []),
  ].join('\n');
};
