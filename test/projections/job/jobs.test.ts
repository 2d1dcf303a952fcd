import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JobEvent } from '../../../src/domain/job/index.ts';
import * as a from '../../support/jobFacts.ts';
import { embedded, type Fact, fact, type ProjectionWorld, startProjection } from '../../support/projection.ts';

describe('the table of jobs', () => {
  let world: ProjectionWorld;
  beforeAll(async () => {
    world = await startProjection(await embedded());
  });
  beforeEach(() => world.reset());
  afterAll(() => world.stop());

  const facts = (...events: readonly JobEvent[]): readonly Fact[] =>
    events.map((event) => fact('job-j1', event, { departmentId: '' }));
  const row = async () => (await world.rows('jobs'))[0];

  it('a job that was enqueued waits until it is due, with its trace', async () => {
    await world.project(facts(a.enqueued({ runAt: 5_000 })));
    expect(await row()).toMatchObject({
      ...{ id: 'j1', workspace_id: 'company-1', kind: 'domain.verify', subject_id: 'domain-1', status: 'PENDING' },
      ...{ priority: 5, attempts: 0, max_attempts: 3, run_at: 5_000, uncertain: false, lease_id: '' },
      ...{ request_id: 'request-1', correlation_id: 'correlation-1', payload: '{"records":2,"zoneId":"zone-1"}' },
    });
  });

  it('one that runs shows its lease, and is looked at when the lease ends', async () => {
    const renewed: JobEvent = { type: 'JobLeaseRenewed', data: { leaseId: 'l1', leasedUntil: 20_000 } };
    const progress: JobEvent = { type: 'JobProgressRecorded', data: { leaseId: 'l1', percent: 40, note: 'copying' } };
    const step: JobEvent = { type: 'JobStepRecorded', data: { leaseId: 'l1', attempt: 1, step: 'copy', result: {} } };
    await world.project(facts(a.enqueued(), a.leased(), renewed, progress, step));
    expect(await row()).toMatchObject({
      ...{ status: 'RUNNING', attempts: 1, lease_id: 'l1', lease_holder: 'node/l1', started_at: 1_000 },
      ...{ leased_until: 20_000, run_at: 20_000, progress: 40, note: 'copying', steps: 1 },
    });
  });

  it('one that failed for now waits without a lease and says why', async () => {
    await world.project(facts(a.enqueued(), a.leased(), ...a.retried(1)));
    expect(await row()).toMatchObject({
      ...{ status: 'PENDING', uncertain: false, failures: 1, last_error: 'rate limited', run_at: 5_000 },
      ...{ lease_id: '', lease_holder: '', leased_until: null },
    });
  });

  it('one of which nobody knows is pending and marked, until somebody has looked', async () => {
    await world.project(facts(a.enqueued(), a.leased(), ...a.doubted(1)));
    expect(await row()).toMatchObject({ status: 'PENDING', uncertain: true, failures: 0 });
    expect(await row()).toMatchObject({ last_error: 'the answer was lost' });
    await world.project(facts(a.leased('l2', 2, 'probe')));
    expect(await row()).toMatchObject({ status: 'RUNNING', uncertain: true, attempts: 2 });
    await world.project(facts(...a.succeeded(2)));
    expect(await row()).toMatchObject({
      ...{ status: 'SUCCEEDED', uncertain: false, progress: 100, last_error: null, result: '{"records":2}' },
      detail: 'it is there',
    });
  });

  it('one that succeeded reads the same whether its attempt was told before, as earlier versions did, or with it', async () => {
    const rows = [];
    for (const end of [a.succeededOnce(2), a.succeeded(2)]) {
      await world.reset();
      await world.project(facts(a.enqueued(), a.leased(), ...a.doubted(1), a.leased('l2', 2, 'probe'), ...end));
      const { updated_at: _, completed_at: __, causation_id: ___, ...rest } = (await row()) ?? {};
      rows.push(rest);
    }
    expect(rows[0]).toMatchObject({ status: 'SUCCEEDED', uncertain: false, lease_id: '' });
    expect(rows[1]).toEqual(rows[0]);
  });

  it('one whose process vanished is uncertain', async () => {
    await world.project(
      facts(a.enqueued(), a.leased(), a.lost(1, 'node/l1', 1_000, 10_000), a.leased('l2', 2, 'probe')),
    );
    expect(await row()).toMatchObject({ status: 'RUNNING', uncertain: true, last_error: 'node/l1 did not report.' });
  });

  it.each([
    ['FAILED', a.failed(1), { reason_code: 'zone_missing', last_error: 'no such zone' }],
    ['DEAD', a.exhausted(1, 'l1', 1), { reason_code: 'attempts_exhausted', failures: 1 }],
    ['CANCELLED', [a.cancelRequested, a.cancelled('taken back')], { cancel_requested: true, detail: 'taken back' }],
  ])('one that is %s says why and holds no lease', async (status, end, more) => {
    await world.project(facts(a.enqueued(), a.leased(), ...end));
    expect(await row()).toMatchObject({ status, lease_id: '', ...more });
    expect((await row())?.['completed_at']).toBeGreaterThan(0);
  });

  it('one that was redriven begins anew, and is counted', async () => {
    await world.project(facts(a.enqueued(), a.leased(), ...a.exhausted(1, 'l1', 1), a.redriven(1, 9_000)));
    expect(await row()).toMatchObject({
      ...{ status: 'PENDING', attempts: 0, failures: 0, redrives: 1, run_at: 9_000 },
      ...{ completed_at: null, reason_code: '' },
    });
  });
});
