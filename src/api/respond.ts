import type { ServerResponse } from 'node:http';
import type { Operation, Rehearsal, Reply } from './operation.ts';
import { problemOf, type Refusal } from './problem.ts';
import { statuses } from './statuses.ts';

/** On every answer: nothing here is for a browser to render, frame, guess at or keep. */
const always = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

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
    response.writeHead(status, { ...always, 'Content-Type': mediaType, 'X-Request-Id': requestId, ...headers });
    stream(response).catch(() => response.destroy());
    return status;
  }
  const body = status === 204 ? '' : mediaType === undefined ? JSON.stringify(result.body) : String(result.body);
  end(response, status, body, requestId, {
    ...(status !== 204 && { 'Content-Type': mediaType ?? 'application/json' }),
    ...(revision !== undefined && revision >= 0 && { ETag: `W/"${revision}"` }),
    ...(position !== undefined && { 'Opslog-Position': String(position) }),
    ...headers,
  });
  return status;
};

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
