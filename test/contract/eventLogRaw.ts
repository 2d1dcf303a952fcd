import { randomUUID } from 'node:crypto';
import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import {
  AppendReq,
  type AppendResp,
  BatchAppendReq,
  type BatchAppendResp,
  DeleteReq,
  ReadReq,
  type ReadResp,
  TombstoneReq,
} from '@eventstore/db-client/generated/streams_pb.js';
import { credentials, type Metadata, type ServiceError } from '@grpc/grpc-js';
import { lengthField, numberField } from '../../src/platform/eventstore/protobuf.ts';

/** The protocol itself, for what the client cannot say or hides. */

export const rawClient = (connectionString: string): StreamsClient => {
  const { host } = new URL(connectionString.replace(/^esdb/, 'http'));
  return new StreamsClient(host, credentials.createInsecure());
};

export type Expected = number | 'noStream' | 'any' | 'streamExists';
export type RawEvent = {
  readonly id: string;
  readonly type?: string;
  readonly contentType?: string;
  readonly data?: string | Uint8Array;
};

export const event = (more: Partial<RawEvent> = {}): RawEvent => ({ id: randomUUID(), type: 'Raw', ...more });

export const identifier = (stream: string): StreamIdentifier => {
  const named = new StreamIdentifier();
  named.setStreamName(Buffer.from(stream));
  return named;
};

const uuid = (id: string): UUID => {
  const message = new UUID();
  message.setString(id);
  return message;
};

type HasExpected = {
  setRevision(value: string): unknown;
  setNoStream(value: Empty): unknown;
  setAny(value: Empty): unknown;
  setStreamExists(value: Empty): unknown;
};

const setExpected = (options: HasExpected, expected: Expected): void => {
  if (expected === 'noStream') options.setNoStream(new Empty());
  else if (expected === 'any') options.setAny(new Empty());
  else if (expected === 'streamExists') options.setStreamExists(new Empty());
  else options.setRevision(String(expected));
};

const fill = (
  message: AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage,
  { id, type, contentType = 'application/json', data = '{}' }: RawEvent,
): void => {
  message.setId(uuid(id));
  if (type !== undefined) message.getMetadataMap().set('type', type);
  if (contentType !== '') message.getMetadataMap().set('content-type', contentType);
  message.setData(typeof data === 'string' ? Buffer.from(data) : data);
};

/** Status, details and the trailers that a real server sets. */
export type Failure = { readonly code: number; readonly details: string; readonly trailers: Record<string, unknown> };

const trailersOf = (metadata: Metadata): Record<string, unknown> => {
  const { 'content-type': _type, date: _date, ...trailers } = metadata.getMap();
  return trailers;
};

export const failureOf = ({ code, details, metadata }: ServiceError): Failure => ({
  code,
  details,
  trailers: trailersOf(metadata),
});

export type Answer<T> = { readonly ok: true; readonly response: T } | ({ readonly ok: false } & Failure);

const answered = <T>(call: (done: (error: ServiceError | null, response: T) => void) => void): Promise<Answer<T>> =>
  new Promise((resolve) => {
    call((error, response) => resolve(error === null ? { ok: true, response } : { ok: false, ...failureOf(error) }));
  });

export const rawAppend = (
  client: StreamsClient,
  stream: string,
  expected: Expected,
  events: readonly RawEvent[],
): Promise<Answer<AppendResp.AsObject>> =>
  answered((done) => {
    const call = client.append((error, response) => done(error, response?.toObject()));
    const options = new AppendReq.Options();
    options.setStreamIdentifier(identifier(stream));
    setExpected(options, expected);
    const first = new AppendReq();
    first.setOptions(options);
    call.write(first);
    for (const proposed of events) {
      const message = new AppendReq.ProposedMessage();
      fill(message, proposed);
      const request = new AppendReq();
      request.setProposedMessage(message);
      call.write(request);
    }
    call.end();
  });

