import { z } from 'zod';
import type { Cli } from '../cli.ts';
import { exitCodes } from '../exitCodes.ts';
import { Failure } from '../failure.ts';
import type { Operation } from '../operations/operation.ts';
import type { CheckedRevision, RevisionFilter } from '../operations/submissions.ts';
import { perform } from './node.ts';

export const revisionArgs = z.object({
  revisions: z.array(z.coerce.number().int().positive()).default([]),
  worker: z.string().optional(),
  department: z.string().optional(),
  data: z.string().optional(),
});

type Check = Operation<RevisionFilter, CheckedRevision, { checked: number; failed: number }>;

/** Judges revisions one by one and shows each; fails with its own exit code when one does not fit. */
export const judgeRevisions = async (
  cli: Cli,
  check: Check,
  { revisions, worker, department, data }: z.infer<typeof revisionArgs>,
  words: { readonly good: string; readonly summary: string },
): Promise<void> => {
  const judged: CheckedRevision[] = [];
  const filter = {
    revisions,
    ...(worker !== undefined && { workerId: worker }),
    ...(department !== undefined && { departmentId: department }),
  };
  const { checked, failed } = await perform(cli, data, check, filter, (each) => {
    judged.push(each);
    const mark = each.ok ? cli.paint.green('ok  ') : cli.paint.red('fail');
    const what = each.ok ? words.good : each.problem;
    cli.note(`${mark}  ${each.workerId}  revision ${each.revision}  ${each.bundleDigest.slice(0, 16)}  ${what}`);
  });
  if (failed > 0) {
    throw new Failure(`${failed} of ${checked} revisions do not fit their evidence.`, {
      code: 'evidence_differs',
      exitCode: exitCodes.unverified,
      more: { checked, failed, revisions: judged },
    });
  }
  cli.answer({ ok: true, checked, failed, revisions: judged }, `${checked} ${words.summary}`);
};
