/** Callers of one key that share what is done for all of them. */
export type Flights<Result> = {
  /**
   * Joins the flight of this key that has not left, or starts one, which begins when the one before it has landed. `fly`
   * calls `leave` once whoever comes later must not be part of it. `first` says whether the flight is this caller's own.
   */
  join(
    key: string,
    fly: (leave: () => void) => Promise<Result>,
  ): { readonly first: boolean; readonly flight: Promise<Result> };
};

export const createFlights = <Result>(): Flights<Result> => {
  const boarding = new Map<string, Promise<Result>>();
  const latest = new Map<string, Promise<unknown>>();

  const join: Flights<Result>['join'] = (key, fly) => {
    const joined = boarding.get(key);
    if (joined) return { first: false, flight: joined };
    const before = latest.get(key) ?? Promise.resolve();
    const leave = (): void => {
      if (boarding.get(key) === flight) boarding.delete(key);
    };
    const flight = before.then(() => fly(leave)).finally(leave);
    const landed = flight.then(
      () => undefined,
      () => undefined,
    );
    boarding.set(key, flight);
    latest.set(key, landed);
    void landed.then(() => {
      if (latest.get(key) === landed) latest.delete(key);
    });
    return { first: true, flight };
  };
  return { join };
};
