/** Who holds a lease is `<node>/<incarnation>`: the name of a node, and of one run of it. */
const nodeOf = (holder: string): string => holder.slice(0, Math.max(0, holder.lastIndexOf('/')));

/**
 * Is `holder` an earlier run of the node that `by` is a run of? Only what such a run holds may be taken back before its
 * lease has run out. Whoever asks has read that in a table, and by now somebody else may hold it.
 */
export const isEarlierRun = (holder: string, by: string): boolean => holder !== by && nodeOf(holder) === nodeOf(by);
