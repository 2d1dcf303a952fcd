/** Takes items in order, so many at a time. After a failure it takes no more, waits for those under way, and throws it. */
export const severalAtOnce = async <Item>(
  width: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const queue = items.values();
  let failed = false;
  const take = async (): Promise<void> => {
    for (const item of queue) {
      if (failed) return;
      await work(item).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const takers = await Promise.allSettled(Array.from({ length: width }, take));
  for (const each of takers) if (each.status === 'rejected') throw each.reason;
};
