/** Worlds that broke, and what they showed. The bugs planted in `bugs.ts` bring the first three back. */
export const seeds: readonly { readonly seed: number; readonly showed: string }[] = [
  { seed: 4, showed: 'a node took over, from a table that was behind, what another node had leased since' },
  { seed: 41, showed: 'a runner that was cut off from the log went on after its lease had run out' },
  { seed: 38, showed: 'a deployment was cancelled though an earlier attempt had put it on the air' },
  { seed: 39, showed: 'of two orphans of one company a reconciliation took down only the first' },
];
