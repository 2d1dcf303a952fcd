import { describe, expect, test } from 'vitest';
import { edgeWorker } from '../../src/domain/edgeWorker/index.ts';
import { specification } from '../support/decider.ts';
import * as a from '../support/edgeWorkerFacts.ts';

const { given } = specification(edgeWorker);

const report = (
  ticketId: string,
  leaseId: string,
  step: string,
  outcome: 'done' | 'refused' | 'retry' | 'uncertain' = 'done',
) =>
  ({
    type: 'ReportDeploymentStep',
    data: {
      ...{
        ticketId,
        leaseId,
        step,
        startedAt: 2_000,
        durationMs: 5,
        mode: 'perform' as const,
        facts: {},
        url: 'http://worker.localhost',
      },
      outcome:
        outcome === 'done'
          ? { outcome, detail: 'fine' }
          : outcome === 'refused'
            ? { outcome, code: 'startup_failed', detail: 'fine' }
            : { outcome, detail: 'fine', nextAttemptAt: 5_000 },
    },
  }) as const;

describe('Submitting revisions', () => {
  test('the first submission creates the worker and revision 1', () => {
    const first = a.submitted(1);
    given([]).when(a.submit(1)).then([a.created, first]);
  });
  test('revisions count 1, 2, 3 without holes', () => {
    given([a.created, a.submitted(1)])
      .when(a.submit(2))
      .then([a.submitted(2)]);
    given([a.created, a.submitted(1), a.submitted(2)])
      .when(a.submit(3))
      .then([a.submitted(3)]);
  });
  test('the same version submitted again adds nothing', () => {
    given([a.created, a.submitted(1)])
      .when(a.submit(1))
      .thenNothing();
  });
});

describe('Admitting a deployment', () => {
  const ready = [a.created, a.submitted(1)];
  test('a ready revision gets a ticket', () => {
    given(ready)
      .when(a.admit('t1', 1))
      .then([a.admitted('t1', 1, 1)]);
  });
  test('revision 0 asks for the newest', () => {
    given([...ready, a.submitted(2)])
      .when(a.admit('t1', 0))
      .then([a.admitted('t1', 2, 1)]);
  });
  test('a department without a worker has nothing to deploy', () => {
    given([]).when(a.admit('t1', 1)).thenRejected('EdgeWorkerNotFound');
  });
  test('a revision that does not exist is refused', () => {
    given(ready).when(a.admit('t1', 7)).thenRejected('RevisionNotFound', { field: 'revision' });
  });
  test('a revision without evidence is refused', () => {
    given([a.created, a.submitted(1, { sbom: '' })])
      .when(a.admit('t1', 1))
      .thenRejected('RevisionEvidenceMissing');
  });
  test('a second deployment while one is alive is refused and the live ticket is named', () => {
    given([...ready, a.admitted('t1', 1, 1)])
      .when(a.admit('t2', 1))
      .thenRejected('DeploymentAlive', { details: { ticketId: 't1' } });
  });
  test('an uncertain deployment is still alive', () => {
    const uncertain = {
      type: 'DeploymentBecameUncertain',
      data: { ticketId: 't1', versionId: 'version-1', step: 'switch', reason: 'lost', nextAttemptAt: 9_000 },
    } as const;
    given([...ready, a.admitted('t1', 1, 1), a.leased('t1', 1, 'l1'), uncertain])
      .when(a.admit('t2', 1))
      .thenRejected('DeploymentAlive');
  });
  test('a ticket is admitted once, however late its request comes again', () => {
    given([...ready, a.submitted(2), ...a.deployed('t1', 1, 1), ...a.deployed('t2', 2, 2, 'version-1')])
      .when(a.admit('t1', 1))
      .thenRejected('TicketSettled', { details: { ticketId: 't1' } });
  });
  test('a paused worker is not deployed to', () => {
    given([...ready, ...a.deployed('t1', 1, 1), { type: 'EdgeWorkerPaused', data: {} }])
      .when(a.admit('t2', 1))
      .thenRejected('EdgeWorkerPaused');
  });
  test('a closed maintenance gate refuses', () => {
    const closed = { ...a.admit('t1', 1), data: { ...a.admit('t1', 1).data, gate: 'closed' } } as const;
    given(ready).when(closed).thenRejected('EdgeWorkersMaintenance');
  });
});