export const rawDelete = (client: StreamsClient, stream: string, expected: Expected) => {
  const options = new DeleteReq.Options();
  options.setStreamIdentifier(identifier(stream));
  setExpected(options, expected);
  const request = new DeleteReq();
  request.setOptions(options);
  return answered<{ commitPosition: string } | undefined>((done) =>
    client.delete(request, (error, response) => done(error, response?.toObject().position)),
  );
};

export const rawTombstone = (client: StreamsClient, stream: string, expected: Expected) => {
  const options = new TombstoneReq.Options();
  options.setStreamIdentifier(identifier(stream));
  setExpected(options, expected);
  const request = new TombstoneReq();
  request.setOptions(options);
  return answered<{ commitPosition: string } | undefined>((done) =>
    client.tombstone(request, (error, response) => done(error, response?.toObject().position)),
  );
};

export type FilterOptions = {
  readonly on: 'stream' | 'type';
  readonly prefixes?: readonly string[];
  readonly regex?: string;
  readonly max?: number;
  readonly multiplier?: number;
};

export type ReadOptions = {
  readonly stream?: string;
  readonly from?: 'start' | 'end' | number;
  /** Of a position; the same as the commit position unless given. */
  readonly prepare?: number;
  readonly backwards?: boolean;
  /** Undefined subscribes. */
  readonly count?: number;
  readonly resolveLinks?: boolean;
  readonly structured?: boolean;
  readonly compatibility?: number;
  readonly filter?: FilterOptions;
};

const { Options } = ReadReq;

const filterOptions = ({ on, prefixes = [], regex = '', max, multiplier = 1 }: FilterOptions) => {
  const expression = new Options.FilterOptions.Expression();
  expression.setPrefixList([...prefixes]);
  expression.setRegex(regex);
  const filter = new Options.FilterOptions();
  if (on === 'stream') filter.setStreamIdentifier(expression);
  else filter.setEventType(expression);
  if (max === undefined) filter.setCount(new Empty());
  else filter.setMax(max);
  filter.setCheckpointintervalmultiplier(multiplier);
  return filter;
};

const source = (options: ReadReq.Options, { stream, from = 'start', prepare }: ReadOptions): void => {
  const asked = stream === undefined ? new Options.AllOptions() : new Options.StreamOptions();
  if (from === 'start') asked.setStart(new Empty());
  else if (from === 'end') asked.setEnd(new Empty());
  else if (asked instanceof Options.StreamOptions) asked.setRevision(String(from));
  else {
    const position = new Options.Position();
    position.setCommitPosition(String(from));
    position.setPreparePosition(String(prepare ?? from));
    asked.setPosition(position);
  }
  if (asked instanceof Options.AllOptions) options.setAll(asked);
  else {
    asked.setStreamIdentifier(identifier(stream ?? ''));
    options.setStream(asked);
  }
};

export const readRequest = (asked: ReadOptions): ReadReq => {
  const { backwards = false, count, resolveLinks = false, structured = false } = asked;
  const options = new Options();
  source(options, asked);
  options.setReadDirection(backwards ? Options.ReadDirection.BACKWARDS : Options.ReadDirection.FORWARDS);
  options.setResolveLinks(resolveLinks);
  if (count === undefined) options.setSubscription(new Options.SubscriptionOptions());
  else options.setCount(String(count));
  const id = new Options.UUIDOption();
  if (structured) id.setStructured(new Empty());
  else id.setString(new Empty());
  options.setUuidOption(id);
  if (asked.filter === undefined) options.setNoFilter(new Empty());
  else options.setFilter(filterOptions(asked.filter));
  if (asked.compatibility !== undefined) {
    const control = new Options.ControlOption();
    control.setCompatibility(asked.compatibility);
    options.setControlOption(control);
  }
  const request = new ReadReq();
  request.setOptions(options);
  return request;
};

export type Recorded = {
  readonly id: string;
  readonly stream: string;
  readonly revision: string;
  readonly type: string;
  readonly data: string;
  readonly position: number;
  readonly created: string;
};

