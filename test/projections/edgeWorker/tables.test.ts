import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EdgeWorkerEvent } from '../../../src/domain/edgeWorker/index.ts';
import * as a from '../../support/edgeWorkerFacts.ts';
import { embedded, type Fact, fact, type ProjectionWorld, startProjection } from '../../support/projection.ts';

const of = (...events: readonly EdgeWorkerEvent[]): readonly Fact[] =>
  events.map((event) => fact('edgeWorker-e1', event));

const tenant: readonly Fact[] = [
  fact(`workspace-${a.companyId}`, { type: 'WorkspaceCreated', data: { name: 'Acme', slug: 'acme' } }),
  fact(`department-${a.departmentId}`, {
    type: 'DepartmentCreated',
    data: { workspaceId: a.companyId, name: 'Sales', slug: 'sales' },
  }),
];

describe('the tables of an edge worker', () => {
  let world: ProjectionWorld;
  beforeAll(async () => {
    world = await startProjection(await embedded());
  });
  beforeEach(async () => {
    await world.reset();
    await world.project(tenant);
  });
  afterAll(() => world.stop());

  const revision = (number: number, state: string) => ({ id: `version-${number}`, revision: number, state });

  it('a submission makes a draft worker and a revision that is ready, with its evidence', async () => {
    await world.given(...of(a.created, a.submitted(1))).then({
      edge_workers: [
        {
          id: 'e1',
          company_id: a.companyId,
          department_id: a.departmentId,
          script_name: a.scriptName,
          status: 'draft',
          current_version_id: '',
          current_revision: 0,
        },
      ],
      edge_worker_versions: [
        {
          ...revision(1, 'ready'),
          worker_id: 'e1',
          company_id: a.companyId,
          department_id: a.departmentId,
          language: 'typescript',
          sbom: '{}',
          build_receipt: '{}',
          source_bytes: 100,
          deployed_at: null,
          created_by: 'user-1',
        },
      ],
    });
  });

  it('an admitted deployment is a pending ticket that is due at once', async () => {
    await world
      .given(...of(a.created, a.submitted(1)))
      .when(...of(a.admitted('t1', 1, 1)))
      .then({
        edge_worker_versions: [revision(1, 'deploy_pending')],
        edge_worker_outbox: [
          {
            id: 't1',
            ticket_id: 't1',
            operation: 'deploy',
            company_id: a.companyId,
            department_id: a.departmentId,
            worker_id: 'e1',
            version_id: 'version-1',
            status: 'pending',
            attempt_count: 0,
            max_attempts: 3,
            next_attempt_at: 0,
            admission_sequence: 1,
            active_deployment_worker_id: 'e1',
            correlation_id: 'correlation-1',
            completed_at: null,
          },
        ],
      });
  });

  it('a lease shows its holder and its end, and a retry takes both away', async () => {
    const given = of(a.created, a.submitted(1), a.admitted('t1', 1, 1));
    await world
      .given(...given)
      .when(...of(a.leased('t1', 1, 'l1')))
      .then({
        edge_worker_versions: [revision(1, 'deploying')],
        edge_worker_outbox: [
          { status: 'leased', attempt_count: 1, lease_id: 'l1', lease_holder: 'node/l1', leased_until: 11_000 },
        ],
      });
    await world
      .given(...of({ type: 'DeploymentLeaseRenewed', data: { ticketId: 't1', leaseId: 'l1', leasedUntil: 15_000 } }))
      .then({ edge_worker_outbox: [{ status: 'leased', leased_until: 15_000, next_attempt_at: 15_000 }] });
    const retry = {
      ticketId: 't1',
      versionId: 'version-1',
      reason: 'Bearer abcdefghijk refused',
      nextAttemptAt: 20_000,
    };
    await world.given(...of({ type: 'DeploymentRetryScheduled', data: retry })).then({
      edge_worker_versions: [revision(1, 'deploy_pending')],
      edge_worker_outbox: [
        {
          status: 'pending',
          lease_id: '',
          lease_holder: '',
          leased_until: null,
          next_attempt_at: 20_000,
          error_message: 'Bearer [masked] refused',
          active_deployment_worker_id: 'e1',
        },
      ],
    });
  });

  it('a deployment that is done makes the worker active, and the one after it supersedes its revision', async () => {
    await world.given(...of(a.created, a.submitted(1), ...a.deployed('t1', 1, 1))).then({
      edge_workers: [{ status: 'active', current_version_id: 'version-1', current_revision: 1 }],
      edge_worker_versions: [{ ...revision(1, 'deployed'), deployed_at: expect.any(Number) }],
      edge_worker_outbox: [
        {
          status: 'completed',
          url: 'http://worker.localhost',
          active_deployment_worker_id: null,
          completed_at: expect.any(Number),
          error_message: null,
        },
      ],
      edge_worker_deployment_steps: [1, 2, 3].map((sequence) => ({
        ticket_id: 't1',
        sequence,
        step: a.steps[sequence - 1],
        outcome: 'done',
        company_id: a.companyId,
        duration_ms: 5,
      })),
    });
    await world.given(...of(a.submitted(2), ...a.deployed('t2', 2, 2, 'version-1'))).then({
      edge_workers: [{ current_version_id: 'version-2', current_revision: 2 }],
      edge_worker_versions: [revision(1, 'superseded'), revision(2, 'deployed')],
    });
  });

  it('a deployment that is done while the worker is paused leaves it paused', async () => {
    const done = a.completed('t2', 1);
    if (done.type !== 'DeploymentCompleted') throw new Error('another fact');
    await world
      .given(...of(a.created, a.submitted(1), ...a.deployed('t1', 1, 1), a.admitted('t2', 1, 2)))
      .when(...of({ type: 'EdgeWorkerPaused', data: {} }, { ...done, data: { ...done.data, workerStatus: 'paused' } }))
      .then({ edge_workers: [{ status: 'paused' }] });
    await world.given(...of({ type: 'EdgeWorkerResumed', data: {} })).then({ edge_workers: [{ status: 'active' }] });
  });

  it('an uncertain deployment is alive, one that failed is not, and says why', async () => {
    const uncertain = { ticketId: 't1', versionId: 'version-1', step: 'start', reason: 'no answer', nextAttemptAt: 9 };
    await world
      .given(...of(a.created, a.submitted(1), a.admitted('t1', 1, 1), a.leased('t1', 1, 'l1')))
      .when(...of({ type: 'DeploymentBecameUncertain', data: uncertain }))
      .then({
        edge_worker_versions: [revision(1, 'uncertain')],
        edge_worker_outbox: [{ status: 'uncertain', next_attempt_at: 9, active_deployment_worker_id: 'e1' }],
      });
    const data = { ticketId: 't1', versionId: 'version-1', reasonCode: 'x'.repeat(80), reason: 'broken' };
    await world.given(...of({ type: 'DeploymentFailed', data: { ...data, revisionState: 'failed' } })).then({
      edge_worker_versions: [revision(1, 'failed')],
      edge_worker_outbox: [
        {
          status: 'failed',
          reason_code: 'x'.repeat(64),
          error_message: 'broken',
          active_deployment_worker_id: null,
          completed_at: expect.any(Number),
        },
      ],
    });
  });

  it('a cancelled deployment frees the worker and gives the revision back its state', async () => {
    const data = { ticketId: 't1', versionId: 'version-1', revisionState: 'ready' as const };
    await world
      .given(...of(a.created, a.submitted(1), a.admitted('t1', 1, 1)))
      .when(
        ...of(
          { type: 'DeploymentCancelRequested', data: { ticketId: 't1' } },
          { type: 'DeploymentCancelled', data },
          a.admitted('t2', 1, 2),
        ),
      )
      .then({
        edge_worker_versions: [revision(1, 'deploy_pending')],
        edge_worker_outbox: [
          { id: 't1', status: 'cancelled', cancel_requested: true, active_deployment_worker_id: null },
          { id: 't2', status: 'pending', cancel_requested: false, active_deployment_worker_id: 'e1' },
        ],
      });
  });

  it('two workers may use the same key of their callers', async () => {
    await world.project([
      fact('department-d2', { type: 'DepartmentCreated', data: { workspaceId: a.companyId, name: 'B', slug: 'b' } }),
    ]);
    const admitted = (ticketId: string): EdgeWorkerEvent => {
      const event = a.admitted(ticketId, 1, 1);
      if (event.type !== 'DeploymentAdmitted') throw new Error('another fact');
      return { ...event, data: { ...event.data, dedupeKey: 'same' } };
    };
    await world
      .given(fact('edgeWorker-e1', admitted('t1')), fact('edgeWorker-e2', admitted('t2')))
      .then({ edge_worker_outbox: [{ dedupe_key: 'e1:same' }, { dedupe_key: 'e2:same' }] });
  });

  it('an artifact cleanup is an intent in the outbox that is never a live deployment', async () => {
    const requested = {
      workerId: 'e1',
      digests: ['a'.repeat(64)],
      reason: 'append_failed',
      requestedAt: 1,
      dueAt: 5_000,
    };
    await world
      .given()
      .when(
        fact('artifactCleanup-c1', { type: 'ArtifactCleanupRequested', data: requested }),
        fact('artifactCleanup-c2', { type: 'ArtifactCleanupRequested', data: requested }),
      )
      .then({
        edge_worker_outbox: ['c1', 'c2'].map((id) => ({
          id,
          operation: 'artifact_cleanup',
          status: 'pending',
          next_attempt_at: 5_000,
          active_deployment_worker_id: null,
        })),
      });
    const leased = { leaseId: 'l1', holder: 'node/1', attempt: 1, leasedUntil: 9_000 };
    await world
      .given(
        fact('artifactCleanup-c1', { type: 'ArtifactCleanupLeased', data: leased }),
        fact('artifactCleanup-c1', { type: 'ArtifactCleanupCompleted', data: { removed: [], kept: [] } }),
      )
      .then({ edge_worker_outbox: [{ status: 'completed', attempt_count: 1, lease_id: '' }, { status: 'pending' }] });
  });

  it('a worker whose department is gone leaves no row, but its ticket and its audit stay', async () => {
    const orphan = a.created;
    if (orphan.type !== 'EdgeWorkerCreated') throw new Error('another fact');
    const gone: EdgeWorkerEvent = { ...orphan, data: { ...orphan.data, departmentId: 'gone' } };
    await world.given(...of(gone, a.submitted(1), a.admitted('t1', 1, 1))).then({
      edge_workers: [],
      edge_worker_versions: [],
      edge_worker_outbox: [{ ticket_id: 't1' }],
      edge_worker_audit_logs: [{}, {}, {}],
    });
  });

  it('the edge audit holds what was asked and what came of it, not how a runner went about it', async () => {
    await world.project(of(a.created, a.submitted(1), ...a.deployed('t1', 1, 1)));
    const rows = await world.rows('edge_worker_audit_logs');
    expect(rows.map((row) => row['action'])).toEqual(
      expect.arrayContaining(['EdgeWorkerCreated', 'RevisionSubmitted', 'DeploymentAdmitted', 'DeploymentCompleted']),
    );
    expect(rows).toHaveLength(4);
  });

  it('the audit has a row per fact with digests and codes, words cut to fit and ids whole', async () => {
    const failed = {
      ...{ ticketId: 't1', versionId: 'version-1', reasonCode: 'r'.repeat(100), reason: 'secret reason' },
      revisionState: 'failed' as const,
    };
    const actor = { actor: { kind: 'user', id: 'i'.repeat(128) } };
    await world.project([
      ...of(a.submitted(1)),
      fact('edgeWorker-e1', { type: 'DeploymentFailed', data: failed }, actor),
    ]);
    const rows = await world.rows('edge_worker_audit_logs');
    expect(rows).toContainEqual(
      expect.objectContaining({
        action: 'RevisionSubmitted',
        result: 'success',
        digest: 'b'.repeat(64),
        resource_id: 'e1',
      }),
    );
    expect(rows).toContainEqual(
      expect.objectContaining({
        ...{ action: 'DeploymentFailed', result: 'failure', reason_code: 'r'.repeat(64) },
        ...{ actor_id: 'i'.repeat(128), ticket_id: 't1', company_id: a.companyId },
      }),
    );
    expect(JSON.stringify(rows)).not.toContain('secret reason');
  });

  it('the values of variables reach neither audit', async () => {
    await world.project(of(a.submitted(1)));
    const audits = [await world.rows('audit_logs'), await world.rows('edge_worker_audit_logs')];
    expect(JSON.stringify(audits)).toContain('GREETING');
    expect(JSON.stringify(audits)).not.toContain('hello');
  });

  it('a scope is open once registered, closed under maintenance, and open again', async () => {
    const scope = (event: Parameters<typeof fact>[1]) => fact('edgeMaintenance-onprem:0123456789ab', event);
    await world
      .given(scope({ type: 'EdgeScopeRegistered', data: { epoch: 1 } }))
      .then({ edge_worker_maintenance: [{ scope: 'onprem:0123456789ab', state: 'idle', epoch: 1 }] });
    await world
      .given(scope({ type: 'EdgeMaintenanceBegan', data: { reason: 'backup' } }))
      .then({ edge_worker_maintenance: [{ state: 'active', reason: 'backup' }] });
    await world
      .given(scope({ type: 'EdgeMaintenanceEnded', data: { epoch: 2 } }))
      .then({ edge_worker_maintenance: [{ state: 'idle', reason: '', epoch: 2 }] });
  });
});
