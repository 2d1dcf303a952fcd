// Who gets a place when there are fewer places than owners who want one.

export type Place = {
  readonly owner: string;
  isMade: boolean;
  /** Nobody new may use it: it makes room as soon as nobody does. */
  isLeaving: boolean;
  madeAt: number;
  users: number;
};

const heldBy = (owner: string, places: readonly Place[]): number =>
  places.filter((place) => place.owner === owner && !place.isLeaving).length;

/** Not in front of somebody who waits and has less. */
export const mayMakeRoom = (owner: string, places: readonly Place[], waiting: readonly string[]): boolean => {
  const own = heldBy(owner, places);
  return waiting.every(
    (other) => heldBy(other, places) >= own || places.some((place) => place.owner === other && !place.isMade),
  );
};

/**
 * The place that is given up for one of this owner, the longest unused first: an idle one of his own, or of somebody who has
 * no less than he would have; else one in use of somebody who has more, or has had it for long and he has none. A place that
 * leaves already is enough.
 */
export const toLeave = <Each extends Place>(
  owner: string,
  places: readonly Each[],
  longSince: number,
): Each | undefined => {
  const leaving = places.find((place) => place.isLeaving);
  if (leaving) return leaving;
  const wanted = heldBy(owner, places) + 1;
  const made = places.filter((place) => place.isMade);
  const isOthers = (place: Each): boolean => place.owner !== owner;
  const idle = made.filter((place) => place.users === 0 && (!isOthers(place) || heldBy(place.owner, places) >= wanted));
  const most = Math.max(...idle.map((place) => heldBy(place.owner, places) + (isOthers(place) ? 0 : 1)));
  const spare = idle.find((place) => heldBy(place.owner, places) + (isOthers(place) ? 0 : 1) === most);
  if (spare) return spare;
  const inUse = made.filter(isOthers);
  return (
    inUse.find((place) => heldBy(place.owner, places) > wanted) ??
    inUse.find((place) => wanted === 1 && place.madeAt <= longSince)
  );
};