export type Message =
  | {
      readonly kind: 'event';
      readonly event: Recorded | undefined;
      readonly link: Recorded | undefined;
      readonly position: number;
    }
  | { readonly kind: 'checkpoint'; readonly position: number }
  | { readonly kind: 'confirmation'; readonly id: string }
  | { readonly kind: 'bounds'; readonly first?: string; readonly last?: string }
  | { readonly kind: 'caughtUp' | 'streamNotFound' | 'other' };

const recorded = (message: ReadResp.ReadEvent.RecordedEvent | undefined): Recorded | undefined => {
  if (message === undefined) return undefined;
  const structured = message.getId()?.getStructured()?.toObject();
  if (message.getCommitPosition() !== message.getPreparePosition()) throw new Error('The two positions differ');
  return {
    id: structured === undefined ? (message.getId()?.getString() ?? '') : JSON.stringify(structured),
    stream: Buffer.from(message.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(),
    revision: message.getStreamRevision(),
    type: message.getMetadataMap().get('type') ?? '',
    data: Buffer.from(message.getData_asU8()).toString(),
    position: Number(message.getCommitPosition()),
    created: message.getMetadataMap().get('created') ?? '',
  };
};

export const messageOf = (response: ReadResp): Message => {
  const event = response.getEvent();
  const checkpoint = response.getCheckpoint();
  const confirmation = response.getConfirmation();
  if (event !== undefined) {
    const original = { event: recorded(event.getEvent()), link: recorded(event.getLink()) };
    return { kind: 'event', ...original, position: Number(event.getCommitPosition()) };
  }
  if (checkpoint !== undefined) return { kind: 'checkpoint', position: Number(checkpoint.getCommitPosition()) };
  if (confirmation !== undefined) return { kind: 'confirmation', id: confirmation.getSubscriptionId() };
  if (response.hasFirstStreamPosition()) return { kind: 'bounds', first: response.getFirstStreamPosition() };
  if (response.hasLastStreamPosition()) return { kind: 'bounds', last: response.getLastStreamPosition() };
  if (response.hasCaughtUp()) return { kind: 'caughtUp' };
  return response.hasStreamNotFound() ? { kind: 'streamNotFound' } : { kind: 'other' };
};

export type ReadResult = { readonly messages: readonly Message[]; readonly failure: Failure | undefined };

/** A read to its end. */
export const rawRead = (client: StreamsClient, asked: ReadOptions): Promise<ReadResult> =>
  new Promise((resolve) => {
    const messages: Message[] = [];
    const call = client.read(readRequest(asked));
    call.on('data', (response: ReadResp) => messages.push(messageOf(response)));
    call.on('error', (error: ServiceError) => resolve({ messages, failure: failureOf(error) }));
    call.on('end', () => resolve({ messages, failure: undefined }));
  });

export type RawSubscription = {
  /** Every message up to now. */
  readonly messages: Message[];
  /** Resolves with all messages once the condition holds, or with the failure when the call ends first. */
  until(isEnough: (messages: readonly Message[]) => boolean): Promise<ReadResult>;
  pause(): void;
  resume(): void;
  cancel(): void;
};

export const rawSubscribe = (client: StreamsClient, asked: ReadOptions): RawSubscription => {
  const messages: Message[] = [];
  let failure: Failure | undefined;
  let ended = false;
  let check = (): void => {};
  const call = client.read(readRequest(asked));
  call.on('data', (response: ReadResp) => {
    messages.push(messageOf(response));
    check();
  });
  call.on('error', (error: ServiceError) => {
    failure = failureOf(error);
    ended = true;
    check();
  });
  return {
    messages,
    until: (isEnough) =>
      new Promise((resolve) => {
        check = () => {
          if (ended || isEnough(messages)) resolve({ messages: [...messages], failure });
        };
        check();
      }),
    pause: () => call.pause(),
    resume: () => call.resume(),
    cancel: () => call.cancel(),
  };
};

export const events = (result: { readonly messages: readonly Message[] }): Extract<Message, { kind: 'event' }>[] =>
  result.messages.filter((message) => message.kind === 'event');

export type Chunk = {
  readonly correlation: string;
  readonly stream?: string;
  readonly expected?: Expected;
  /** Milliseconds since the epoch. */
  readonly deadline?: number;
  readonly events?: readonly RawEvent[];
  readonly final?: boolean;
};

const withDeadline = (options: BatchAppendReq.Options, deadline: number): BatchAppendReq.Options =>
  BatchAppendReq.Options.deserializeBinary(
    Buffer.concat([options.serializeBinary(), lengthField(6, numberField(1, Math.floor(deadline / 1000)))]),
  );

export const chunkOf = (chunk: Chunk): BatchAppendReq => {
  const { correlation, stream, expected = 'any', deadline, events: proposed = [], final = true } = chunk;
  const request = new BatchAppendReq();
  request.setCorrelationId(uuid(correlation));
  request.setIsFinal(final);
  if (stream !== undefined) {
    const options = new BatchAppendReq.Options();
    options.setStreamIdentifier(identifier(stream));
    if (typeof expected === 'number') options.setStreamPosition(String(expected));
    else if (expected === 'any') options.setAny(new Empty());
    else if (expected === 'noStream') options.setNoStream(new Empty());
    else options.setStreamExists(new Empty());
    request.setOptions(deadline === undefined ? options : withDeadline(options, deadline));
  }
  for (const each of proposed) {
    const message = new BatchAppendReq.ProposedMessage();
    fill(message, each);
    request.addProposedMessages(message);
  }
  return request;
};

export type BatchAnswer = {
  readonly stream: string;
  readonly revision?: string;
  readonly position?: string;
  readonly noStream?: boolean;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly type: string;
    readonly value: Uint8Array;
  };
};