describe('Rolling back', () => {
  const twoLive = [
    ...[a.created, a.submitted(1), a.submitted(2), a.submitted(3)],
    ...[...a.deployed('t1', 1, 1), ...a.deployed('t2', 2, 2, 'version-1')],
  ];
  test('without a revision it means the one that was live before', () => {
    given(twoLive)
      .when(a.admit('t3', 0, 'rollback'))
      .then([a.admitted('t3', 1, 3, 'rollback')]);
  });
  test('a revision that was never live is no target', () => {
    given(twoLive)
      .when(a.admit('t3', 3, 'rollback'))
      .thenRejected('RollbackTargetMissing');
  });
  test('with only one revision ever live there is nothing to go back to', () => {
    given([a.created, a.submitted(1), ...a.deployed('t1', 1, 1)])
      .when(a.admit('t2', 0, 'rollback'))
      .thenRejected('RollbackTargetMissing');
  });
});

describe('Leasing a ticket', () => {
  const pending = [a.created, a.submitted(1), a.admitted('t1', 1, 1)];
  const held = [...pending, a.leased('t1', 1, 'l1')];
  test('a pending ticket is leased and the attempt counts', () => {
    given(pending)
      .when(a.lease('t1', 'l1'))
      .then([a.leased('t1', 1, 'l1')]);
  });
  test('a lease that still runs is not taken over', () => {
    given(held)
      .when(a.lease('t1', 'l2', 5_000))
      .thenRejected('LeaseHeld');
  });
  test('a lease that ran out is taken over under a higher attempt', () => {
    const taken = { ...a.leased('t1', 1, 'l2', 2), data: { ...a.leased('t1', 1, 'l2', 2).data, leasedUntil: 21_000 } };
    given(held)
      .when(a.lease('t1', 'l2', 11_000))
      .then([taken as ReturnType<typeof a.leased>]);
  });
  test('a node reclaims nothing that another node has leased since', () => {
    const other = a.lease('t1', 'l2', 2_000, true);
    const data = { ...other.data, holder: 'other/2' };
    given([...pending, a.leased('t1', 1, 'l1')])
      .when({ ...other, data })
      .thenRejected('LeaseHeld');
  });
  test('a node reclaims what its own dead incarnation held', () => {
    const state = given([...held, a.leased('t1', 1, 'l2', 2)]).state;
    given(held)
      .when(a.lease('t1', 'l2', 1_000, true))
      .then([a.leased('t1', 1, 'l2', 2)]);
    expect(state).toMatchObject({ ticket: { leaseId: 'l2', attempt: 2, done: [] } });
  });
  test('the late reporter of a lost lease is refused', () => {
    given([...held, a.leased('t1', 1, 'l2', 2)])
      .when(report('t1', 'l1', 'fetch'))
      .thenRejected('LeaseLost');
  });
  test('a retry is not leased before its time', () => {
    const later = {
      type: 'DeploymentRetryScheduled',
      data: { ticketId: 't1', versionId: 'version-1', reason: 'busy', nextAttemptAt: 9_000 },
    } as const;
    given([...held, later])
      .when(a.lease('t1', 'l2', 8_999))
      .thenRejected('TicketNotDue');
    const again = { ...a.leased('t1', 1, 'l2', 2).data, leasedUntil: 19_000 };
    given([...held, later])
      .when(a.lease('t1', 'l2', 9_000))
      .then([
        {
          type: 'DeploymentLeased',
          data: { ...again, ticketId: 't1', versionId: 'version-1', leaseId: 'l2', holder: 'node/l2', attempt: 2 },
        },
      ]);
  });
  test('a settled ticket is not leased', () => {
    given([a.created, a.submitted(1), ...a.deployed('t1', 1, 1)])
      .when(a.lease('t1', 'l9'))
      .thenRejected('TicketSettled');
  });
  test('renewing moves the end of the lease forwards only', () => {
    const renew = (leasedUntil: number) =>
      ({ type: 'RenewDeploymentLease', data: { ticketId: 't1', leaseId: 'l1', leasedUntil } }) as const;
    given(held)
      .when(renew(20_000))
      .then([{ type: 'DeploymentLeaseRenewed', data: renew(20_000).data }]);
    given(held).when(renew(10_000)).thenNothing();
  });
});

