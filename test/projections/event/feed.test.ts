import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createFeedWatch } from '../../../src/api/feedWatch.ts';
import { decode } from '../../../src/commands/envelope.ts';
import { hiddenFrom, isForTenants, toPublicEvent } from '../../../src/domain/publicEvent.ts';
import { rebuild } from '../../../src/projections/engine/index.ts';
import type { FeedArgs } from '../../../src/projections/event/feed.ts';
import { tables } from '../../../src/projections/tables.ts';
import { toCloudEvent } from '../../../src/sagas/cloudEvent.ts';
import { onEveryDatabase } from '../../support/database.ts';
import { makeHistory, sampleHistory } from '../../support/history.ts';
import { createMemoryLog, type MemoryLog } from '../../support/memoryLog.ts';
import { type ProjectionWorld, startProjection } from '../../support/projection.ts';

const told = (log: MemoryLog) =>
  log.events.flatMap((stored) => {
    const event = decode(stored);
    return event !== undefined && isForTenants(event.type, event.meta) ? [event] : [];
  });

const everything = async ({ queries }: ProjectionWorld, args: Partial<FeedArgs> & Pick<FeedArgs, 'workspaceId'>) => {
  const found = [];
  for (let [after, more] = [0, true]; more; ) {
    const page = await queries.feed({ role: 'OWNER', limit: 7, ...args, after });
    found.push(...page.events);
    ({ next: after, more } = page);
  }
  return found;
};

/** What a viewer is told, worked out from the facts alone. */
const visibleToViewers = (events: ReturnType<typeof told>): ReadonlySet<string> => {
  const hidden = new Set<string>(hiddenFrom('VIEWER'));
  const kept = new Set<string>();
  for (const { type, data, meta } of events) {
    if (type === 'CredentialCreated' || type === 'WebhookCreated') kept.add(`resource-${meta.subjectId}`);
    if (type === 'JobEnqueued' && /^(webhook|credential)[.]/.test(data.kind)) kept.add(`job-${meta.subjectId}`);
    if (type === 'ResourceRelationCreated' && [data.source, data.target].some((end) => hidden.has(end.type))) {
      kept.add(`resourceRelation-${meta.subjectId}`);
    }
  }
  const isTold = ({ meta: { category, subjectId } }: (typeof events)[number]): boolean =>
    !hidden.has(category) && !kept.has(`${category}-${subjectId}`);
  return new Set(events.filter(isTold).map(({ meta }) => meta.eventId));
};

