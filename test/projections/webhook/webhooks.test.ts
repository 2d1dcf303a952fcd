import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { WebhookEvent } from '../../../src/domain/webhook/index.ts';
import { onEveryDatabase } from '../../support/database.ts';
import { enqueued } from '../../support/jobFacts.ts';
import { type Fact, fact, type ProjectionWorld, startProjection } from '../../support/projection.ts';

const settings = { url: 'https://hooks.example/in', description: 'Orders', eventTypes: ['*'], departmentIds: ['d1'] };
const encryptedData = { iv: 'aXY=', tag: 'dA==', data: 'c2VhbGVk' };

await onEveryDatabase('the table of webhooks', (target) => {
  let world: ProjectionWorld;
  beforeAll(async () => {
    world = await startProjection(target);
  });
  beforeEach(() => world.reset());
  afterAll(() => world.stop());

  const of = (webhookId: string, workspaceId: string, ...events: readonly WebhookEvent[]): readonly Fact[] =>
    events.map((event) => fact(`webhook-${webhookId}`, event, { workspaceId }));
  const created = (workspaceId: string): WebhookEvent => ({
    type: 'WebhookCreated',
    data: { ...settings, workspaceId, keyId: 'key-1', encryptedData },
  });
  const paused: WebhookEvent = { type: 'WebhookPaused', data: {} };
  const resumed: WebhookEvent = { type: 'WebhookResumed', data: {} };

  it('shows what there is of one workspace alone, and nothing of a secret', async () => {
    await world.project([...of('a', 'w1', created('w1')), ...of('b', 'w2', created('w2'))]);
    const rows = await world.queries.webhooks({ workspaceId: 'w1' });
    expect(rows).toMatchObject([
      { webhookId: 'a', ...settings, status: 'active', secretVersion: 1, failingSince: null },
    ]);
    expect(await world.queries.webhook({ workspaceId: 'w1', webhookId: 'b' })).toBeUndefined();
    const stored = await world.database.db.selectFrom('webhooks').selectAll().execute();
    expect(JSON.stringify(stored)).not.toMatch(/c2VhbGVk|key-1/);
  });

  it('follows failures, rests and their reasons, without what looks like a secret', async () => {
    const began: WebhookEvent = { type: 'WebhookFailureBegan', data: { since: 5_000, detail: 'HTTP 500' } };
    const disabled: WebhookEvent = {
      type: 'WebhookDisabled',
      data: { reasonCode: 'failing', reason: 'It said Bearer abcdefghijkl' },
    };
    await world.project(of('a', 'w1', created('w1'), began, disabled));
    const find = () => world.queries.webhook({ workspaceId: 'w1', webhookId: 'a' });
    expect(await find()).toMatchObject({
      ...{ status: 'disabled', reasonCode: 'failing', reason: 'It said Bearer [masked]', failingSince: 5_000 },
      inactiveSince: expect.any(Number),
    });
    expect(await world.queries.webhookCounts()).toContainEqual({ status: 'disabled', failing: true, count: 1 });
    await world.project(of('a', 'w1', resumed));
    expect(await find()).toMatchObject({
      status: 'active',
      reasonCode: null,
      reason: null,
      inactiveSince: null,
      failingSince: null,
    });
  });

  it('tells whoever delivers from where to where in the log each takes events', async () => {
    await world.project(of('a', 'w1', created('w1'), paused, resumed));
    const [one] = await world.queries.webhookSubscriptions();
    expect(one).toMatchObject({ webhookId: 'a', workspaceId: 'w1', status: 'active', eventTypes: ['*'] });
    if (!one) throw new Error('It is not there.');
    expect(one.createdPosition < one.inactivePosition && one.inactivePosition < one.resumedPosition).toBe(true);
    expect(one.position).toBe(one.resumedPosition);
  });

  it('keeps of a removed one that it was, and not where it led', async () => {
    await world.project(of('a', 'w1', created('w1'), { type: 'WebhookRemoved', data: { keyIds: ['key-1'] } }));
    expect(await world.queries.webhooks({ workspaceId: 'w1' })).toEqual([]);
    expect(await world.queries.webhook({ workspaceId: 'w1', webhookId: 'a' })).toBeUndefined();
    expect(await world.queries.webhookSubscriptions()).toEqual([]);
    const stored = await world.database.db.selectFrom('webhooks').selectAll().execute();
    expect(stored).toMatchObject([{ id: 'a', status: 'removed', url: null }]);
  });

  it('holds the messages of webhooks that are paused or disabled, but no tests of them and nothing else', async () => {
    const job = (id: string, kind: string, subjectId: string): Fact =>
      fact(`job-${id}`, enqueued({ workspaceId: 'w1', kind, subjectId, dedupeKey: id }), { workspaceId: 'w1' });
    const workspace = { type: 'WorkspaceCreated', data: { name: 'w1', slug: 'w1' } } as const;
    const disabled = { type: 'WebhookDisabled', data: { reasonCode: 'gone', reason: 'HTTP 410' } } as const;
    await world.project([
      fact('workspace-w1', workspace, { workspaceId: 'w1' }),
      ...of('paused', 'w1', created('w1'), paused),
      ...of('disabled', 'w1', created('w1'), disabled),
      ...of('resumed', 'w1', created('w1'), paused, resumed),
      ...['paused', 'disabled', 'resumed', 'unknown'].flatMap((id) => [
        job(`${id}-message`, 'webhook.deliver', id),
        job(`${id}-test`, 'webhook.test', id),
      ]),
    ]);
    const due = await world.queries.dueJobs({
      ...{ now: 9_000, limit: 20, kinds: ['webhook.deliver', 'webhook.test'], heldKinds: ['webhook.deliver'] },
    });
    expect(due.map(({ jobId }) => jobId).toSorted()).toEqual([
      ...['disabled-test', 'paused-test', 'resumed-message', 'resumed-test', 'unknown-message', 'unknown-test'],
    ]);
  });

  it('leaves out jobs of what is busy, however many there are', async () => {
    const job = (id: string, subjectId: string, runAt = 1_000): Fact =>
      fact(`job-${id}`, enqueued({ workspaceId: 'w1', subjectId, dedupeKey: id, runAt }), { workspaceId: 'w1' });
    const workspace = { type: 'WorkspaceCreated', data: { name: 'w1', slug: 'w1' } } as const;
    const backlog = Array.from({ length: 20 }, (_, index) => job(`slow-${index}`, 'slow'));
    await world.project([
      fact('workspace-w1', workspace, { workspaceId: 'w1' }),
      ...backlog,
      job('quick-0', 'quick', 5_000),
    ]);
    const due = { now: 9_000, limit: 3, kinds: ['domain.verify'] };
    const subjects = async (notSubjects: readonly string[]) =>
      (await world.queries.dueJobs({ ...due, notSubjects })).map(({ subjectId }) => subjectId);
    expect(await subjects([])).not.toContain('quick');
    expect(await subjects(['slow'])).toEqual(['quick']);
    expect(await subjects(['slow', 'quick'])).toEqual([]);
  });
});
