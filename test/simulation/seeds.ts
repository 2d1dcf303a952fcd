/** Worlds that once broke, and what they showed. */
export const seeds: readonly { readonly seed: number; readonly showed: string }[] = [
  { seed: 1, showed: 'a node took over, from a table that was behind, what another node had leased since' },
  { seed: 3, showed: 'a runner that was cut off from the log went on after its lease had run out' },
  {
    seed: 15,
    showed: 'a deployment that waited for its next attempt was cancelled though the last one had put it on the air',
  },
  { seed: 39, showed: 'of two orphans of one company a reconciliation took down only the first' },
];
