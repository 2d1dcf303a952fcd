import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRejection } from '../../src/domain/kernel.ts';
import {
  answerIn,
  describeAnswer,
  isWanted,
  type WebhookCommand,
  type WebhookEvent,
  webhook,
} from '../../src/domain/webhook/index.ts';
import { specification } from '../support/decider.ts';

const { given } = specification(webhook);
const settings = { url: 'https://example.com/in', description: 'orders', eventTypes: ['*'], departmentIds: [] };
const encryptedData = { iv: 'aXY=', tag: 'dGFn', data: 'ZGF0YQ==' };
const sealed = (name: string) => ({ keyId: `key-${name}`, encryptedData });
const day = 86_400_000;

const create: WebhookCommand = { type: 'CreateWebhook', data: { ...settings, workspaceId: 'w1', ...sealed('a') } };
const created: WebhookEvent = { type: 'WebhookCreated', data: { ...settings, workspaceId: 'w1', ...sealed('a') } };
const rotate = (name: string, now: number, overlapMs = 1_000): WebhookCommand => ({
  type: 'RotateWebhookSecret',
  data: { ...sealed(name), now, overlapMs },
});
const rotated = (name: string, secretVersion: number, previousValidUntil: number): WebhookEvent => ({
  type: 'WebhookSecretRotated',
  data: { ...sealed(name), secretVersion, previousValidUntil },
});
const pause: WebhookCommand = { type: 'PauseWebhook', data: {} };
const paused: WebhookEvent = { type: 'WebhookPaused', data: {} };
const resume: WebhookCommand = { type: 'ResumeWebhook', data: {} };
const resumed: WebhookEvent = { type: 'WebhookResumed', data: {} };
const fail = (now: number): WebhookCommand => ({
  type: 'NoteDeliveryFailure',
  data: { now, detail: 'HTTP 500 in 1 ms', disableAfterMs: 5 * day },
});
const began = (since: number): WebhookEvent => ({
  type: 'WebhookFailureBegan',
  data: { since, detail: 'HTTP 500 in 1 ms' },
});
const arrive: WebhookCommand = { type: 'NoteDeliverySuccess', data: {} };
const recovered: WebhookEvent = { type: 'WebhookRecovered', data: {} };
const disable: WebhookCommand = { type: 'DisableWebhook', data: { reasonCode: 'gone', reason: 'HTTP 410' } };
const disabled: WebhookEvent = { type: 'WebhookDisabled', data: { reasonCode: 'gone', reason: 'HTTP 410' } };
const remove: WebhookCommand = { type: 'RemoveWebhook', data: {} };
const removed = (...names: readonly string[]): WebhookEvent => ({
  type: 'WebhookRemoved',
  data: { keyIds: names.map((name) => `key-${name}`) },
});
const confirm = (...names: readonly string[]): WebhookCommand => ({
  type: 'ConfirmWebhookKeysShred',
  data: { keyIds: names.map((name) => `key-${name}`) },
});

describe('a webhook', () => {
  it('begins active, once', () => {
    given([]).when(create).then([created]);
    given([created, paused]).when(create).thenNothing();
    expect(given([created]).state).toMatchObject({ status: 'active', failingSince: 0, secret: { version: 1 } });
    const foreign: WebhookCommand = { ...create, data: { ...create.data, workspaceId: 'w2' } };
    given([created]).when(foreign).thenRejected('WebhookExists');
  });

  it('changes what it wants, and only when that is something else', () => {
    const other = { ...settings, eventTypes: ['job.*'] };
    given([created])
      .when({ type: 'ReviseWebhook', data: other })
      .then([{ type: 'WebhookRevised', data: other }]);
    given([created]).when({ type: 'ReviseWebhook', data: settings }).thenNothing();
  });

  it('keeps the secret of before beside the new one for a time, and dooms its key for then', () => {
    given([created])
      .when(rotate('b', 5_000))
      .then([rotated('b', 2, 6_000)]);
    expect(given([created, rotated('b', 2, 6_000)]).state).toMatchObject({
      secret: { keyId: 'key-b', version: 2 },
      previous: { keyId: 'key-a', validUntil: 6_000 },
      doomedKeys: [{ keyId: 'key-a', notBefore: 6_000 }],
    });
  });

  it('never has three secrets: a rotation within the time ends the oldest at once', () => {
    expect(given([created, rotated('b', 2, 6_000), rotated('c', 3, 7_000)]).state).toMatchObject({
      secret: { keyId: 'key-c' },
      previous: { keyId: 'key-b' },
      doomedKeys: [
        { keyId: 'key-a', notBefore: 0 },
        { keyId: 'key-b', notBefore: 7_000 },
      ],
    });
  });

  it('rests and goes on; from one rest into another there is no fact', () => {
    given([created]).when(pause).then([paused]);
    given([created, paused]).when(resume).then([resumed]);
    given([created]).when(resume).thenNothing();
    given([created, paused]).when(disable).thenNothing();
    given([created, disabled]).when(pause).thenNothing();
    given([created, disabled]).when(resume).then([resumed]);
  });

  it('notes the first failure and the first success after it, and nothing between', () => {
    given([created])
      .when(fail(1_000))
      .then([began(1_000)]);
    given([created, began(1_000)])
      .when(fail(2_000))
      .thenNothing();
    given([created, began(1_000)])
      .when(arrive)
      .then([recovered]);
    given([created]).when(arrive).thenNothing();
  });

  it('is disabled after five days of nothing but failures, and not before', () => {
    given([created, began(0 + day)])
      .when(fail(6 * day - 1))
      .thenNothing();
    given([created, began(day)])
      .when(fail(6 * day))
      .then([
        {
          type: 'WebhookDisabled',
          data: { reasonCode: 'failing', reason: 'Nothing but failures for 5 days; the last one: HTTP 500 in 1 ms' },
        },
      ]);
    given([created, began(day), recovered])
      .when(fail(6 * day))
      .then([began(6 * day)]);
  });

  it('begins anew to count failures when it is resumed', () => {
    given([created, began(day), disabled, resumed])
      .when(fail(9 * day))
      .then([began(9 * day)]);
  });

  it('takes no failure for one while it rests', () => {
    given([created, paused]).when(fail(9)).thenNothing();
  });

  it('is removed with the keys of all its secrets, and answers like none afterwards', () => {
    given([created, rotated('b', 2, 6_000)])
      .when(remove)
      .then([removed('a', 'b')]);
    const gone = [created, removed('a')];
    given(gone).when(remove).thenNothing();
    for (const command of [pause, resume, rotate('b', 1), arrive, fail(1), disable]) {
      given(gone).when(command).thenRejected('WebhookNotFound');
      given([]).when(command).thenRejected('WebhookNotFound');
    }
    given([]).when(remove).thenRejected('WebhookNotFound');
    expect(JSON.stringify(given(gone).state)).not.toContain('example.com');
  });

  it('records that keys are destroyed only for those that were to be', () => {
    given([created, removed('a')])
      .when(confirm('a', 'x'))
      .then([{ type: 'WebhookKeysShredded', data: { keyIds: ['key-a'] } }]);
    given([created]).when(confirm('a')).thenNothing();
    given([]).when(confirm('a')).thenNothing();
  });
});