const batchAnswer = (response: BatchAppendResp): BatchAnswer => {
  const stream = Buffer.from(response.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
  const success = response.getSuccess();
  const error = response.getError();
  if (success !== undefined) {
    const position = success.getPosition()?.getCommitPosition();
    const at = position === undefined ? {} : { position };
    return success.hasNoStream()
      ? { stream, noStream: true, ...at }
      : { stream, revision: success.getCurrentRevision(), ...at };
  }
  const details = error?.getDetails();
  const described = { code: Number(error?.getCode()), message: error?.getMessage() ?? '' };
  return {
    stream,
    error: { ...described, type: details?.getTypeUrl() ?? '', value: details?.getValue_asU8() ?? new Uint8Array(0) },
  };
};

/** One BatchAppend call; `answer` waits for the answer of a correlation id. */
export const rawBatch = (client: StreamsClient) => {
  const call = client.batchAppend();
  const answers = new Map<string, BatchAnswer>();
  const order: string[] = [];
  let check = (): void => {};
  let ended = false;
  call.on('data', (response: BatchAppendResp) => {
    const correlation = response.getCorrelationId()?.getString() ?? '';
    order.push(correlation);
    answers.set(correlation, batchAnswer(response));
    check();
  });
  call.on('error', () => {});
  call.on('end', () => {
    ended = true;
    check();
  });
  return {
    answers,
    order,
    send: (chunk: Chunk | BatchAppendReq) => call.write(chunk instanceof BatchAppendReq ? chunk : chunkOf(chunk)),
    answer: (correlation: string): Promise<BatchAnswer> =>
      new Promise((resolve, reject) => {
        const before = check;
        check = () => {
          before();
          const found = answers.get(correlation);
          if (found !== undefined) resolve(found);
          else if (ended) reject(new Error('The call ended without an answer'));
        };
        check();
      }),
    end: (): Promise<void> => {
      call.end();
      return new Promise((resolve) => {
        const before = check;
        check = () => {
          before();
          if (ended) resolve();
        };
        check();
      });
    },
    cancel: () => call.cancel(),
  };
};
