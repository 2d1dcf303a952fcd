import { describe, expect, test } from 'vitest';
import { type JobCommand, type JobEvent, type JobFacts, job, maxLeaseMs } from '../../src/domain/job/index.ts';
import { specification } from '../support/decider.ts';
import * as a from '../support/jobFacts.ts';

const { given } = specification(job);
const requestCancel = { type: 'RequestJobCancel', data: {} } as const;
const redrive = { type: 'RedriveJob', data: { now: 9_000 } } as const;
const running: readonly JobEvent[] = [a.enqueued(), a.leased()];
/** Enqueued with one attempt, which failed. */
const dead: readonly JobEvent[] = [a.enqueued({ maxAttempts: 1 }), a.leased(), ...a.exhausted(1, 'l1', 1)];

describe('Enqueueing', () => {
  test('records what is to be done', () => {
    given([]).when(a.enqueue()).then([a.enqueued()]);
  });
  test('the same intent a second time is the same job, whatever has become of it', () => {
    given([a.enqueued()])
      .when(a.enqueue({ runAt: 7_000 }))
      .thenNothing();
    given([...running, ...a.succeeded(1)])
      .when(a.enqueue())
      .thenNothing();
  });
  test('an id that another intent has is refused', () => {
    given([a.enqueued()])
      .when(a.enqueue({ dedupeKey: 'other' }))
      .thenRejected('JobExists');
    given([a.enqueued()])
      .when(a.enqueue({ workspaceId: 'company-2' }))
      .thenRejected('JobExists');
  });
  test.each<[keyof JobFacts, Partial<JobFacts>]>([
    ['kind', { kind: 'Not A Kind' }],
    ['workspaceId', { workspaceId: '' }],
    ['priority', { priority: 10 }],
    ['priority', { priority: 0.5 }],
    ['maxAttempts', { maxAttempts: 0 }],
    ['runAt', { runAt: Number.NaN }],
    ['dedupeKey', { dedupeKey: 'x'.repeat(401) }],
    ['subjectId', { subjectId: 'x'.repeat(129) }],
    ['payload', { payload: { note: 'x'.repeat(20_000) } }],
  ])('what the read table could not hold is refused: %s', (field, changes) => {
    given([]).when(a.enqueue(changes)).thenRejected('JobMalformed', { field });
  });
  test.each([{ apiToken: 'abc' }, { url: 'https://ann:secret@example.org' }, { password: 'x' }])(
    'a payload that holds what looks like a secret never reaches the log',
    (payload) => {
      given([]).when(a.enqueue({ payload })).thenRejected('JobMalformed', { field: 'payload' });
    },
  );
  test('a payload may refer to a credential', () => {
    const changes = { payload: { credentialId: 'credential-1' } };
    given([])
      .when(a.enqueue(changes))
      .then([a.enqueued(changes)]);
  });
});

