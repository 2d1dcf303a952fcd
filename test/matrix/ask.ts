import type { ApiWorld } from '../support/api.ts';
import { type Built, type Cell, expectedOf } from './cells.ts';

export type Shown = { readonly status: number; readonly text: string; readonly headers: string };
export type Asked = { readonly cell: Cell; readonly request: Built; readonly requestId: string; readonly shown: Shown };

/** A command that is to be refused is meant in earnest: only what is allowed is rehearsed, so that it may be asked again. */
export const askCell = async (world: ApiWorld, cell: Cell, request: Built, requestId: string): Promise<Asked> => {
  const { operation, caller } = cell;
  const rehearsed = operation.isCommand && expectedOf(cell) === 'success';
  const headers = { 'X-Request-Id': requestId, ...(rehearsed && { Prefer: 'dry-run' }) };
  const { token } = caller;
  const { method, path, body } = request;
  const shown = operation.isStream
    ? await headOfStream(world, path, { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) })
    : await world.ask(method, path, { token, body, headers }).then(({ status, text, headers }) => ({
        ...{ status, text },
        headers: namesOf(headers),
      }));
  return { cell, request, requestId, shown };
};

const namesOf = (headers: Headers): string => [...headers.keys()].sort().join(' ');

/** A stream that opens is closed at once: whether it opens is the question. */
const headOfStream = async (
  world: ApiWorld,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Shown> => {
  const over = new AbortController();
  const response = await fetch(`${world.url}${path}`, { headers, signal: over.signal });
  const { status } = response;
  const text = status === 200 ? '' : await response.text();
  over.abort();
  return { status, text, headers: namesOf(response.headers) };
};

/**
 * What a caller could compare: without the request's own id and how far a feed has come, and with whatever he sent himself
 * blotted out.
 */
export const comparable = ({ request, shown, requestId }: Asked): string => {
  const { status, text, headers } = shown;
  return `${status} ${headers} ${without(text.replaceAll(requestId, '').replace(/"next":"\d+"/, '"next":""'), request.sent)}`;
};

/** A short word, such as a number, is only blotted out where it stands alone. */
export const without = (text: string, words: readonly string[]): string =>
  [...words]
    .sort((left, right) => right.length - left.length)
    .reduce(
      (rest, word) =>
        word.length > 4
          ? rest.replaceAll(word, '<sent>')
          : rest.replaceAll(new RegExp(`(?<![\\w-])${word}(?![\\w-])`, 'g'), '<sent>'),
      text,
    );

/** So many at a time. */
export const inParallel = async <Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next;
      next += 1;
      const item = items[index];
      if (item !== undefined) results[index] = await work(item, index);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
};