describe('any sequence of commands', () => {
  const command = fc.oneof(
    fc.constantFrom<WebhookCommand>(create, pause, resume, arrive, disable, remove),
    fc.nat({ max: 20 }).map((days) => fail(days * day)),
    fc.nat({ max: 9 }).map((now) => rotate('', now)),
    fc.constantFrom('a', '0', '1', '2', '3', '4').map((name) => confirm(name)),
  );

  it('dooms every key that does not sign any more, and never one that does', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        let state = webhook.initial;
        const made = new Set<string>();
        const destroyed = new Set<string>();
        for (const [index, each] of commands.entries()) {
          // A vault never gives out a key twice.
          const own =
            each.type === 'RotateWebhookSecret' ? { ...each, data: { ...each.data, keyId: `key-${index}` } } : each;
          const decision = webhook.decide(own, state);
          if (isRejection(decision)) continue;
          for (const event of decision) {
            if ('keyId' in event.data) made.add(event.data.keyId);
            if (event.type === 'WebhookKeysShredded') for (const id of event.data.keyIds) destroyed.add(id);
            state = webhook.evolve(state, event);
          }
        }
        if (state.status === 'absent') return;
        const doomed = new Set(state.doomedKeys.map(({ keyId }) => keyId));
        const signing = 'secret' in state ? state.secret.keyId : '';
        for (const keyId of made) expect(keyId === signing).toBe(!doomed.has(keyId) && !destroyed.has(keyId));
      }),
    );
  });
});

describe('a filter', () => {
  const seen = { category: 'edgeWorker', type: 'DeploymentCompleted', departmentId: 'd1' };
  const wants = (eventTypes: readonly string[], departmentIds: readonly string[] = []) =>
    isWanted({ eventTypes, departmentIds }, seen);

  it('takes an event by its name, by its feature, or by a star, and of the departments that it names', () => {
    expect(wants(['edgeWorker.DeploymentCompleted'])).toBe(true);
    expect(wants(['edgeWorker.*'])).toBe(true);
    expect(wants(['*'])).toBe(true);
    expect(wants(['edgeWorker.DeploymentFailed', 'department.*'])).toBe(false);
    expect(wants([])).toBe(false);
    expect(wants(['*'], ['d2', 'd1'])).toBe(true);
    expect(wants(['*'], ['d2'])).toBe(false);
  });

  it('takes the inner life of jobs by name alone, and facts of webhooks never', () => {
    const job = { category: 'job', type: 'JobDied', departmentId: '' };
    expect(isWanted({ eventTypes: ['*'], departmentIds: [] }, job)).toBe(false);
    expect(isWanted({ eventTypes: ['job.JobDied'], departmentIds: [] }, job)).toBe(true);
    const own = { category: 'webhook', type: 'WebhookPaused', departmentId: '' };
    expect(isWanted({ eventTypes: ['*', 'webhook.*', 'webhook.WebhookPaused'], departmentIds: [] }, own)).toBe(false);
  });
});

it('reads an answer back from the words that were made of it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 999 }),
      fc.nat({ max: 100_000 }),
      fc.string(),
      (status, latencyMs, more) => {
        expect(answerIn(describeAnswer({ status, latencyMs }, more))).toEqual({ status, latencyMs });
      },
    ),
  );
  expect(answerIn('timed_out: There was no answer within 15000 ms.')).toBeUndefined();
});
