import { type IncomingMessage, request } from 'node:http';

export type StreamedEvent = { readonly id: string | undefined; readonly event: string; readonly data: unknown };

export type EventReader = {
  readonly status: number;
  readonly response: IncomingMessage;
  /** All events so far. */
  readonly events: readonly StreamedEvent[];
  /** Everything that came, comments too. */
  readonly text: () => string;
  /** The connection is over, politely or not. */
  readonly ended: Promise<void>;
  cut(): void;
};

const parse = (text: string): StreamedEvent | undefined => {
  const fields = new Map(text.split('\n').map((line) => [line.split(': ', 1)[0] ?? '', line.replace(/^[^:]*: ?/, '')]));
  const data = fields.get('data');
  return data === undefined
    ? undefined
    : { id: fields.get('id'), event: fields.get('event') ?? 'message', data: JSON.parse(data) };
};

/** Opens an event stream with a connection of its own, which can be cut. */
export const openEventStream = (
  url: string,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventReader> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { agent: false, headers: { authorization: `Bearer ${token}`, ...headers } });
    outgoing.once('error', reject);
    outgoing.once('response', (response) => {
      const events: StreamedEvent[] = [];
      let text = '';
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        rest += chunk;
        const blocks = rest.split('\n\n');
        rest = blocks.pop() ?? '';
        events.push(...blocks.flatMap((block) => parse(block) ?? []));
      });
      response.on('error', () => {});
      const ended = new Promise<void>((over) => response.once('close', () => over()));
      resolve({
        ...{ status: response.statusCode ?? 0, response, events, text: () => text, ended },
        cut: () => outgoing.destroy(),
      });
    });
    outgoing.end();
  });
