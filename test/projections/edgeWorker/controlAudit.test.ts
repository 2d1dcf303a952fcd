import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEveryDatabase } from '../../support/database.ts';
import { fact, type ProjectionWorld, startProjection } from '../../support/projection.ts';

await onEveryDatabase('a refused action', (target) => {
  let world: ProjectionWorld;
  beforeAll(async () => {
    world = await startProjection(target);
  });
  afterAll(() => world.stop());

  const id = 'i'.repeat(64);
  const ticketId = 't'.repeat(64);
  const refused = {
    ...{ action: 'a'.repeat(200), resourceType: 'deployment', resourceId: ticketId, result: 'denied' as const },
    ...{ reasonCode: 'c'.repeat(100), digest: 'd'.repeat(64) },
  };

  it('is an intent that is done and one audit row; words are cut, ids never, and nobody has it to do', async () => {
    await world
      .given()
      .when(
        fact(`controlAudit-${id}`, { type: 'ControlActionRefused', data: refused }),
        fact('controlAudit-sum', { type: 'ControlRefusalsOmitted', data: { count: 7, windowStart: 0, windowMs: 1 } }),
      )
      .then({
        edge_worker_outbox: [
          { ...{ id, ticket_id: id, operation: 'control_audit', status: 'completed', dedupe_key: id } },
        ],
      });
    const rows = await world.rows('edge_worker_audit_logs');
    expect(rows).toHaveLength(2);
    expect(rows).toContainEqual(
      expect.objectContaining({
        ...{ action: 'a'.repeat(128), resource_type: 'deployment', resource_id: ticketId, ticket_id: ticketId },
        ...{ result: 'denied', reason_code: 'c'.repeat(64), digest: 'd'.repeat(64), actor_id: 'user-1' },
      }),
    );
    expect(rows).toContainEqual(
      expect.objectContaining({ action: 'ControlRefusalsOmitted', result: 'refused', reason_code: 'omitted:7' }),
    );
    expect(await world.queries.dueTickets({ now: 9_000_000_000_000, limit: 10 })).toEqual([]);
  });

  it('comes out of the audit by its status', async () => {
    const asked = { workspaceId: 'company-1', departmentIds: undefined, limit: 10 };
    expect((await world.queries.audit({ ...asked, status: 'refused' })).rows).toHaveLength(2);
    expect((await world.queries.audit({ ...asked, status: 'success' })).rows).toEqual([]);
  });
});