describe('Leasing', () => {
  test('a job that is due is leased, and the attempt counts', () => {
    given([a.enqueued()]).when(a.lease()).then([a.leased()]);
  });
  test('not before it is due', () => {
    given([a.enqueued()])
      .when(a.lease({ now: 999 }))
      .thenRejected('JobNotDue', { details: { nextAttemptAt: 1_000 } });
    given([...running, ...a.retried(1)])
      .when(a.lease({ leaseId: 'l2', now: 4_999 }))
      .thenRejected('JobNotDue');
  });
  test('one runner at a time', () => {
    given(running)
      .when(a.lease({ leaseId: 'l2', now: 10_999 }))
      .thenRejected('LeaseHeld', { details: { leasedUntil: 11_000 } });
  });
  test('there must be something to lease', () => {
    given([]).when(a.lease()).thenRejected('JobNotFound');
    given([...running, ...a.succeeded(1)])
      .when(a.lease({ leaseId: 'l2', now: 9_000 }))
      .thenRejected('JobSettled');
  });
  test('no lease lasts longer than 15 minutes, so that what a dead process held comes back', () => {
    given([a.enqueued()])
      .when(a.lease({ ms: maxLeaseMs + 1 }))
      .thenRejected('LeaseTooLong');
    given(running)
      .when({ type: 'RenewJobLease', data: { leaseId: 'l1', now: 2_000, leasedUntil: 2_001 + maxLeaseMs } })
      .thenRejected('LeaseTooLong');
    expect(maxLeaseMs).toBe(15 * 60_000);
  });
  test('a lease that ran out is reclaimed; the loss is recorded, and the next attempt looks before it does anything', () => {
    given(running)
      .when(a.lease({ leaseId: 'l2', now: 11_000 }))
      .then([a.lost(1, 'node/l1', 1_000, 10_000), a.leased('l2', 2, 'probe', 11_000)]);
  });
  test('a node takes back at once what its dead incarnation held', () => {
    given(running)
      .when(a.lease({ leaseId: 'l2', now: 3_000, takeover: true }))
      .then([a.lost(1, 'node/l1', 1_000, 2_000), a.leased('l2', 2, 'probe', 3_000)]);
  });
  test('a node takes over nothing of another, however old the table that it looked at', () => {
    const take = (holder: string) =>
      ({
        type: 'LeaseJob',
        data: { leaseId: 'l2', holder, now: 3_000, leasedUntil: 13_000, takeover: true },
      }) as const;
    given(running).when(take('other/l2')).thenRejected('LeaseHeld');
    given(running).when(take('nod/l2')).thenRejected('LeaseHeld');
    given(running).when(take('node/l1')).thenRejected('LeaseHeld');
  });
  test('a renewal makes the lease longer, never shorter, and only for its holder', () => {
    const renew = (leaseId: string, leasedUntil: number) =>
      ({ type: 'RenewJobLease', data: { leaseId, now: 2_000, leasedUntil } }) as const;
    given(running)
      .when(renew('l1', 12_000))
      .then([{ type: 'JobLeaseRenewed', data: { leaseId: 'l1', leasedUntil: 12_000 } }]);
    given(running).when(renew('l1', 10_000)).thenNothing();
    given(running).when(renew('l2', 12_000)).thenRejected('LeaseLost');
    given([...running, ...a.retried(1)])
      .when(renew('l1', 12_000))
      .thenRejected('LeaseLost');
  });
  test('a job whose every process vanished is given up as dead, in doubt, instead of taking down the next', () => {
    const twice = [...running, a.lost(1, 'node/l1', 1_000, 10_000), a.leased('l2', 2, 'probe', 11_000)];
    const thrice = [...twice, a.lost(2, 'node/l2', 11_000, 10_000), a.leased('l3', 3, 'probe', 21_000)];
    given(thrice)
      .when(a.lease({ leaseId: 'l4', now: 31_000 }))
      .then([
        a.lost(3, 'node/l3', 21_000, 10_000),
        {
          type: 'JobDied',
          data: {
            ...{ leaseId: 'l4', reasonCode: 'attempts_lost' },
            reason: '3 attempts in a row ended without a report: the process that worked on it was gone.',
          },
        },
      ]);
  });
});

