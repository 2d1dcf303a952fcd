/** The last sequence read of each node that writes. */
export type Cursor = ReadonlyMap<string, number>;

const shape = /^(?:0|[0-9a-f]{8}-[1-9]\d{0,14}(?:\.[0-9a-f]{8}-[1-9]\d{0,14}){0,63})$/;

/** Before every line. Never the empty text: an event stream would take that for having no id. */
const start = '0';

/** Undefined for a text that is none. */
export const parseCursor = (text: string): Cursor | undefined => {
  if (!shape.test(text)) return undefined;
  if (text === start) return new Map();
  return new Map(
    text.split('.').map((part) => {
      const [node = '', sequence = ''] = part.split('-');
      return [node, Number(sequence)];
    }),
  );
};

export const formatCursor = (cursor: Cursor): string =>
  cursor.size === 0
    ? start
    : [...cursor]
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([node, sequence]) => `${node}-${sequence}`)
        .join('.');
