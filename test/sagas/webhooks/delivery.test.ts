import { createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook as Standard } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rotateWebhookSecret } from '../../../src/commands/webhook.ts';
import { enqueueTest } from '../../../src/commands/webhookDelivery.ts';
import { deliveryDelaysMs } from '../../../src/sagas/webhooks/deliver.ts';
import { signedHeaders } from '../../../src/sagas/webhooks/signature.ts';
import { answers, type Received, type Receiver, startReceiver } from '../../support/receiver.ts';
import { startWebhookWorld, type WebhookWorld } from '../../support/webhookWorld.ts';

/** The specification once more, written apart from the code under test. */
const isSignedBy = (secret: string, { headers, body }: Received): boolean => {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const content = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  const expected = createHmac('sha256', key).update(content).digest();
  return (headers['webhook-signature'] ?? '').split(' ').some((each) => {
    const [version, signature = ''] = each.split(',');
    const given = Buffer.from(signature, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
};

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

let world: WebhookWorld;
let receiver: Receiver;
beforeEach(async () => {
  world = await startWebhookWorld();
  receiver = await startReceiver();
});
afterEach(async () => {
  await world.stop();
  await receiver.stop();
});

const idsOf = (): readonly string[] => receiver.received.map(({ headers }) => headers['webhook-id'] ?? '');
const onlyJob = (): string => world.jobIds()[0] ?? '';

describe('A message', () => {
  it('is the public form of the event, signed as the specification and its own library say', async () => {
    const { secret } = await world.create(receiver.url);
    const eventId = await world.happen();
    expect(await world.work()).toEqual(['succeeded']);
    const [message] = receiver.received;
    expect(message?.headers).toMatchObject({ 'webhook-id': eventId, 'content-type': 'application/json' });
    const body: unknown = JSON.parse(message?.body ?? '');
    expect(body).toMatchObject({
      ...{ specversion: '1.0', id: eventId, type: 'opslog.department.DepartmentCreated' },
      ...{ workspaceid: world.workspaceId, data: { slug: 'd1' } },
    });
    expect(new Standard(secret).verify(message?.body ?? '', message?.headers ?? {})).toEqual(body);
    expect(message && isSignedBy(secret, message)).toBe(true);
    const forged = { ...message, body: `${message?.body} ` };
    expect(() => new Standard(secret).verify(forged.body, message?.headers ?? {})).toThrow();
  });

  it('is signed as the specification’s own example is', () => {
    const headers = signedHeaders(
      { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' },
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      1_614_265_330_000,
    );
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('bears two signatures while the secret is changed over, and one afterwards; the old key is then destroyed', async () => {
    const { webhookId, secret } = await world.create(receiver.url);
    const { workspaceId, deps, envelope } = world;
    const rotated = await rotateWebhookSecret(deps, { workspaceId, webhookId }, { overlapHours: 2 }, envelope());
    const fresh = rotated.ok ? (rotated.value.secret ?? '') : '';
    world.watch(fresh, 'the new secret of a webhook');
    await world.happen();
    await world.work();
    expect(world.vault.living()).toHaveLength(2);
    world.travel(2 * hour + 1);
    await world.happen();
    await world.work();
    const [during, after] = receiver.received;
    expect(during && [isSignedBy(fresh, during), isSignedBy(secret, during)]).toEqual([true, true]);
    expect(new Standard(secret).verify(during?.body ?? '', during?.headers ?? {})).toBeDefined();
    expect(after && [isSignedBy(fresh, after), isSignedBy(secret, after)]).toEqual([true, false]);
    expect(world.vault.living()).toHaveLength(1);
    expect(await world.webhook(webhookId)).toMatchObject({ doomedKeys: [] });
  });

  it('says nothing but that it arrived when it is a test, also while the webhook is paused', async () => {
    const { webhookId, secret } = await world.create(receiver.url);
    await world.aggregates.webhook.send(webhookId, { type: 'PauseWebhook', data: {} }, world.envelope());
    await enqueueTest(world, { webhookId, workspaceId: world.workspaceId }, world.envelope());
    expect(await world.work()).toEqual(['succeeded']);
    const [message] = receiver.received;
    expect(message && isSignedBy(secret, message)).toBe(true);
    expect(JSON.parse(message?.body ?? '')).toMatchObject({ type: 'opslog.webhook.test', subject: webhookId });
  });

  it('and what is kept of it hold no secret, wherever one looks', async () => {
    const { secret } = await world.create(receiver.url);
    receiver.next(answers(500, {}, `your secret is ${secret}`));
    await world.happen();
    await world.work();
    world.travel(10_000);
    await world.work();
    const everything = JSON.stringify(world.log.events, (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    const core = secret.slice('whsec_'.length);
    expect(everything).not.toContain(core);
    expect(JSON.stringify(receiver.received)).not.toContain(core);
  });
});

describe('What the receiver answers', () => {
  it.each([200, 201, 202, 204, 299])('%i is done', async (status) => {
    receiver.always(answers(status));
    await world.create(receiver.url);
    await world.happen();
    expect(await world.work()).toEqual(['succeeded']);
  });

  it.each([
    [302, { location: 'https://user:pass@elsewhere.example/secret-path' }, 'HTTP 302'],
    [400, {}, 'HTTP 400'],
    [404, {}, 'HTTP 404'],
    [500, {}, 'HTTP 500'],
    [503, {}, 'HTTP 503'],
  ] as const)('%i is tried again, five seconds later at first', async (status, headers, detail) => {
    receiver.always(answers(status, headers));
    await world.create(receiver.url);
    await world.happen();
    expect(await world.work()).toEqual(['pending']);
    const job = await world.state(onlyJob());
    const wait = job.status === 'absent' ? 0 : job.nextAttemptAt - world.now();
    expect(wait).toBeGreaterThan(3_500);
    expect(wait).toBeLessThanOrEqual(5_500);
    const facts = JSON.stringify(world.log.events.map(({ data }) => data));
    expect(facts).toContain(detail);
    expect(facts).not.toContain('secret-path');
    if (status === 302) expect(facts).toContain('elsewhere.example');
  });

  it('nothing, a broken connection or silence are tried again under the same id', async () => {
    receiver.next(
      (response) => response.socket?.destroy(),
      () => {},
      answers(200),
    );
    await world.create(receiver.url);
    const eventId = await world.happen();
    expect(await world.work()).toEqual(['pending']);
    world.travel(6_000);
    expect(await world.work()).toEqual(['pending']);
    world.travel(6 * minute);
    expect(await world.work()).toEqual(['succeeded']);
    expect(idsOf()).toEqual([eventId, eventId, eventId]);
  });

  it('410 ends the webhook, and nothing more is sent', async () => {
    receiver.always(answers(410));
    const { webhookId } = await world.create(receiver.url);
    await world.happen();
    expect(await world.work()).toEqual(['failed']);
    expect(await world.webhook(webhookId)).toMatchObject({ status: 'disabled' });
    await world.happen();
    expect(await world.work()).toEqual([]);
    expect(receiver.received).toHaveLength(1);
  });

  it('with Retry-After is waited for as long as it says, but never longer than a day', async () => {
    receiver.next(answers(429, { 'retry-after': '3600' }), answers(503, { 'retry-after': '99999999' }));
    await world.create(receiver.url);
    await world.happen();
    await world.work();
    const waitOf = async () => {
      const job = await world.state(onlyJob());
      return job.status === 'absent' ? 0 : Math.round((job.nextAttemptAt - world.now()) / minute);
    };
    expect(await waitOf()).toBe(60);
    world.travel(hour + 1);
    await world.work();
    expect(await waitOf()).toBe(24 * 60);
  });

  it('with Retry-After as a date is waited for by the clock of the answer, also at most a day and never before its time', async () => {
    const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
    const dates = [
      ['Sun, 06 Nov 1994 09:49:37 GMT', 60],
      ['Sunday, 06-Nov-94 11:49:37 GMT', 3 * 60],
      ['Sun Nov  6 13:49:37 1994', 5 * 60],
      ['Mon, 06 Nov 1995 08:49:37 GMT', 24 * 60],
    ] as const;
    for (const [retryAfter] of dates) receiver.next(answers(503, { date, 'retry-after': retryAfter }));
    await world.create(receiver.url);
    await world.happen();
    const waited: number[] = [];
    for (const _ of dates) {
      await world.work();
      const job = await world.state(onlyJob());
      waited.push(job.status === 'absent' ? 0 : Math.round((job.nextAttemptAt - world.now()) / minute));
      world.travel(day + 1);
    }
    expect(waited).toEqual(dates.map(([, minutes]) => minutes));
  });

  it.each(['Sat, 05 Nov 1994 08:49:37 GMT', 'Sun, 36 Nov 1994 08:49:37 GMT', 'tomorrow', '-5', '1994-11-06'])(
    'with Retry-After %s is tried again when it would be anyway',
    async (retryAfter) => {
      receiver.next(answers(503, { date: 'Sun, 06 Nov 1994 08:49:37 GMT', 'retry-after': retryAfter }));
      await world.create(receiver.url);
      await world.happen();
      await world.work();
      const job = await world.state(onlyJob());
      if (job.status === 'absent') throw new Error('There is no job.');
      expect(job.nextAttemptAt - world.now()).toBeLessThan(6 * 1_000);
    },
  );

  it('never anything is given up after ten attempts over three days, and disables the webhook after five', async () => {
    receiver.always(answers(500));
    const { webhookId } = await world.create(receiver.url);
    await world.happen();
    const began = world.now();
    await world.work();
    for (const delay of deliveryDelaysMs) {
      world.travel(delay * 1.1 + 1);
      await world.work();
    }
    expect(await world.state(onlyJob())).toMatchObject({ status: 'dead', failures: 10 });
    expect(receiver.received).toHaveLength(10);
    expect(world.now() - began).toBeGreaterThan(3 * day);
    expect(await world.webhook(webhookId)).toMatchObject({ status: 'active' });
    world.travel(3 * day);
    await world.happen();
    await world.work();
    expect(await world.webhook(webhookId)).toMatchObject({ status: 'disabled' });
  });

  it('in between clears what was counted', async () => {
    receiver.next(answers(500));
    const { webhookId } = await world.create(receiver.url);
    await world.happen();
    await world.work();
    expect(await world.webhook(webhookId)).toMatchObject({ failingSince: expect.any(Number) });
    world.travel(6_000);
    expect(await world.work()).toEqual(['succeeded']);
    expect(await world.webhook(webhookId)).toMatchObject({ failingSince: 0, status: 'active' });
  });

  it('does not come when the name leads inside by then', async () => {
    const { webhookId } = await world.create(receiver.url);
    const state = await world.webhook(webhookId);
    if (state.status === 'absent') throw new Error('It is not there.');
    const settings = { url: 'http://127.0.0.2:9/', description: '', eventTypes: state.eventTypes, departmentIds: [] };
    await world.aggregates.webhook.send(webhookId, { type: 'ReviseWebhook', data: settings }, world.envelope());
    await world.happen();
    expect(await world.work()).toEqual(['pending']);
    expect(JSON.stringify(world.log.events.map(({ data }) => data))).toContain('address_refused');
    expect(receiver.connections()).toBe(0);
  });
});

describe('A crash', () => {
  it('between the message and its report sends the message again under the same id', async () => {
    await world.create(receiver.url);
    const eventId = await world.happen();
    await world.reacted();
    expect(await world.carryOut(onlyJob(), { silent: true })).toBe('died');
    expect(receiver.received).toHaveLength(1);
    world.travel(61_000);
    expect(await world.carryOut(onlyJob(), { holder: 'node/2' })).toBe('succeeded');
    expect(idsOf()).toEqual([eventId, eventId]);
  });
});
