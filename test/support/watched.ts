import { afterAll } from 'vitest';
import { createCanaries, refuseSightings, searchFor } from './canaries.ts';
import type { MemoryLog } from './memoryLog.ts';

const watched: { readonly secrets: ReadonlyMap<string, string>; readonly log: MemoryLog }[] = [];

/** Secrets that are added are looked for in the whole log when the tests of the file are over. */
export const watchLog = (log: MemoryLog): ((secret: string, origin: string) => void) => {
  const { secrets, add } = createCanaries();
  watched.push({ secrets, log });
  return add;
};

afterAll(() => {
  for (const { secrets, log } of watched) {
    const search = searchFor(secrets);
    refuseSightings(
      log.events.flatMap(({ stream, type, id, data, metadata }) =>
        search(`${type} in ${stream.split('-', 1)[0]}`, JSON.stringify({ id, stream, data, metadata })),
      ),
    );
  }
});
