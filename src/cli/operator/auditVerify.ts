import { z } from 'zod';
import type { Cli } from '../cli.ts';
import { command } from '../command.ts';
import { exitCodes } from '../exitCodes.ts';
import { Failure } from '../failure.ts';
import { type AuditResult, auditVerify } from '../operations/auditVerify.ts';
import { plain } from '../paint.ts';
import { perform } from './node.ts';

const args = z.object({ data: z.string().optional() });

export const run = command(args, async ({ data }, cli) => {
  cli.status('Comparing every read table with a fresh replay of the log …');
  const proof = await perform(cli, data, auditVerify, {}, () => {});
  if (proof.ok) {
    cli.answer(proof, asText(proof, cli));
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