describe('Reporting steps', () => {
  const held = [a.created, a.submitted(1), a.admitted('t1', 1, 1), a.leased('t1', 1, 'l1')];
  test('a step that is done is recorded', () => {
    given(held)
      .when(report('t1', 'l1', 'fetch'))
      .then([a.stepRecorded('t1', 1, 'fetch')]);
  });
  test('the last step done completes the deployment, and nothing was superseded the first time', () => {
    const nearly = [...held, a.stepRecorded('t1', 1, 'fetch'), a.stepRecorded('t1', 2, 'start')];
    given(nearly)
      .when(report('t1', 'l1', 'switch'))
      .then([a.stepRecorded('t1', 3, 'switch'), a.completed('t1', 1)]);
  });
  test('the revision before becomes superseded', () => {
    const history = [
      ...[a.created, a.submitted(1), a.submitted(2), ...a.deployed('t1', 1, 1)],
      ...[a.admitted('t2', 2, 2), a.leased('t2', 2, 'l2')],
      ...[a.stepRecorded('t2', 1, 'fetch'), a.stepRecorded('t2', 2, 'start')],
    ];
    given(history)
      .when(report('t2', 'l2', 'switch'))
      .then([a.stepRecorded('t2', 3, 'switch'), a.completed('t2', 2, 'version-1')]);
    expect(
      given([...history, a.stepRecorded('t2', 3, 'switch'), a.completed('t2', 2, 'version-1')]).state,
    ).toMatchObject({
      status: 'active',
      revisions: [{ state: 'superseded' }, { state: 'deployed' }],
      history: [1, 2],
    });
  });
  test('a refused step fails the deployment with the code of the refusal', () => {
    given(held)
      .when(report('t1', 'l1', 'start', 'refused'))
      .then([
        a.stepRecorded('t1', 1, 'start', { outcome: 'refused' }),
        {
          type: 'DeploymentFailed',
          data: {
            ...{ ticketId: 't1', versionId: 'version-1', reasonCode: 'startup_failed', reason: 'fine' },
            revisionState: 'failed',
          },
        },
      ]);
  });
  test('a failed deployment of a revision that served before leaves it superseded, not failed', () => {
    const history = [
      ...[a.created, a.submitted(1), a.submitted(2), ...a.deployed('t1', 1, 1), ...a.deployed('t2', 2, 2, 'version-1')],
      ...[a.admitted('t3', 1, 3, 'rollback'), a.leased('t3', 1, 'l3')],
    ];
    given(history)
      .when(report('t3', 'l3', 'start', 'refused'))
      .then([
        a.stepRecorded('t3', 1, 'start', { outcome: 'refused' }),
        {
          type: 'DeploymentFailed',
          data: {
            ...{ ticketId: 't3', versionId: 'version-1', reasonCode: 'startup_failed', reason: 'fine' },
            revisionState: 'superseded',
          },
        },
      ]);
  });
  test('nothing happened yet: the step is tried again later', () => {
    given(held)
      .when(report('t1', 'l1', 'start', 'retry'))
      .then([
        a.stepRecorded('t1', 1, 'start', { outcome: 'retry' }),
        {
          type: 'DeploymentRetryScheduled',
          data: { ticketId: 't1', versionId: 'version-1', reason: 'fine', nextAttemptAt: 5_000 },
        },
      ]);
  });
  test('the retry budget ends visibly', () => {
    given([...held.slice(0, 3), a.leased('t1', 1, 'l3', 3)])
      .when(report('t1', 'l3', 'start', 'retry'))
      .then([
        a.stepRecorded('t1', 1, 'start', { outcome: 'retry', attempt: 3 }),
        {
          type: 'DeploymentFailed',
          data: {
            ...{ ticketId: 't1', versionId: 'version-1', reasonCode: 'attempts_exhausted' },
            ...{ reason: 'Step start did not succeed in 3 attempts: fine', revisionState: 'failed' },
          },
        },
      ]);
  });
  test('an uncertain step keeps the ticket alive and is looked at before it is done again', () => {
    const uncertain = {
      type: 'DeploymentBecameUncertain',
      data: { ticketId: 't1', versionId: 'version-1', step: 'switch', reason: 'fine', nextAttemptAt: 5_000 },
    } as const;
    given(held)
      .when(report('t1', 'l1', 'switch', 'uncertain'))
      .then([a.stepRecorded('t1', 1, 'switch', { outcome: 'uncertain' }), uncertain]);
    const leasedAgain = [
      ...held,
      a.stepRecorded('t1', 1, 'switch', { outcome: 'uncertain' }),
      uncertain,
      a.leased('t1', 1, 'l2', 2),
    ];
    expect(given(leasedAgain).state).toMatchObject({ ticket: { uncertainStep: 'switch', status: 'leased' } });
  });
});

