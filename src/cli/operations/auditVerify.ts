import { z } from 'zod';
import { openDatabase } from '../../platform/database/database.ts';
import { verifyAudit } from '../../projections/audit/verify.ts';
import { catchUp } from './catchUp.ts';
import type { Operation } from './operation.ts';

const none = z.strictObject({});

const digest = z.object({ rows: z.number(), sha256: z.string() });

const result = z.object({
  ok: z.boolean(),
  chain: z.object({
    ok: z.boolean(),
    entries: z.number(),
    broken: z.object({ workspaceId: z.string(), sequence: z.number(), reason: z.string() }).optional(),
  }),
  tables: z.object({
    ok: z.boolean(),
    compared: z.number(),
    rows: z.number(),
    differing: z.array(
      z.object({
        table: z.string(),
        found: digest,
        expected: digest,
        edited: z.number(),
        removed: z.number(),
        inserted: z.number(),
        first: z.array(z.object({ key: z.string(), kind: z.enum(['edited', 'removed', 'inserted']) })),
      }),
    ),
    /** Tables that cannot get to the end of the log. */
    behind: z.array(z.string()),
  }),
  position: z.string(),
});
export type AuditResult = z.infer<typeof result>;

/** Compares every read table with a fresh replay of the log, and checks the hash chain of the audit trail. */
export const auditVerify: Operation<z.infer<typeof none>, never, AuditResult> = {
  name: 'audit-verify',
  args: none,
  progress: z.never(),
  result,
  run: async (parts, _args, _onProgress, signal) => {
    const { log, database, tables, decode } = parts;
    const at = await log.head();
    await catchUp(parts, at, signal);
    const openScratch = () => openDatabase('pglite:memory');
    const proof = await verifyAudit({ log, database, tables, decode, openScratch, at, signal });
    return result.parse({ ...proof, position: String(proof.position) });
  },
};
