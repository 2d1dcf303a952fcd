import { z } from 'zod';
import { verifyAuditChain } from '../../projections/audit/verify.ts';
import type { Operation } from './operation.ts';

export const knownHead = z.strictObject({ workspaceId: z.string(), sequence: z.number(), hash: z.string() });
export const judgedHead = knownHead.extend({ found: z.enum(['contained', 'missing', 'replaced']) });
export const brokenChain = z.object({ workspaceId: z.string(), sequence: z.number(), reason: z.string() });

const args = z.strictObject({ heads: z.array(knownHead) });

const result = z.object({
  ok: z.boolean(),
  /** Checked, up to the first one that does not fit. */
  entries: z.number(),
  chains: z.number(),
  broken: brokenChain.optional(),
  heads: z.array(judgedHead),
  durationMs: z.number(),
});
export type ChainResult = z.infer<typeof result>;

/** The hash chains of the audit trail alone, without the log: fast, and blind to newest entries that were cut off. */
export const auditChain: Operation<z.infer<typeof args>, never, ChainResult> = {
  name: 'audit-chain',
  args,
  progress: z.never(),
  result,
  run: async ({ database }, { heads }) => {
    const startedAt = performance.now();
    const verdict = await database.snapshot((session) => verifyAuditChain(session, database, heads));
    const durationMs = Math.round(performance.now() - startedAt);
    const { entries, found } = verdict;
    const ok = verdict.ok && found.every((head) => head.found === 'contained');
    if (verdict.ok) return { ok, entries, chains: verdict.heads.size, heads: [...found], durationMs };
    const broken = { workspaceId: verdict.by, sequence: verdict.sequence, reason: verdict.reason };
    return { ok, entries, chains: 0, broken, heads: [...found], durationMs };
  },
};
