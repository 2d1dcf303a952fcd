/** A bound on what is in flight, first come first served. */
export type Slots = {
  /** Resolves with the function that gives the room back. */
  take(bytes: number): Promise<() => void>;
};

export const slots = (most: number, mostBytes: number): Slots => {
  type Waiter = { readonly bytes: number; readonly start: (release: () => void) => void };
  // A queue as a linked pair of arrays: shift() on a long array is slow.
  let front: Waiter[] = [];
  let back: Waiter[] = [];
  let taken = 0;
  let takenBytes = 0;

  const peek = (): Waiter | undefined => {
    if (front.length === 0) {
      front = back.reverse();
      back = [];
    }
    return front.at(-1);
  };
  const start = (): void => {
    for (let next = peek(); next !== undefined; next = peek()) {
      const { bytes } = next;
      if (taken > 0 && (taken >= most || takenBytes + bytes > mostBytes)) return;
      front.pop();
      taken += 1;
      takenBytes += bytes;
      next.start(() => {
        taken -= 1;
        takenBytes -= bytes;
        start();
      });
    }
  };
  return {
    take: (bytes) =>
      new Promise((resolve) => {
        back.push({ bytes, start: resolve });
        start();
      }),
  };
};
