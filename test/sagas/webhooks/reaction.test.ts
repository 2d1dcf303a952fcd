import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { enqueueJob } from '../../../src/commands/job.ts';
import { removeWebhook } from '../../../src/commands/webhook.ts';
import { enqueueReplay } from '../../../src/commands/webhookDelivery.ts';
import { answers, type Receiver, startReceiver } from '../../support/receiver.ts';
import { startWebhookWorld, type WebhookWorld } from '../../support/webhookWorld.ts';

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
const tell = (webhookId: string, type: 'PauseWebhook' | 'ResumeWebhook') =>
  world.aggregates.webhook.send(webhookId, { type, data: {} }, world.envelope());

describe('Events become deliveries', () => {
  it('of every webhook that wants them, once, however often they come by', async () => {
    await world.create(receiver.url);
    await world.create(receiver.url, { eventTypes: ['*'] });
    await world.create(receiver.url, { eventTypes: ['edgeWorker.*'] });
    const eventId = await world.happen();
    expect(await world.work()).toEqual(['succeeded', 'succeeded']);
    expect(idsOf()).toEqual([eventId, eventId]);
    const jobs = world.jobIds().length;
    await world.restart();
    expect(await world.work()).toEqual([]);
    expect(world.jobIds()).toHaveLength(jobs);
  });

  it('from the creation of the webhook on, and none of before', async () => {
    await world.happen();
    await world.create(receiver.url);
    const after = await world.happen();
    await world.restart();
    await world.work();
    expect(idsOf()).toEqual([after]);
  });

  it('of its departments only, when it names some', async () => {
    const departmentId = randomUUID();
    await world.create(receiver.url, { departmentIds: [departmentId] });
    await world.happen();
    const mine = await world.happen(departmentId);
    await world.work();
    expect(idsOf()).toEqual([mine]);
  });

  it('of its departments never with a relation to what is of others, or of the unlimited', async () => {
    const departmentId = randomUUID();
    const eventTypes = ['resourceRelation.*'];
    const some = await world.create(`${receiver.url}/some`, { departmentIds: [departmentId], eventTypes });
    await world.create(`${receiver.url}/all`, { eventTypes });
    const from = world.now();
    const end = (type: string, of: string) => ({ id: randomUUID(), type, departmentId: of, incarnation: '' });
    const told: string[] = [];
    const relate = async (target: ReturnType<typeof end>) => {
      const { workspaceId } = world;
      const id = randomUUID();
      const data = { workspaceId, relationType: 'uses', source: end('custom', departmentId), target };
      const { send } = world.aggregates.resourceRelation;
      await send(id, { type: 'CreateResourceRelation', data }, world.envelope({ departmentId }));
      await send(id, { type: 'RemoveResourceRelation', data: { workspaceId } }, world.envelope({ departmentId }));
      told.push(...world.log.events.flatMap((each) => (each.stream === `resourceRelation-${id}` ? [each.id] : [])));
    };
    for (const target of [end('custom', departmentId), end('custom', '')]) await relate(target);
    const within = [...told];
    for (const target of [end('custom', randomUUID()), end('credential', ''), end('webhook', '')]) await relate(target);
    await world.work();
    const sentTo = (path: string) => idsOf().filter((_, at) => receiver.received[at]?.path === `/hook/${path}`);
    expect(sentTo('all').toSorted()).toEqual(told.toSorted());
    expect(sentTo('some').toSorted()).toEqual(within.toSorted());
    world.travel(60_000);
    const to = { workspaceId: world.workspaceId, webhookId: some.webhookId };
    await enqueueReplay(world, to, { fromMs: from, toMs: world.now() }, world.envelope());
    await world.work();
    expect(sentTo('some').toSorted()).toEqual([...within, ...within].toSorted());
  });

  it('never of another workspace', async () => {
    await world.create(receiver.url, { eventTypes: ['*'] });
    const other = randomUUID();
    const data = { workspaceId: other, name: 'D', slug: 'd' };
    const envelope = world.envelope({ workspaceId: other });
    await world.aggregates.department.send(randomUUID(), { type: 'CreateDepartment', data }, envelope);
    await world.work();
    expect(receiver.received).toEqual([]);
  });

  it('not of what happens while it is paused, but of what happened before, however late that is seen', async () => {
    const { webhookId } = await world.create(receiver.url);
    const before = await world.happen();
    await tell(webhookId, 'PauseWebhook');
    await world.happen();
    await tell(webhookId, 'ResumeWebhook');
    const after = await world.happen();
    await world.restart();
    await world.work();
    expect(idsOf().toSorted()).toEqual([before, after].toSorted());
  });

  it('that wait while it is paused, and go on when it is resumed', async () => {
    const { webhookId } = await world.create(receiver.url);
    const before = await world.happen();
    await world.reacted();
    await tell(webhookId, 'PauseWebhook');
    expect(await world.work()).toEqual(['pending']);
    expect(receiver.received).toEqual([]);
    await tell(webhookId, 'ResumeWebhook');
    world.travel(3_600_000);
    expect(await world.work()).toEqual(['succeeded']);
    expect(idsOf()).toEqual([before]);
  });

  it('that wait while it is paused spend none of their attempts', async () => {
    receiver.always(answers(500));
    const { webhookId } = await world.create(receiver.url);
    const eventId = await world.happen();
    await world.work();
    await tell(webhookId, 'PauseWebhook');
    for (let look = 0; look < 12; look += 1) {
      world.travel(48 * 3_600_000);
      expect(await world.work()).toEqual(['pending']);
    }
    expect(await world.state(world.jobIds()[0] ?? '')).toMatchObject({ status: 'pending', failures: 1 });
    await tell(webhookId, 'ResumeWebhook');
    receiver.always(answers(200));
    world.travel(48 * 3_600_000);
    expect(await world.work()).toEqual(['succeeded']);
    expect(idsOf()).toEqual([eventId, eventId]);
  });

  it('and deliveries become none, nor what becomes of webhooks', async () => {
    receiver.next(answers(500), answers(200));
    const { webhookId } = await world.create(receiver.url, { eventTypes: ['*', 'job.*'] });
    await world.happen();
    await world.work();
    world.travel(6_000);
    await world.work();
    await tell(webhookId, 'PauseWebhook');
    await tell(webhookId, 'ResumeWebhook');
    expect(await world.work()).toEqual([]);
    expect(receiver.received).toHaveLength(2);
    // While other jobs are told of to whoever asks for them.
    const { workspaceId } = world;
    await enqueueJob(
      world,
      { kind: 'domain.verify', workspaceId, subjectId: 's', dedupeKey: 'k', runAt: 9e11 * 5 },
      world.envelope(),
    );
    expect(await world.work()).toEqual(['succeeded']);
    expect(JSON.parse(receiver.received[2]?.body ?? '')).toMatchObject({ type: 'opslog.job.JobEnqueued' });
  });
});