describe('Reporting', () => {
  test('done settles the job', () => {
    given(running).when(a.report('done')).then(a.succeeded(1));
    expect(given([...running, ...a.succeeded(1)]).state).toMatchObject({ status: 'succeeded', percent: 100 });
  });
  test('done leaves the same whether the attempt was told before, as earlier versions did, or with it', () => {
    const doubtful = [...running, ...a.doubted(1), a.leased('l2', 2, 'probe', 11_000)];
    expect(given([...doubtful, ...a.succeeded(2)]).state).toEqual(given([...doubtful, ...a.succeededOnce(2)]).state);
  });
  test('refused fails it with its code: the world will say no again', () => {
    given(running).when(a.report('refused')).then(a.failed(1));
  });
  test('retry gives it back until its attempts are spent, and then it is dead', () => {
    given(running).when(a.report('retry')).then(a.retried(1));
    const twice = [...running, ...a.retried(1), a.leased('l1', 2), ...a.retried(2), a.leased('l1', 3)];
    given(twice).when(a.report('retry')).then(a.exhausted(3));
  });
  test('uncertain has no budget, and the next attempt is a look', () => {
    const doubts = [1, 2, 3, 4, 5].flatMap((n) => [a.leased('l1', n, n > 1 ? 'probe' : 'perform'), ...a.doubted(n)]);
    given([a.enqueued(), ...doubts, a.leased('l1', 6, 'probe')])
      .when(a.report('uncertain'))
      .then(a.doubted(6));
    given([a.enqueued(), ...doubts])
      .when(a.lease({ leaseId: 'l6', now: 5_000 }))
      .then([a.leased('l6', 6, 'probe', 5_000)]);
  });
  test('a doubt that was settled spends nothing of the budget', () => {
    const looked = [a.enqueued({ maxAttempts: 2 }), a.leased(), ...a.doubted(1), a.leased('l1', 2, 'probe')];
    given(looked).when(a.report('retry')).then(a.retried(2));
    given([...looked, ...a.retried(2)])
      .when(a.lease({ leaseId: 'l3', now: 5_000 }))
      .then([a.leased('l3', 3, 'perform', 5_000)]);
  });
  test('whoever lost the lease changes nothing', () => {
    const taken = [...running, a.lost(1, 'node/l1', 1_000, 10_000), a.leased('l2', 2, 'probe', 11_000)];
    given(taken).when(a.report('done', 'l1')).thenRejected('LeaseLost');
    given(taken).when(a.confirmCancel('l1')).thenRejected('LeaseLost');
    given([...taken, ...a.succeeded(2)])
      .when(a.report('done', 'l1'))
      .thenRejected('LeaseLost');
  });
  test('progress is recorded when it is some, by the holder alone', () => {
    const progress = (percent: number, note: string, leaseId = 'l1') =>
      ({ type: 'RecordJobProgress', data: { leaseId, percent, note } }) as const;
    const recorded: JobEvent = { type: 'JobProgressRecorded', data: { leaseId: 'l1', percent: 40, note: 'copying' } };
    given(running).when(progress(40, 'copying')).then([recorded]);
    given([...running, recorded])
      .when(progress(40, 'copying'))
      .thenNothing();
    given(running)
      .when(progress(40, 'copying', 'l2'))
      .thenRejected('LeaseLost');
    given(running).when(progress(101, 'too much')).thenRejected('JobMalformed', { field: 'percent' });
  });
});

describe('Cancelling', () => {
  test('what waits ends at once', () => {
    given([a.enqueued()])
      .when(requestCancel)
      .then([a.cancelRequested, a.cancelled('Cancelled before it was begun.')]);
  });
  test('what runs is asked, and its executor confirms', () => {
    given(running).when(requestCancel).then([a.cancelRequested]);
    given([...running, a.cancelRequested])
      .when(a.confirmCancel())
      .then([a.attempted(1, 'cancelled', 'taken back'), a.cancelled('taken back')]);
  });
  test('what may have happened is not called cancelled before somebody has looked', () => {
    given([...running, ...a.doubted(1)])
      .when(requestCancel)
      .then([a.cancelRequested]);
  });
  test('an attempt of which nothing came is the end of a job that was to be cancelled', () => {
    given([...running, a.cancelRequested])
      .when(a.report('retry'))
      .then([a.attempted(1, 'retry', 'rate limited'), a.cancelled('rate limited')]);
  });
  test('a cancel that comes too late says so by the job succeeding', () => {
    given([...running, a.cancelRequested])
      .when(a.report('done'))
      .then(a.succeeded(1));
    given([...running, ...a.succeeded(1)])
      .when(requestCancel)
      .thenRejected('JobSettled');
  });
  test('nobody confirms what nobody asked for', () => {
    given(running).when(a.confirmCancel()).thenRejected('JobCancelNotRequested');
  });
});

