import type { ServerResponse } from 'node:http';
import { always } from './headers.ts';
import type { Operation, Rehearsal, Reply } from './operation.ts';
import { problemOf, type Refusal } from './problem.ts';
import { statuses } from './statuses.ts';

export const sendProblem = (response: ServerResponse, refusal: Refusal, requestId: string): void => {
  if (response.headersSent || response.destroyed) return;
  const body = JSON.stringify(problemOf(refusal, requestId));
  const status = statuses[refusal.rejected];
  response.writeHead(status, {
    ...always,
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId,
    ...(refusal.retryAfterSeconds !== undefined && { 'Retry-After': String(refusal.retryAfterSeconds) }),
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...refusal.headers,
  });
  response.end(body);
};

/** Answers with the status that was sent. */
export const sendReply = (
  response: ServerResponse,
  result: Reply<unknown> | Rehearsal,
  { success: { mediaType } }: Operation,
  requestId: string,
): number => {
  if ('rehearsal' in result) {
    const body = JSON.stringify({ dryRun: true, events: result.events });
    const headers = { 'Content-Type': 'application/json', 'Preference-Applied': 'dry-run' };
    end(response, 200, body, requestId, headers);
    return 200;
  }
  const { status, revision, position, headers, stream } = result;
  if (stream) {
    response.writeHead(status, { ...always, 'Content-Type': typeOf(mediaType), 'X-Request-Id': requestId, ...headers });
    stream(response).catch(() => response.destroy());
    return status;
  }
  const body = status === 204 ? '' : mediaType === undefined ? JSON.stringify(result.body) : String(result.body);
  end(response, status, body, requestId, {
    ...(status !== 204 && { 'Content-Type': typeOf(mediaType) }),
    ...(revision !== undefined && revision >= 0 && { ETag: `W/"${revision}"` }),
    ...(position !== undefined && { 'Opslog-Position': String(position) }),
    ...headers,
  });
  return status;
};

/** Text says how it is encoded, so that nobody guesses. JSON and event streams are UTF-8 by definition. */
const typeOf = (mediaType = 'application/json'): string =>
  mediaType.startsWith('text/') && mediaType !== 'text/event-stream' ? `${mediaType}; charset=utf-8` : mediaType;

const end = (
  response: ServerResponse,
  status: number,
  body: string,
  requestId: string,
  headers: Readonly<Record<string, string>>,
): void => {
  const length = status === 204 ? {} : { 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, { ...always, ...length, 'X-Request-Id': requestId, ...headers });
  response.end(body);
};
