import type { ChainLink } from '../engine/chain.ts';
import type { ReadDatabase } from '../schema.ts';

/** The newest entry of a workspace's chain: whoever keeps it can tell later whether the chain still contains it. */
export type AuditHead = {
  readonly workspaceId: string;
  /** 0 when there is no entry yet. */
  readonly sequence: number;
  readonly hash: string;
  /** Of that entry in the log. */
  readonly position: number;
};

export type KnownHead = Pick<AuditHead, 'workspaceId' | 'sequence' | 'hash'>;

export type HeadVerdict = KnownHead & {
  /** `missing`: the chain ends before it, so newest entries were cut off. `replaced`: another entry is in its place. */
  readonly found: 'contained' | 'missing' | 'replaced';
};

/** Looks for heads among the links that pass. */
export const seekHeads = (heads: readonly KnownHead[]) => {
  const found = new Map<KnownHead, 'contained' | 'replaced'>();
  const sought = new Map<string, KnownHead[]>();
  for (const head of heads) sought.set(head.workspaceId, [...(sought.get(head.workspaceId) ?? []), head]);
  return {
    pass: ({ by, sequence, hash }: Pick<ChainLink, 'by' | 'sequence' | 'hash'>): void => {
      for (const head of sought.get(by) ?? []) {
        if (head.sequence === sequence) found.set(head, head.hash === hash ? 'contained' : 'replaced');
      }
    },
    verdicts: (): readonly HeadVerdict[] =>
      heads.map((head) => ({ ...head, found: head.sequence === 0 ? 'contained' : (found.get(head) ?? 'missing') })),
  };
};

export const findAuditHead = async (
  db: ReadDatabase,
  { workspaceId }: { readonly workspaceId: string },
): Promise<AuditHead> => {
  const row = await db
    .selectFrom('audit_logs')
    .select(['seq', 'hash', 'position'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return { workspaceId, sequence: row?.seq ?? 0, hash: row?.hash ?? '', position: row?.position ?? 0 };
};
