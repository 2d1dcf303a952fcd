/** Results in the order of the items. So many at once that what is slow outside is waited for, and nobody else behind all of them. */
export const fewAtATime = async <Item, Result>(
  items: readonly Item[],
  count: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  const waiting = items.entries();
  const each = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(count, items.length) }, each));
  return results;
};
