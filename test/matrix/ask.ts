import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { type Built, type Cell, expectedOf } from './cells.ts';

export type Shown = { readonly status: number; readonly text: string; readonly headers: string };
export type Asked = { readonly cell: Cell; readonly request: Built; readonly requestId: string; readonly shown: Shown };

/** Connections that are used again: thousands of requests are to cost little more than their answers. */
export type Client = { readonly url: string; readonly agent: Agent };
export const clientOf = (url: string, width: number): Client => ({
  url,
  agent: new Agent({ keepAlive: true, maxSockets: width }),
});

/** A command that is to be refused is meant in earnest: only what is allowed is rehearsed, so that it may be asked again. */
export const askCell = async (client: Client, cell: Cell, request: Built, requestId: string): Promise<Asked> => {
  const { operation, caller } = cell;
  const rehearsed = operation.isCommand && expectedOf(cell) === 'success';
  const body = request.body && JSON.stringify(request.body);
  const headers = {
    'x-request-id': requestId,
    ...(rehearsed && { prefer: 'dry-run' }),
    ...(caller.token !== undefined && { authorization: `Bearer ${caller.token}` }),
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  return { cell, request, requestId, shown: await send(client, request, headers, body, operation.isStream) };
};

/** A stream that opens is closed at once: whether it opens is the question. */
const send = (
  { url, agent }: Client,
  { method, path }: Built,
  headers: OutgoingHttpHeaders,
  body: string | undefined,
  isStream: boolean,
): Promise<Shown> =>
  new Promise((resolve, reject) => {
    const asking = request(`${url}${path}`, { method, headers, agent }, (response) => {
      const status = response.statusCode ?? 0;
      const shown = { status, headers: Object.keys(response.headers).sort().join(' ') };
      if (isStream && status === 200) {
        resolve({ ...shown, text: '' });
        asking.destroy();
        return;
      }
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.once('end', () => resolve({ ...shown, text }));
      response.once('error', reject);
    });
    asking.once('error', reject);
    asking.end(body);
  });

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
