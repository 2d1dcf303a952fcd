import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { systemEnvelope } from '../../src/sagas/envelope.ts';
import { idOf, must } from '../matrix/fullWorkspace.ts';
import type { Giver } from './renew.ts';

/** A test message that its receiver did not want, given up. */
export const aDeadDelivery = async ({ world, own: { token, base, ids } }: Giver): Promise<string> => {
  // Somebody may have paused it.
  await must(world, 'POST', `${base}/webhooks/${ids.webhookId}/resume`, { token });
  const jobId = idOf(await must(world, 'POST', `${base}/webhooks/${ids.webhookId}/test`, { token }), 'deliveryId');
  const context = { workspaceId: ids.workspaceId, departmentId: '', requestId: '', correlationId: '', causationId: '' };
  const [leaseId, now] = [randomUUID(), Date.now()];
  const lease = { leaseId, holder: 'test', now, leasedUntil: now + 60_000, takeover: false };
  const outcome = { outcome: 'retry', detail: 'HTTP 503 in 1 ms', nextAttemptAt: now + 1_000 } as const;
  const commands = [
    { type: 'LeaseJob', data: lease },
    { type: 'ReportJob', data: { leaseId, startedAt: now, durationMs: 1, outcome } },
  ] as const;
  for (const command of commands) {
    const sent = await world.aggregates.job.send(
      jobId,
      command,
      systemEnvelope('runner', context, command.type, leaseId),
    );
    expect(sent).toMatchObject({ ok: true });
  }
  return jobId;
};
