export type TextBytes = {
  /** In UTF-8. Answers where it ends. */
  add(text: string): number;
  addBytes(bytes: Uint8Array): void;
  view(start?: number, end?: number): Uint8Array;
  clear(): void;
  /** Everything, cut where a text that was added ended. */
  pieces(): Iterable<Uint8Array>;
};

const firstRoom = 16_384;
// One piece is sent as one message.
const longestPiece = 4_000_000;

/** Texts one after the other, outside of the heap: what is kept for a whole batch costs the garbage collector nothing. */
export const createTextBytes = (): TextBytes => {
  let bytes = Buffer.allocUnsafe(firstRoom);
  let end = 0;
  let cuts: number[] = [0];
  const makeRoom = (more: number): void => {
    if (end + more <= bytes.length) return;
    const roomier = Buffer.allocUnsafe(Math.max(2 * bytes.length, end + more));
    bytes.copy(roomier, 0, 0, end);
    bytes = roomier;
  };
  return {
    add: (text) => {
      // A UTF-16 code unit is three bytes at most.
      makeRoom(3 * text.length);
      end += bytes.write(text, end);
      if (end - (cuts.at(-1) ?? 0) >= longestPiece) cuts.push(end);
      return end;
    },
    addBytes: (more) => {
      makeRoom(more.length);
      bytes.set(more, end);
      end += more.length;
    },
    view: (from = 0, to = end) => bytes.subarray(from, to),
    clear: () => {
      end = 0;
      cuts = [0];
    },
    pieces: function* () {
      for (const [index, from] of cuts.entries()) if (from < end) yield bytes.subarray(from, cuts[index + 1] ?? end);
    },
  };
};
