import { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import {
  AppendReq,
  AppendResp,
  type DeleteReq,
  DeleteResp,
  type TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerReadableStream, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { proposedEvent, streamName } from './proposed.ts';
import { int64ToText, textToInt64 } from './protobuf.ts';
import {
  invalidArgument,
  isRpcError,
  maximumAppendSizeExceeded,
  streamDeleted,
  unavailable,
  wrongExpectedVersion,
} from './rpcErrors.ts';
import type { ProposedEvent, WriteResult } from './writeCommand.ts';
import type { Expected } from './writeRules.ts';
import type { Writer } from './writer.ts';

type HasExpected = {
  getExpectedStreamRevisionCase(): number;
  getRevision(): string;
};

/** The cases have the same numbers in Append, Delete and Tombstone: their fields 2 to 5. */
const expectedOf = (options: HasExpected): Expected => {
  switch (options.getExpectedStreamRevisionCase()) {
    case AppendReq.Options.ExpectedStreamRevisionCase.REVISION:
      return textToInt64(options.getRevision());
    case AppendReq.Options.ExpectedStreamRevisionCase.NO_STREAM:
      return 'noStream';
    case AppendReq.Options.ExpectedStreamRevisionCase.ANY:
      return 'any';
    case AppendReq.Options.ExpectedStreamRevisionCase.STREAM_EXISTS:
      return 'streamExists';
    default:
      throw invalidArgument('No expected stream revision is given.');
  }
};

const failure = (error: unknown): Error =>
  isRpcError(error) ? error : unavailable(`Server Is Not Ready: ${error instanceof Error ? error.message : 'unknown'}`);

const success = (revision: number, position: number): AppendResp => {
  const answer = new AppendResp.Success();
  if (revision < 0) answer.setNoStream(new Empty());
  else answer.setCurrentRevision(int64ToText(revision));
  const at = new AppendResp.Position();
  at.setCommitPosition(String(position));
  at.setPreparePosition(String(position));
  answer.setPosition(at);
  const response = new AppendResp();
  response.setSuccess(answer);
  return response;
};

/** On Append a wrong version is an answer, told once in the present fields and once in those of version 20.6. */
const wrongVersion = (expected: Expected, actual: number): AppendResp => {
  const answer = new AppendResp.WrongExpectedVersion();
  if (actual < 0) {
    answer.setCurrentNoStream(new Empty());
    answer.setNoStream2060(new Empty());
  } else {
    answer.setCurrentRevision(int64ToText(actual));
    answer.setCurrentRevision2060(actual);
  }
  if (expected === 'any') {
    answer.setExpectedAny(new Empty());
    answer.setAny2060(new Empty());
  } else if (expected === 'streamExists') {
    answer.setExpectedStreamExists(new Empty());
    answer.setStreamExists2060(new Empty());
  } else if (expected === 'noStream') {
    answer.setExpectedNoStream(new Empty());
  } else {
    answer.setExpectedRevision(int64ToText(expected));
    answer.setExpectedRevision2060(expected);
  }
  const response = new AppendResp();
  response.setWrongExpectedVersion(answer);
  return response;
};

const appendAnswer = (stream: string, expected: Expected, result: WriteResult): AppendResp => {
  if (result.ok) return success(result.revision, result.position);
  if (result.reason === 'deleted') throw streamDeleted(stream);
  return wrongVersion(expected, result.actual);
};

type Gathered = { stream: string; expected: Expected; events: ProposedEvent[]; bytes: number };

const gather = async (requests: AsyncIterable<AppendReq>, maxBytes: number): Promise<Gathered> => {
  let gathered: Gathered | undefined;
  for await (const request of requests) {
    const options = request.getOptions();
    if (options !== undefined) {
      const stream = streamName(options.getStreamIdentifier());
      gathered = { stream, expected: expectedOf(options), events: [], bytes: 0 };
      continue;
    }
    const message = request.getProposedMessage();
    if (gathered === undefined || message === undefined) throw invalidArgument('An append begins with its options.');
    const event = proposedEvent(message);
    gathered.bytes += event.data.length;
    if (gathered.bytes > maxBytes) throw maximumAppendSizeExceeded(maxBytes);
    gathered.events.push(event);
  }
  if (gathered === undefined) throw invalidArgument('An append begins with its options.');
  return gathered;
};

export const handleAppend =
  (writer: Writer, maxBytes: number) =>
  async (call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>): Promise<void> => {
    try {
      const { stream, expected, events } = await gather(call, maxBytes);
      const result = await writer.submit({ kind: 'append', stream, expected, events });
      answer(null, appendAnswer(stream, expected, result));
    } catch (error) {
      answer(failure(error));
    }
  };

const remove = async (
  writer: Writer,
  kind: 'delete' | 'tombstone',
  options: DeleteReq.Options | TombstoneReq.Options | undefined,
): Promise<number> => {
  if (options === undefined) throw invalidArgument('No options are given.');
  const stream = streamName(options.getStreamIdentifier());
  const expected = expectedOf(options);
  const result = await writer.submit({ kind, stream, expected });
  if (result.ok) return result.position;
  throw result.reason === 'deleted' ? streamDeleted(stream) : wrongExpectedVersion(stream, expected, result.actual);
};

export const handleDelete =
  (writer: Writer) =>
  async (call: ServerUnaryCall<DeleteReq, DeleteResp>, answer: sendUnaryData<DeleteResp>): Promise<void> => {
    try {
      const position = String(await remove(writer, 'delete', call.request.getOptions()));
      const at = new DeleteResp.Position();
      at.setCommitPosition(position);
      at.setPreparePosition(position);
      const response = new DeleteResp();
      response.setPosition(at);
      answer(null, response);
    } catch (error) {
      answer(failure(error));
    }
  };

export const handleTombstone =
  (writer: Writer) =>
  async (call: ServerUnaryCall<TombstoneReq, TombstoneResp>, answer: sendUnaryData<TombstoneResp>): Promise<void> => {
    try {
      const position = String(await remove(writer, 'tombstone', call.request.getOptions()));
      const at = new TombstoneResp.Position();
      at.setCommitPosition(position);
      at.setPreparePosition(position);
      const response = new TombstoneResp();
      response.setPosition(at);
      answer(null, response);
    } catch (error) {
      answer(failure(error));
    }
  };
