import fc from 'fast-check';
import { expect, test } from 'vitest';
import { slots } from '../../../src/platform/eventLog/slots.ts';

test('never more than was allowed is in flight, and everybody gets a turn in the order of asking', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 5 }), async (asked, most) => {
      const room = slots(most, 20);
      const order: number[] = [];
      let inFlight = 0;
      let bytes = 0;
      await Promise.all(
        asked.map(async (size, index) => {
          const release = await room.take(size);
          order.push(index);
          inFlight += 1;
          bytes += size;
          expect(inFlight).toBeLessThanOrEqual(most);
          expect(bytes).toBeLessThanOrEqual(20);
          await Promise.resolve();
          inFlight -= 1;
          bytes -= size;
          release();
        }),
      );
      expect(order).toEqual(asked.map((_, index) => index));
    }),
  );
});

test('what is larger than all the room there is goes alone', async () => {
  const room = slots(5, 10);
  const release = await room.take(1_000);
  let started = false;
  const waiting = room.take(1).then((done) => {
    started = true;
    return done;
  });
  await Promise.resolve();
  expect(started).toBe(false);
  release();
  (await waiting)();
});
