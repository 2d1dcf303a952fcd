import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sha256 } from '../../../src/platform/artifacts/digest.ts';
import type { Objects } from '../../../src/platform/artifacts/s3Objects.ts';
import { createS3Store } from '../../../src/platform/artifacts/s3Store.ts';

/** A store of objects as S3 promises it: each request takes effect at one moment, seen by all; the scheduler says in which order. */
const scheduledObjects = (scheduler: fc.Scheduler) => {
  const objects = new Map<string, Uint8Array>();
  const at = <Result>(effect: () => Result): Promise<Result> => scheduler.schedule(Promise.resolve()).then(effect);
  const api: Objects = {
    put: (key, bytes) => at(() => void objects.set(key, bytes)),
    get: (key) => at(() => objects.get(key)),
    remove: (key) => at(() => void objects.delete(key)),
    async *list(prefix) {
      yield* await at(() =>
        [...objects]
          .filter(([key]) => key.startsWith(prefix))
          .map(([key, bytes]) => ({ key, size: bytes.length }))
          .toSorted((one, other) => (one.key < other.key ? -1 : 1)),
      );
    },
    close: () => undefined,
  };
  return { api, objects };
};

const bytes = new TextEncoder().encode('contested');
const digest = sha256(bytes);
const before = 1_000_000;

it('in whatever order requests of two processes take effect, what a put has stored outlives every earlier limit', async () => {
  const work = fc.array(fc.record({ isPut: fc.boolean(), isHere: fc.boolean() }), { minLength: 2, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), work, async (scheduler, all) => {
      const { api } = scheduledObjects(scheduler);
      let now = before;
      const stores = [createS3Store(api, '', () => now++), createS3Store(api, '', () => now++)] as const;
      const run = async ({ isPut, isHere }: { isPut: boolean; isHere: boolean }): Promise<void> => {
        const store = stores[isHere ? 0 : 1];
        if (!isPut) {
          await store.remove(digest, { unlessTouchedAfter: before });
          return;
        }
        await store.put(bytes);
        expect(await store.get(digest)).toEqual(bytes);
      };
      await scheduler.waitFor(stores[0].put(bytes));
      await scheduler.waitFor(Promise.all(all.map(run)));
      if (all.some(({ isPut }) => isPut)) expect(await scheduler.waitFor(stores[1].get(digest))).toEqual(bytes);
    }),
    { numRuns: 400 },
  );
});

it('a process whose clock is behind takes nothing away that another has touched later', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const { api } = scheduledObjects(scheduler);
      const ahead = createS3Store(api, '', () => before + 10);
      const behind = createS3Store(api, '', () => before + 5);
      await scheduler.waitFor(Promise.all([ahead.put(bytes), behind.put(bytes)]));
      await scheduler.waitFor(behind.put(bytes));
      expect(await scheduler.waitFor(behind.remove(digest, { unlessTouchedAfter: before + 7 }))).toBe(false);
      expect(await scheduler.waitFor(ahead.get(digest))).toEqual(bytes);
    }),
    { numRuns: 50 },
  );
});

it('whoever puts first what nobody has hears that it was created, in whatever order requests take effect', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), async (scheduler, all) => {
      const { api, objects } = scheduledObjects(scheduler);
      let now = before;
      const stores = [createS3Store(api, '', () => now++), createS3Store(api, '', () => now++)] as const;
      const puts = await scheduler.waitFor(Promise.all(all.map((isHere) => stores[isHere ? 0 : 1].put(bytes))));
      expect(puts.some(({ created }) => created)).toBe(true);
      const inOneProcess = puts.filter(({ created }, index) => created && all[index]);
      expect(inOneProcess.length).toBeLessThanOrEqual(1);
      expect(objects.size).toBeGreaterThan(0);
    }),
    { numRuns: 300 },
  );
});

it('a put is touched no earlier than it was asked for, even when it shares the request of another', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 5 }), async (scheduler, count) => {
      const { api } = scheduledObjects(scheduler);
      let now = before;
      const store = createS3Store(api, '', () => now);
      const putLater = async (turns: number): Promise<void> => {
        for (let turn = 0; turn < turns; turn += 1) await scheduler.schedule(Promise.resolve());
        now += 1;
        const asked = now;
        await store.put(bytes);
        for await (const { touchedAt } of store.list()) expect(touchedAt).toBeGreaterThanOrEqual(asked);
      };
      await scheduler.waitFor(Promise.all(Array.from({ length: count }, (_, index) => putLater(index * 2))));
    }),
    { numRuns: 200 },
  );
});
