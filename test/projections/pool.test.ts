import { describe, expect, it } from 'vitest';
import { createPool } from '../../src/projections/past/pool.ts';

describe('a pool of what is dear', () => {
  const limits = { open: 2, waitingPerOwner: 1, waiting: 2, waitMs: 60_000, idleMs: 60_000, turnMs: 60_000 };
  const things: string[] = [];
  type Thing = { readonly name: string; close(): Promise<void> };
  const thing = (name: string) => async (): Promise<Thing> => ({
    name,
    close: async () => void things.push(`closed ${name}`),
  });
  const later = (name: string) => {
    let settle = (_thing: Thing): void => {};
    const promise = new Promise<Thing>((resolve) => {
      settle = resolve;
    });
    return { make: () => promise, done: async () => settle(await thing(name)()) };
  };

  it('makes a thing once for all who ask for it meanwhile', async () => {
    const pool = createPool<Thing>(limits);
    let made = 0;
    const make = async () => {
      made += 1;
      return thing('a')();
    };
    const held = await Promise.all([1, 2, 3].map(() => pool.take('w', 'a', make)));
    expect(made).toBe(1);
    expect(new Set(held.map((each) => each.thing)).size).toBe(1);
    await pool.close();
  });

  it('makes one at a time for an owner, and refuses who would wait behind too many', async () => {
    const pool = createPool<Thing>(limits);
    const [first, second] = [later('first'), later('second')];
    const one = pool.take('w', 'first', first.make);
    const two = pool.take('w', 'second', second.make);
    await expect(pool.take('w', 'third', thing('third'))).rejects.toMatchObject({ name: 'PastBusy' });
    const other = await pool.take('v', 'other', thing('other'));
    await first.done();
    (await one).release();
    await second.done();
    expect((await two).thing.name).toBe('second');
    other.release();
    await pool.close();
  });

  it('closes what nobody uses to make room, and never what somebody does', async () => {
    const pool = createPool<Thing>(limits);
    things.length = 0;
    const used = await pool.take('u', 'used', thing('used'));
    (await pool.take('v', 'idle', thing('idle'))).release();
    const third = await pool.take('w', 'third', thing('third'));
    expect(things).toEqual(['closed idle']);
    const waiting = pool.take('x', 'fourth', thing('fourth'));
    used.release();
    expect((await waiting).thing.name).toBe('fourth');
    expect(things).toEqual(['closed idle', 'closed used']);
    third.release();
    await pool.close();
  });

  it('forgets what could not be made', async () => {
    const pool = createPool<Thing>(limits);
    await expect(pool.take('w', 'a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect((await pool.take('w', 'a', thing('a'))).thing.name).toBe('a');
    await pool.close();
  });

  it('makes a thing anew that is gone without having been closed', async () => {
    const pool = createPool<Thing & { gone: Promise<void> }>(limits);
    let go = (): void => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    const mortal = async () => ({ ...(await thing('mortal')()), gone });
    (await pool.take('w', 'a', mortal)).release();
    go();
    await gone;
    const lasting = async () => ({ ...(await thing('lasting')()), gone: new Promise<void>(() => {}) });
    expect((await pool.take('w', 'a', lasting)).thing.name).toBe('lasting');
    await pool.close();
  });
});

describe('an owner of a pool', () => {
  type Thing = { readonly name: string; close(): Promise<void> };
  const closed: string[] = [];
  const thing = (name: string) => async (): Promise<Thing> => ({ name, close: async () => void closed.push(name) });
  const limits = { open: 2, waitingPerOwner: 4, waiting: 16, waitMs: 60_000, idleMs: 60_000, turnMs: 60_000 };
  /** Whether it has settled by the time that everything else has been done which is due. */
  const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
    let settled = false;
    const note = (): void => {
      settled = true;
    };
    promise.then(note, note);
    await new Promise(setImmediate);
    return settled;
  };

  it('who has both places, and somebody always using them, gives one up as soon as another owner waits', async () => {
    const pool = createPool<Thing>(limits);
    closed.length = 0;
    const first = await pool.take('greedy', 'first', thing('first'));
    const second = await pool.take('greedy', 'second', thing('second'));
    const other = pool.take('other', 'others', thing('others'));
    expect(await isSettled(other)).toBe(false);
    // The one that was used last is kept, the other one serves nobody new.
    const again = await pool.take('greedy', 'second', thing('second'));
    const next = pool.take('greedy', 'first', thing('first once more'));
    expect(await isSettled(next)).toBe(false);
    first.release();
    expect((await other).thing.name).toBe('others');
    expect(closed).toEqual(['first']);
    expect(await isSettled(next)).toBe(false);
    second.release();
    again.release();
    expect((await next).thing.name).toBe('first once more');
    expect(closed).toEqual(['first', 'second']);
    await pool.close();
  });

  it('takes no idle place of another to have more than he has', async () => {
    const pool = createPool<Thing>(limits);
    closed.length = 0;
    (await pool.take('other', 'others', thing('others'))).release();
    const first = await pool.take('greedy', 'first', thing('first'));
    const second = pool.take('greedy', 'second', thing('second'));
    expect(await isSettled(second)).toBe(false);
    expect((await pool.take('other', 'others', thing('others anew'))).thing.name).toBe('others');
    first.release();
    expect((await second).thing.name).toBe('second');
    expect(closed).toEqual(['first']);
    await pool.close();
  });

  it('who waits and has nothing is served before one who waits longer and has something', async () => {
    const pool = createPool<Thing & { gone?: Promise<void> }>(limits);
    let go = (): void => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    const first = await pool.take('greedy', 'first', thing('first'));
    await pool.take('third', 'thirds', async () => ({ ...(await thing('thirds')()), gone }));
    const second = pool.take('greedy', 'second', thing('second'));
    const other = pool.take('other', 'others', thing('others'));
    go();
    expect((await other).thing.name).toBe('others');
    expect(await isSettled(second)).toBe(false);
    first.release();
    expect((await second).thing.name).toBe('second');
    await pool.close();
  });

  it('who has had a place for long gives it up to one who has none', async () => {
    let now = 0;
    const pool = createPool<Thing>({ ...limits, turnMs: 20 }, () => now);
    let isOver = false;
    /** Somebody of this owner has hold of the thing at every moment. */
    const keepUsing = async (owner: string): Promise<void> => {
      let held = await pool.take(owner, owner, thing(owner));
      while (!isOver) {
        const next = pool.take(owner, owner, thing(owner));
        await new Promise(setImmediate);
        held.release();
        held = await next;
      }
      held.release();
    };
    const using = ['one', 'two'].map(keepUsing);
    await new Promise(setImmediate);
    const third = pool.take('three', 'threes', thing('threes'));
    now = 19;
    // Longer than it waits before it looks again.
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(await isSettled(third)).toBe(false);
    now = 20;
    const { thing: got, release } = await third;
    expect(got.name).toBe('threes');
    isOver = true;
    release();
    await Promise.all(using);
    await pool.close();
  });
});
