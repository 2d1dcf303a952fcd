import fc from 'fast-check';
import { createMemoryLog, type MemoryLog } from '../../support/memoryLog.ts';

/** One thing that happens in the library. Ids are drawn from few, so that everything meets everything. */
export type Step = {
  readonly kind: 'build' | 'rename' | 'tearDown' | 'buy' | 'lend' | 'return' | 'read' | 'move' | 'sell' | 'unknown';
  readonly book: number;
  readonly shelf: number;
  readonly amount: number;
  readonly words: string;
};

const stepArbitrary: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom<Step['kind'][]>(
    'build',
    'build',
    'rename',
    'tearDown',
    'buy',
    'buy',
    'buy',
    'lend',
    'return',
    'read',
    'read',
    'move',
    'sell',
    'unknown',
  ),
  book: fc.nat(7),
  shelf: fc.nat(3),
  amount: fc.integer({ min: -5, max: 500 }),
  words: fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom(
      '',
      ' ',
      'a',
      'A',
      'a ',
      '\\N',
      "o'neill",
      '"',
      '\t\n\r\\',
      '😀',
      'é',
      '\ud800',
      'a\0b',
      '%_',
      '\ufeffa',
    ),
  ),
});

export const storyArbitrary = (maxLength = 60): fc.Arbitrary<readonly Step[]> =>
  fc.array(stepArbitrary, { minLength: 1, maxLength });

/** Writes the story as events that follow the rules of the domain: nothing is built twice, nothing absent is sold. */
export const writeStory = (steps: readonly Step[], log: MemoryLog = createMemoryLog()): MemoryLog => {
  const shelves = new Set<string>();
  const books = new Set<string>();
  const lent = new Set<string>();
  for (const step of steps) {
    const shelfId = `s${step.shelf}`;
    const bookId = `b${step.book}`;
    const shelf = (type: string, data: object): void => void log.add(`shelf-${shelfId}`, type, data, workspace(step));
    const book = (type: string, data: object): void => void log.add(`book-${bookId}`, type, data, workspace(step));
    switch (step.kind) {
      case 'build':
        if (!shelves.has(shelfId)) shelf('ShelfBuilt', { name: step.words });
        shelves.add(shelfId);
        break;
      case 'rename':
        if (shelves.has(shelfId)) shelf('ShelfRenamed', { name: step.words });
        break;
      case 'tearDown':
        if (shelves.has(shelfId)) shelf('ShelfTornDown', { reason: step.words });
        shelves.delete(shelfId);
        break;
      case 'buy':
        // Bought for a shelf that may be gone by now: an orphan.
        if (!books.has(bookId)) {
          book('BookBought', {
            shelfId,
            title: step.words,
            pages: step.amount,
            notes: { words: step.words, n: [step.amount] },
          });
        }
        books.add(bookId);
        break;
      case 'lend':
        if (books.has(bookId) && !lent.has(bookId)) {
          book('BookLent', { to: `${bookId}${step.words}`, dueAt: 1_800_000_000_000 + step.amount });
          lent.add(bookId);
        }
        break;
      case 'return':
        if (lent.delete(bookId)) book('BookReturned', { late: step.amount > 200 });
        break;
      case 'read':
        book('BookRead', { pages: step.amount });
        break;
      case 'move':
        book('BookMoved', { shelfId });
        break;
      case 'sell':
        if (books.delete(bookId)) book('BookSold', { price: step.amount });
        lent.delete(bookId);
        break;
      case 'unknown':
        log.add('zebra-1', 'ZebraSeen', { stripes: step.amount });
        break;
      default:
        step.kind satisfies never;
    }
  }
  return log;
};

const workspace = (step: Step): object => ({ workspaceId: step.amount % 2 === 0 ? 'w1' : 'w2' });
