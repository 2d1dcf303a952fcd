import { sleep } from './patience.ts';
import { OpslogProblem, OpslogUnreachable, problemIn } from './problem.ts';

export type StreamEvent = { readonly id: string | undefined; readonly event: string; readonly data: string };

type FollowOptions = {
  readonly after: string | undefined;
  readonly signal: AbortSignal;
  /** Opens the stream after a place, or from now on. */
  readonly connect: (after: string | undefined) => Promise<ReadableStream<Uint8Array>>;
  readonly onEvent: (event: StreamEvent) => void;
};

/**
 * Follows a stream until the signal aborts. A connection that breaks is made again from the last place on, however long
 * that takes. Throws OpslogProblem when the server refuses, and OpslogUnreachable when it was never reached.
 */
export const followStream = async ({ after, signal, connect, onEvent }: FollowOptions): Promise<void> => {
  let place = after;
  let wasConnected = false;
  while (!signal.aborted) {
    let stream: ReadableStream<Uint8Array> | undefined;
    try {
      stream = await connect(place);
      wasConnected = true;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof OpslogProblem) throw error;
      // What was reached before is waited for: what happens in the meantime is kept.
      if (error instanceof OpslogUnreachable && !wasConnected) throw error;
    }
    const incoming = stream && events(stream);
    for (;;) {
      // What the listener throws is his own and goes on to him; what the connection throws only ends it.
      const next = await incoming?.next().catch(() => undefined);
      if (signal.aborted) await incoming?.return(undefined);
      if (signal.aborted || next === undefined || next.done === true) break;
      onEvent(next.value);
      if (next.value.id !== undefined) place = next.value.id;
    }
    await sleep(500, signal).catch(() => {});
  }
};

/** What was answered in place of a stream, as what is thrown. */
export const failStream = (error: unknown, response: Response): never => {
  const problem = problemIn(error);
  if (problem) throw new OpslogProblem(problem);
  throw new OpslogUnreachable(`${new URL(response.url).origin} answered ${response.status} in place of a stream.`);
};

/** Events of a stream, as the HTML standard reads them; the server writes one line of data for each. */
async function* events(stream: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += value;
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const event = parseEvent(text.slice(0, end));
        text = text.slice(end + 2);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

const parseEvent = (text: string): StreamEvent | undefined => {
  const fields = new Map(
    text.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
    }),
  );
  const data = fields.get('data');
  return data === undefined ? undefined : { id: fields.get('id'), event: fields.get('event') ?? 'message', data };
};