describe('Cancelling', () => {
  const pending = [a.created, a.submitted(1), a.admitted('t1', 1, 1)];
  const request = { type: 'RequestDeploymentCancel', data: { ticketId: 't1', giveUp: false } } as const;
  const confirm = { type: 'ConfirmDeploymentCancel', data: { ticketId: 't1', leaseId: 'l1' } } as const;
  const cancelled = {
    type: 'DeploymentCancelled',
    data: { ticketId: 't1', versionId: 'version-1', revisionState: 'ready' },
  } as const;
  const requested = { type: 'DeploymentCancelRequested', data: { ticketId: 't1' } } as const;
  const retry = {
    type: 'DeploymentRetryScheduled',
    data: { ticketId: 't1', versionId: 'version-1', reason: 'fine', nextAttemptAt: 5_000 },
  } as const;
  test('a pending ticket is cancelled at once', () => {
    given(pending).when(request).then([requested, cancelled]);
  });
  test('a leased one is a request that the runner confirms', () => {
    const held = [...pending, a.leased('t1', 1, 'l1')];
    given(held).when(request).then([requested]);
    given([...held, requested])
      .when(confirm)
      .then([cancelled]);
  });
  test('nobody cancels what nobody asked to cancel', () => {
    given([...pending, a.leased('t1', 1, 'l1')])
      .when(confirm)
      .thenNothing();
  });
  test('a request that comes too late is told so', () => {
    given([a.created, a.submitted(1), ...a.deployed('t1', 1, 1)])
      .when(request)
      .thenRejected('TicketSettled');
  });
  test('after an attempt it is only asked for: the next one looks whether anything of it is on the air', () => {
    const tried = [...pending, a.leased('t1', 1, 'l1'), a.stepRecorded('t1', 1, 'start', { outcome: 'retry' }), retry];
    given(tried).when(request).then([requested]);
    given([...pending, a.leased('t1', 1, 'l1'), requested])
      .when(report('t1', 'l1', 'start', 'retry'))
      .then([a.stepRecorded('t1', 1, 'start', { outcome: 'retry' }), retry]);
  });
});

describe('Pausing and resuming', () => {
  const live = [a.created, a.submitted(1), ...a.deployed('t1', 1, 1)];
  const pause = { type: 'PauseEdgeWorker', data: {} } as const;
  const resume = { type: 'ResumeEdgeWorker', data: {} } as const;
  test('pausing keeps the revision', () => {
    given(live)
      .when(pause)
      .then([{ type: 'EdgeWorkerPaused', data: {} }]);
    expect(given([...live, { type: 'EdgeWorkerPaused', data: {} }]).state).toMatchObject({
      status: 'paused',
      history: [1],
    });
  });
  test('resuming puts the same revision back', () => {
    given([...live, { type: 'EdgeWorkerPaused', data: {} }])
      .when(resume)
      .then([{ type: 'EdgeWorkerResumed', data: {} }]);
  });
  test('both are idempotent', () => {
    given([...live, { type: 'EdgeWorkerPaused', data: {} }])
      .when(pause)
      .thenNothing();
    given(live).when(resume).thenNothing();
  });
  test('what was never on the air cannot be taken off it', () => {
    given([a.created, a.submitted(1)])
      .when(pause)
      .thenRejected('EdgeWorkerNotDeployed');
  });
});
