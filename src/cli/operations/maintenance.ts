import { z } from 'zod';
import { readScope, sendMaintenance } from '../../commands/edgeMaintenance.ts';
import { isOpen } from '../../domain/edgeMaintenance/index.ts';
import type { Parts } from '../../parts.ts';
import { type Operation, OperationRefused } from './operation.ts';

/** '' is the scope of this node. */
const scope = z.string();
const reason = z.string().trim().min(1).max(255);

const args = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('begin'), scope, reason }),
  z.strictObject({ do: z.literal('end'), scope }),
  z.strictObject({ do: z.literal('status'), scope }),
]);

const scopeStatus = z.object({
  scope: z.string(),
  gate: z.enum(['open', 'closed']),
  /** `unregistered`: nobody has started a node of this scope; its gate is closed. */
  state: z.enum(['idle', 'active', 'unregistered']),
  epoch: z.number(),
  reason: z.string(),
  restoring: z.boolean(),
  backup: z.object({ fenceId: z.string(), owner: z.string(), phase: z.string(), expiresAt: z.number() }).nullable(),
  /** Where the last completed backup ends; '' when there was none. */
  backedUpTo: z.string(),
  /** Deployments that go on until they are finished. */
  leases: z.array(z.string()),
});
export type ScopeStatus = z.infer<typeof scopeStatus>;

/** Opens and closes the gate of a scope, and shows how it stands. Doing it twice is fine. */
export const maintenance: Operation<z.infer<typeof args>, never, ScopeStatus> = {
  name: 'maintenance',
  args,
  progress: z.never(),
  result: scopeStatus,
  run: async (parts, wanted) => {
    const at = { ...parts, scope: wanted.scope === '' ? parts.scope : wanted.scope };
    if (wanted.do !== 'status') {
      const command =
        wanted.do === 'begin'
          ? ({ type: 'BeginEdgeMaintenance', data: { reason: wanted.reason } } as const)
          : ({ type: 'EndEdgeMaintenance', data: {} } as const);
      const sent = await sendMaintenance(at, command, 'operator');
      if (!sent.ok) throw new OperationRefused('scope_not_found', `${at.scope}: ${sent.rejection.reason}`);
    }
    return statusOf(at);
  },
};

const statusOf = async (parts: Parts): Promise<ScopeStatus> => {
  const state = await readScope(parts);
  const gate = isOpen(state) ? 'open' : 'closed';
  const leases = [...(await parts.queries.leasedDeployments({ scope: parts.scope, now: Date.now() }).catch(() => []))];
  const none = { reason: '', restoring: false, backup: null, backedUpTo: '' };
  if (state.status === 'absent') return { scope: parts.scope, gate, state: 'unregistered', epoch: 0, ...none, leases };
  const { status, epoch, reason: why, restoring, backup, backedUpTo } = state;
  return {
    ...{ scope: parts.scope, gate, state: status, epoch, reason: why, restoring, backedUpTo, leases },
    backup: backup ?? null,
  };
};
