import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ArtifactStore } from '../../src/platform/artifacts/port.ts';

export type Clock = { now: number };

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Opens one store as often as it is called, as processes that share it do. */
export type Place = () => Promise<ArtifactStore>;

/**
 * What every artifact store keeps; `prepare` gives an empty one whose openings read the time from the clock. Rules about work
 * side by side are tried `rounds` times.
 */
export const artifactStoreContract = (name: string, prepare: (clock: Clock) => Promise<Place>, rounds = 40): void => {
  describe(`the artifact store contract, on ${name}`, () => {
    const clock: Clock = { now: 0 };
    let open: Place;
    let store: ArtifactStore;
    beforeEach(async () => {
      clock.now = 1_700_000_000_123;
      open = await prepare(clock);
      store = await open();
    });
    const listed = async () => {
      const found: { digest: string; bytes: number; touchedAt: number }[] = [];
      for await (const artifact of store.list()) found.push(artifact);
      return found.toSorted((a, b) => a.digest.localeCompare(b.digest));
    };

    it('gives back the bytes that were put, under their SHA-256', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
          const { digest } = await store.put(bytes);
          expect(digest).toBe(sha256(bytes));
          expect(await store.get(digest)).toEqual(Uint8Array.from(bytes));
          expect(await store.has(digest)).toBe(true);
        }),
        { numRuns: rounds },
      );
    });

    it('says created once, and keeps one copy however often the same is put', async () => {
      const puts = await Promise.all(Array.from({ length: 20 }, () => store.put(bytesOf('same'))));
      expect(puts.filter((put) => put.created)).toHaveLength(1);
      expect(await listed()).toEqual([{ digest: sha256(bytesOf('same')), bytes: 4, touchedAt: clock.now }]);
    });

    it('lists every artifact with its size and when it was last touched', async () => {
      expect(await listed()).toEqual([]);
      const first = await store.put(bytesOf('first'));
      clock.now += 1000;
      const second = await store.put(bytesOf('second!'));
      const expected = [
        { digest: first.digest, bytes: 5, touchedAt: clock.now - 1000 },
        { digest: second.digest, bytes: 7, touchedAt: clock.now },
      ];
      expect(await listed()).toEqual(expected.toSorted((a, b) => a.digest.localeCompare(b.digest)));
    });

    it('answers undefined or false for what is not there', async () => {
      const digest = sha256(bytesOf('never stored'));
      expect(await store.get(digest)).toBeUndefined();
      expect(await store.has(digest)).toBe(false);
      expect(await store.remove(digest)).toBe(false);
    });

    it('removes once and for all, and takes the same bytes again afterwards', async () => {
      const { digest } = await store.put(bytesOf('gone'));
      expect(await store.remove(digest)).toBe(true);
      expect(await store.remove(digest)).toBe(false);
      expect(await store.get(digest)).toBeUndefined();
      expect(await store.put(bytesOf('gone'))).toEqual({ digest, created: true });
    });

    it('keeps what was touched after the time given, and putting again is a touch', async () => {
      const { digest } = await store.put(bytesOf('kept'));
      const limit = clock.now;
      clock.now += 1;
      await store.put(bytesOf('kept'));
      expect(await store.remove(digest, { unlessTouchedAfter: limit })).toBe(false);
      expect(await store.has(digest)).toBe(true);
      expect(await store.remove(digest, { unlessTouchedAfter: limit + 1 })).toBe(true);
    });

    it('never loses an artifact whose put has resolved to a removal that ran beside it', async () => {
      const bytes = bytesOf('contested');
      const { digest } = await store.put(bytes);
      const putAndLook = async () => {
        await store.put(bytes);
        expect(await store.get(digest)).toEqual(bytes);
      };
      for (let round = 0; round < rounds; round += 1) {
        const limit = clock.now;
        clock.now += 1;
        const removal = () => store.remove(digest, { unlessTouchedAfter: limit });
        await Promise.all([removal(), putAndLook(), removal(), putAndLook(), removal(), putAndLook()]);
        expect(await store.get(digest)).toEqual(bytes);
      }
    });

    it('never loses it to a removal in another process either', async () => {
      const other = await open();
      const bytes = bytesOf('contested by two');
      const { digest } = await store.put(bytes);
      for (let round = 0; round < rounds; round += 1) {
        const limit = clock.now;
        clock.now += 1;
        await Promise.all([store.put(bytes), other.remove(digest, { unlessTouchedAfter: limit }), other.put(bytes)]);
        expect(await store.get(digest)).toEqual(bytes);
        expect(await other.get(digest)).toEqual(bytes);
      }
    });

    it('is one store, however many processes have it open and whichever of them is asked', async () => {
      const one = fc.record({
        store: fc.boolean(),
        text: fc.constantFrom('a', 'b'),
        ms: fc.integer({ min: 0, max: 2 }),
      });
      const step = fc.oneof(
        one.map((rest) => ({ ...rest, kind: 'put' as const })),
        one.map((rest) => ({ ...rest, kind: 'remove' as const })),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const place = await prepare(clock);
          const [here, there] = [await place(), await place()];
          const touched = new Map<string, number>();
          for (const { kind, store: isHere, text, ms } of steps) {
            const asked = isHere ? here : there;
            const digest = sha256(bytesOf(text));
            const known = touched.get(digest);
            clock.now += ms;
            if (kind === 'put') {
              expect(await asked.put(bytesOf(text))).toEqual({ digest, created: known === undefined });
              touched.set(digest, clock.now);
            } else {
              const limit = clock.now - 1;
              const expected = known !== undefined && known <= limit;
              expect(await asked.remove(digest, { unlessTouchedAfter: limit })).toBe(expected);
              if (expected) touched.delete(digest);
            }
            expect(await (isHere ? there : here).has(digest)).toBe(touched.has(digest));
          }
          const found = new Map<string, number>();
          for await (const { digest, touchedAt } of here.list()) found.set(digest, touchedAt);
          expect(found).toEqual(touched);
        }),
        { numRuns: rounds },
      );
    });

    it.each([
      '',
      'abc',
      '../../etc/passwd',
      'A'.repeat(64),
      `${'a'.repeat(63)}/`,
      `${'a'.repeat(64)}\n`,
      '.'.repeat(64),
    ])('refuses %j as a digest in every operation', async (digest) => {
      await expect(store.get(digest)).rejects.toThrow('64 lower-case hex digits');
      await expect(store.has(digest)).rejects.toThrow('64 lower-case hex digits');
      await expect(store.remove(digest)).rejects.toThrow('64 lower-case hex digits');
    });
  });
};