describe('The end of a webhook', () => {
  it('destroys its keys, and what waits is not sent', async () => {
    const { webhookId } = await world.create(receiver.url);
    await world.happen();
    await world.reacted();
    const { workspaceId } = world;
    await removeWebhook(world, { workspaceId, webhookId }, world.envelope());
    expect((await world.work()).toSorted()).toEqual(['failed', 'succeeded']);
    expect(receiver.received).toEqual([]);
    expect(world.vault.living()).toEqual([]);
  });

  it('comes with the end of its workspace', async () => {
    const { webhookId } = await world.create(receiver.url);
    const command = { type: 'DeleteWorkspace', data: { confirm: 'w' } } as const;
    await world.aggregates.workspace.send(world.workspaceId, command, world.envelope());
    await world.work();
    expect(await world.webhook(webhookId)).toMatchObject({ status: 'removed', url: '' });
    const late = await world.create(receiver.url);
    await world.work();
    expect(await world.webhook(late.webhookId)).toMatchObject({ status: 'removed' });
    expect(world.vault.living()).toEqual([]);
  });
});

describe('A replay', () => {
  const replay = async (webhookId: string, fromMs: number, toMs: number, key?: string) => {
    const envelope = world.envelope(key === undefined ? {} : { commandId: key });
    const { workspaceId } = world;
    const enqueued = await enqueueReplay(world, { webhookId, workspaceId }, { fromMs, toMs }, envelope);
    if (!enqueued.ok) throw new Error(enqueued.rejection.rejected);
  };

  it('sends what the filter wants of a time once more, under the ids of the first time', async () => {
    const early = await world.happen();
    world.travel(60_000);
    const from = world.now();
    const { webhookId } = await world.create(receiver.url);
    const first = await world.happen();
    await tell(webhookId, 'PauseWebhook');
    const missed = await world.happen();
    await tell(webhookId, 'ResumeWebhook');
    world.travel(60_000);
    const to = world.now();
    const late = await world.happen();
    await world.work();
    expect(idsOf().toSorted()).toEqual([first, late].toSorted());
    await replay(webhookId, from, to);
    await world.work();
    expect(idsOf().slice(2).toSorted()).toEqual([first, missed].toSorted());
    expect(idsOf()).not.toContain(early);
  });

  it('of the same request sends nothing twice, and one of another request sends again', async () => {
    const { webhookId } = await world.create(receiver.url);
    await world.happen();
    await world.work();
    world.travel(1);
    const [from, to] = [world.now() - 60_000, world.now()];
    for (const key of ['one', 'one', 'two']) await replay(webhookId, from, to, key);
    await world.work();
    expect(receiver.received).toHaveLength(3);
    await replay(webhookId, from, to, 'one');
    await world.restart();
    await world.work();
    expect(receiver.received).toHaveLength(3);
  });

  it('reads the log from where its time begins to where it ends', async () => {
    const { webhookId } = await world.create(receiver.url);
    await world.happen();
    await world.work();
    world.travel(60_000);
    const from = world.now();
    const first = await world.happen();
    await world.work();
    const begins = world.log.events.findIndex(({ id }) => id === first);
    const before = world.log.events[begins - 1]?.position;
    world.travel(60_000);
    const to = world.now();
    await world.happen();
    await world.work();
    await replay(webhookId, from, to);
    await world.work();
    expect(world.readFrom).toEqual([before]);
    // Nothing of a time in which nothing happened is looked for.
    world.travel(60_000);
    await replay(webhookId, world.now() - 2, world.now() - 1);
    await world.work();
    expect(world.readFrom).toHaveLength(1);
  });

  it('that dies half way goes on and sends each once', async () => {
    const { webhookId } = await world.create(receiver.url);
    for (let index = 0; index < 3; index += 1) await world.happen();
    await world.work();
    world.travel(1);
    await replay(webhookId, world.now() - 60_000, world.now());
    const job = world.jobIds().at(-1) ?? '';
    expect(await world.carryOut(job, { silent: true })).toBe('died');
    world.travel(61_000);
    expect(await world.carryOut(job, { holder: 'node/2' })).toBe('succeeded');
    await world.work();
    expect(receiver.received).toHaveLength(6);
  });
});
