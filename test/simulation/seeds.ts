/** Worlds that break without the rule that they taught; the bugs planted in `bugs.ts` bring them back. */
export const seeds: readonly { readonly seed: number; readonly showed: string }[] = [
  { seed: 7, showed: 'a node took over, from a table that was behind, what another node had leased since' },
  { seed: 41, showed: 'a runner that was cut off from the log went on after its lease had run out' },
  { seed: 38, showed: 'a deployment was cancelled though an earlier attempt had put it on the air' },
  { seed: 502, showed: 'a job was begun after its lease had run out, while its process stood still after a look' },
  {
    seed: 810,
    showed: 'a step took effect on a machine after the lease had run out, while its process stood still in it',
  },
];