await onEveryDatabase('the feed', (target) => {
  it('goes for a viewer no further than it is known what he may see, and then on from there', async () => {
    const log = createMemoryLog();
    const world = await startProjection(target, { log });
    try {
      const add = () =>
        log.add(`department-${randomUUID()}`, 'DepartmentCreated', { workspaceId: 'w', name: 'D', slug: 'd' }, of);
      const of = { workspaceId: 'w' };
      const [first, second] = [add(), add()];
      expect(await world.projector.waitFor(second, { timeoutMs: 30_000 })).toBe('reached');
      const seen = async (role: 'VIEWER' | 'ADMIN') =>
        (await everything(world, { workspaceId: 'w', role })).map(({ position }) => BigInt(position));
      const set = (position: bigint) =>
        sql`update projection_checkpoints set position = ${String(position)} where name = 'jobs'`.execute(
          world.database.session,
        );
      await set(first);
      expect([await seen('VIEWER'), await seen('ADMIN')]).toEqual([[first], [first, second]]);
      await set(second);
      expect(await seen('VIEWER')).toEqual([first, second]);
    } finally {
      await world.stop();
    }
  });

  it('holds for each workspace what NATS is told of it, in the same shape, once and in order', async () => {
    const log = createMemoryLog();
    await makeHistory(log, sampleHistory(300, 3));
    const world = await startProjection(target, { log });
    try {
      expect(await world.projector.waitFor(await log.head(), { timeoutMs: 30_000 })).toBe('reached');
      const events = told(log);
      const workspaces = new Set(events.map(({ meta }) => meta.workspaceId));
      expect(workspaces.size).toBeGreaterThan(1);
      const onNats = new Map(log.events.map((stored) => [stored.id, toCloudEvent(stored)]));
      for (const workspaceId of workspaces) {
        const found = await everything(world, { workspaceId });
        const mine = events.filter(({ meta }) => meta.workspaceId === workspaceId);
        expect(found.map(({ id }) => id)).toEqual(mine.map(({ meta }) => meta.eventId));
        for (const event of found) expect(event).toEqual(onNats.get(event.id));
        expect(found).toEqual(mine.map(toPublicEvent));
        const departmentId = mine.find(({ meta }) => meta.departmentId !== '')?.meta.departmentId ?? 'none';
        const limited = await everything(world, { workspaceId, departmentIds: [departmentId] });
        expect(limited).toEqual(found.filter(({ departmentid }) => departmentid === departmentId));
        expect(await everything(world, { workspaceId, departmentIds: [] })).toEqual([]);
        const forViewers = visibleToViewers(events);
        const viewed = await everything(world, { workspaceId, role: 'VIEWER' });
        expect(viewed).toEqual(found.filter(({ id }) => forViewers.has(id)));
      }
    } finally {
      await world.stop();
    }
  });

  it('loses nothing and repeats nothing for a reader while the tables are built again and swapped', async () => {
    const log = createMemoryLog();
    const world = await startProjection(target, { log, maxBatch: 3 });
    const over = new AbortController();
    try {
      const got: string[] = [];
      const reading = (async () => {
        let after = 0;
        while (!over.signal.aborted) {
          const page = await world.queries.feed({ workspaceId: 'w', role: 'OWNER', after, limit: 5 });
          got.push(...page.events.map(({ id }) => id));
          after = page.next;
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      const add = (): bigint =>
        log.add(
          `department-${randomUUID()}`,
          'DepartmentCreated',
          { workspaceId: 'w', name: 'D', slug: 'd' },
          { workspaceId: 'w' },
        );
      let position = 0n;
      for (let round = 0; round < 3; round += 1) {
        for (let n = 0; n < 20; n += 1) position = add();
        await rebuild({ log, database: world.database, tables, decode });
        for (let n = 0; n < 5; n += 1) position = add();
        await world.projector.resume();
        expect(await world.projector.waitFor(position, { timeoutMs: 30_000 })).toBe('reached');
      }
      await expect.poll(() => got.length, { timeout: 20_000 }).toBe(log.events.length);
      over.abort();
      await reading;
      expect(got).toEqual(log.events.map(({ id }) => id));
    } finally {
      over.abort();
      await world.stop();
    }
  });
});

describe('whoever waits for events', () => {
  const never = new AbortController().signal;

  it('is woken for his own workspace and not for others, also by what came before he waited', async () => {
    let newest = 1;
    let changed: readonly string[] = [];
    const watch = createFeedWatch({
      newestEvent: async () => newest,
      feedChanges: async () => ({ workspaceIds: changed, position: newest }),
    });
    const [mine, other] = [watch.subscribe('mine'), watch.subscribe('other')];
    watch.changed();
    await Promise.all([mine.wait(60_000, never), other.wait(60_000, never)]);
    [newest, changed] = [2, ['mine']];
    let isOtherAwake = false;
    const stop = new AbortController();
    const waiting = other.wait(60_000, stop.signal).then(() => {
      isOtherAwake = true;
    });
    watch.changed();
    await mine.wait(60_000, never);
    expect(isOtherAwake).toBe(false);
    stop.abort();
    await waiting;
    mine.close();
    other.close();
  });

  it('looks for himself when nobody can tell what changed', async () => {
    const watch = createFeedWatch({
      newestEvent: () => Promise.reject(new Error('away')),
      feedChanges: () => Promise.reject(new Error('away')),
    });
    const subscription = watch.subscribe('mine');
    const waiting = subscription.wait(60_000, never);
    watch.changed();
    await waiting;
    subscription.close();
  });

  it('costs nothing once he is gone', async () => {
    let looks = 0;
    const watch = createFeedWatch({
      newestEvent: async () => {
        looks += 1;
        return 1;
      },
      feedChanges: async () => ({ workspaceIds: [], position: 1 }),
    });
    watch.subscribe('mine').close();
    watch.changed();
    expect(looks).toBe(0);
  });
});