describe('Steps', () => {
  const result = { receipt: 'r-1' };
  const step = (name = 'charge', leaseId = 'l1'): JobCommand => ({
    type: 'RecordJobStep',
    data: { leaseId, step: name, result },
  });
  const recorded: JobEvent = { type: 'JobStepRecorded', data: { leaseId: 'l1', attempt: 1, step: 'charge', result } };
  test('are recorded by whoever holds the lease, once', () => {
    given(running).when(step()).then([recorded]);
    given([...running, recorded])
      .when(step())
      .then([]);
    given(running).when(step('charge', 'l2')).thenRejected('LeaseLost');
    given([...running, ...a.succeeded(1)])
      .when(step())
      .thenRejected('LeaseLost');
  });
  test('outlive attempts and redrives', () => {
    const { state } = given([...running, recorded, ...a.exhausted(1), a.redriven(1, 9_000)]);
    expect(state.status !== 'absent' && [...state.steps]).toEqual([['charge', result]]);
  });
  test('go into the log together with the report when they are its last', () => {
    const report: JobCommand = {
      type: 'ReportJob',
      data: {
        leaseId: 'l1',
        outcome: a.outcomes.done,
        startedAt: 1_000,
        durationMs: 20,
        step: { step: 'charge', result },
      },
    };
    given(running)
      .when(report)
      .then([recorded, ...a.succeeded(1)]);
    given([...running, recorded])
      .when(report)
      .then(a.succeeded(1));
  });
  test('have short names and short results, and are few', () => {
    given(running).when(step('Not a name')).thenRejected('JobMalformed');
    given(running)
      .when({ type: 'RecordJobStep', data: { leaseId: 'l1', step: 'charge', result: { text: 'x'.repeat(5_000) } } })
      .thenRejected('JobMalformed');
    const many = Array.from({ length: 100 }, (_, index): JobEvent => {
      return { type: 'JobStepRecorded', data: { leaseId: 'l1', attempt: 1, step: `step${index}`, result: {} } };
    });
    given([...running, ...many])
      .when(step('oneMore'))
      .thenRejected('JobMalformed');
  });
});

describe('Redriving', () => {
  test('a dead job begins again with all its attempts, and is counted', () => {
    given(dead)
      .when(redrive)
      .then([a.redriven(1, 9_000)]);
    const again = [...dead, a.redriven(1, 9_000)];
    given(again)
      .when(a.lease({ leaseId: 'l2', now: 9_000 }))
      .then([a.leased('l2', 2, 'perform', 9_000)]);
    given([...again, a.leased('l2', 2)])
      .when(a.report('retry', 'l2'))
      .then(a.exhausted(2, 'l2', 1));
  });
  test('what died in doubt is looked at first', () => {
    const poison = a.enqueued({ maxAttempts: 1 });
    const died: JobEvent = { type: 'JobDied', data: { leaseId: 'l2', reasonCode: 'attempts_lost', reason: 'gone' } };
    given([poison, a.leased(), a.lost(1, 'node/l1', 1_000, 10_000), died, a.redriven(1, 9_000)])
      .when(a.lease({ leaseId: 'l3', now: 9_000 }))
      .then([a.leased('l3', 2, 'probe', 9_000)]);
  });
  test('only a dead job is', () => {
    given([a.enqueued()]).when(redrive).thenRejected('JobNotDead');
    given(running).when(redrive).thenRejected('JobNotDead');
    given([...running, ...a.failed(1)])
      .when(redrive)
      .thenRejected('JobNotDead');
  });
});

test('an old fact changes nothing about a job that is not there', () => {
  expect(given([a.leased(), ...a.retried(1), a.cancelRequested]).state).toEqual({ status: 'absent' });
});
