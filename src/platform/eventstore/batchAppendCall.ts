import type { ServerDuplexStream } from '@grpc/grpc-js';
import { type BatchAppendRequest, identifierOf, readOptions, readProposed } from './batchAppendRequest.ts';
import { lengthField, numberField, textField } from './protobuf.ts';
import type { ProposedEvent, WriteResult } from './writeCommand.ts';
import type { Expected } from './writeRules.ts';
import type { Writer } from './writer.ts';

/** A real server gives up on a write after this long, whatever the client asks. */
const WRITE_TIMEOUT_MS = 2_000;

/** Above this many unanswered appends nothing more is read from the client. */
const MOST_UNDER_WAY = 8_192;

/** One correlation id whose last chunk has not come yet. */
type Pending = {
  readonly correlation: Uint8Array;
  readonly identifier: Uint8Array;
  readonly stream: string;
  readonly expected: Expected;
  readonly deadline: number;
  readonly events: ProposedEvent[];
  bytes: number;
  timer: NodeJS.Timeout | undefined;
};

type Refusal =
  | { readonly kind: 'wrongVersion'; readonly expected: Expected; readonly actual: number }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'tooBig'; readonly maximum: number }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'badRequest'; readonly message: string }
  | { readonly kind: 'unknown' };

const EMPTY: Uint8Array = new Uint8Array(0);

const expectedField = (expected: Expected): Buffer => {
  if (typeof expected === 'number') return numberField(3, expected);
  return lengthField({ any: 4, streamExists: 5, noStream: 6 }[expected], EMPTY);
};

/** google.rpc code, name of the message in `details`, and its content. */
const describe = (refusal: Refusal, identifier: Uint8Array): [code: number, name: string, content: Buffer] => {
  switch (refusal.kind) {
    case 'wrongVersion': {
      const current = refusal.actual < 0 ? lengthField(2, EMPTY) : numberField(1, refusal.actual);
      return [6, 'WrongExpectedVersion', Buffer.concat([current, expectedField(refusal.expected)])];
    }
    case 'deleted':
      return [5, 'StreamDeleted', lengthField(1, identifier)];
    case 'tooBig':
      return [3, 'MaximumAppendSizeExceeded', numberField(1, refusal.maximum)];
    case 'timeout':
      return [4, 'Timeout', Buffer.alloc(0)];
    case 'badRequest':
      return [3, 'BadRequest', textField(1, refusal.message)];
    case 'unknown':
      return [2, 'Unknown', Buffer.alloc(0)];
  }
};

const encodeRefusal = (refusal: Refusal, identifier: Uint8Array): Buffer => {
  const [code, name, content] = describe(refusal, identifier);
  const details = [textField(1, `type.googleapis.com/event_store.client.${name}`), lengthField(2, content)];
  return Buffer.concat([numberField(1, code), textField(2, name), lengthField(3, Buffer.concat(details))]);
};

const encodeSuccess = (revision: number, position: number): Buffer =>
  Buffer.concat([
    revision < 0 ? lengthField(2, EMPTY) : numberField(1, revision),
    lengthField(3, Buffer.concat([numberField(1, position), numberField(2, position)])),
  ]);

const encodeAnswer = (correlation: Uint8Array, identifier: Uint8Array, outcome: WriteResult | Refusal): Buffer => {
  const body =
    'ok' in outcome && outcome.ok
      ? lengthField(3, encodeSuccess(outcome.revision, outcome.position))
      : lengthField(2, encodeRefusal('ok' in outcome ? { kind: 'unknown' } : outcome, identifier));
  return Buffer.concat([lengthField(1, correlation), body, lengthField(4, identifier)]);
};

const refusalOf = (expected: Expected, result: WriteResult): WriteResult | Refusal => {
  if (result.ok) return result;
  return result.reason === 'deleted' ? { kind: 'deleted' } : { kind: 'wrongVersion', expected, actual: result.actual };
};

/**
 * One long-lived stream with many interleaved appends. Answers come when their events are on disk, in any order; an
 * error answer leaves the stream open; at the end of the requests everything under way is answered first.
 */
export const handleBatchAppend =
  (writer: Writer, maxBytes: number, now: () => number) =>
  (call: ServerDuplexStream<BatchAppendRequest, Buffer>): void => {
    const pending = new Map<string, Pending>();
    let underWay = 0;
    let ended = false;

    const answer = (correlation: Uint8Array, identifier: Uint8Array, outcome: WriteResult | Refusal): void => {
      if (!call.cancelled && !call.destroyed) call.write(encodeAnswer(correlation, identifier, outcome));
    };

    const refuse = (key: string, append: Pending, refusal: Refusal): void => {
      clearTimeout(append.timer);
      pending.delete(key);
      answer(append.correlation, append.identifier, refusal);
    };

    const begin = (key: string, correlation: Uint8Array, options: Uint8Array): void => {
      let identifier = EMPTY;
      try {
        identifier = identifierOf(options);
        const { stream, expected, deadline: asked = Number.POSITIVE_INFINITY } = readOptions(options);
        const deadline = Math.min(now() + WRITE_TIMEOUT_MS, asked);
        const append = { correlation, identifier, stream, expected, deadline, events: [], bytes: 0, timer: undefined };
        pending.set(key, append);
      } catch (error) {
        const message = error instanceof Error ? error.message : 'The request could not be read.';
        answer(correlation, identifier, { kind: 'badRequest', message });
      }
    };

    const submit = async (key: string, append: Pending): Promise<void> => {
      clearTimeout(append.timer);
      pending.delete(key);
      underWay += 1;
      if (underWay >= MOST_UNDER_WAY) call.pause();
      const { stream, expected, events } = append;
      try {
        const result = await writer.submit({ kind: 'append', stream, expected, events });
        answer(append.correlation, append.identifier, refusalOf(expected, result));
      } catch {
        answer(append.correlation, append.identifier, { kind: 'unknown' });
      }
      underWay -= 1;
      if (call.isPaused() && underWay <= MOST_UNDER_WAY / 2) call.resume();
      if (ended && underWay === 0) call.end();
    };

    const addEvents = (key: string, append: Pending, messages: readonly Uint8Array[]): boolean => {
      try {
        for (const message of messages) {
          const event = readProposed(message);
          append.bytes += event.data.length;
          append.events.push(event);
        }
      } catch (error) {
        refuse(key, append, { kind: 'badRequest', message: error instanceof Error ? error.message : '' });
        return false;
      }
      if (append.bytes <= maxBytes) return true;
      refuse(key, append, { kind: 'tooBig', maximum: maxBytes });
      return false;
    };

    const receive = ({ correlation, options, events, isFinal }: BatchAppendRequest): void => {
      if (correlation === undefined) return;
      const key = Buffer.from(correlation.buffer, correlation.byteOffset, correlation.length).toString('latin1');
      if (options !== undefined) begin(key, correlation, options);
      const append = pending.get(key);
      if (append === undefined) return;
      const left = append.deadline - now();
      if (left <= 0) {
        refuse(key, append, { kind: 'timeout' });
        return;
      }
      if (!addEvents(key, append, events)) return;
      if (isFinal) void submit(key, append);
      else append.timer ??= setTimeout(() => refuse(key, append, { kind: 'timeout' }), left);
    };

    const abandon = (): void => {
      for (const append of pending.values()) clearTimeout(append.timer);
      pending.clear();
    };

    call.on('data', receive);
    call.on('end', () => {
      ended = true;
      abandon();
      if (underWay === 0) call.end();
    });
    call.on('cancelled', abandon);
    call.on('error', abandon);
  };
