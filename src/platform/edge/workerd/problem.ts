import type { ServerResponse } from 'node:http';

/** What the router answers by itself, in place of a worker. */
export type RouterProblem = {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly retryAfterSeconds?: number;
};

export const problems = {
  unknownHost: { status: 404, code: 'WorkerUnknown', detail: 'No worker answers at this host' },
  paused: { status: 503, code: 'WorkerPaused', detail: 'This worker is paused', retryAfterSeconds: 60 },
  down: { status: 503, code: 'WorkerUnavailable', detail: 'This worker is being restarted', retryAfterSeconds: 1 },
  busy: {
    status: 503,
    code: 'WorkerBusy',
    detail: 'Too many requests in flight for this worker',
    retryAfterSeconds: 1,
  },
  broken: { status: 502, code: 'WorkerConnectionLost', detail: 'The worker ended the connection before it answered' },
  slow: { status: 504, code: 'WorkerTimedOut', detail: 'The worker did not answer in time' },
  urlTooLong: { status: 414, code: 'UrlTooLong', detail: 'The URL is longer than this node accepts' },
  urlNotPath: { status: 400, code: 'UrlInvalid', detail: 'The request target must be a path' },
  hostAmbiguous: { status: 400, code: 'HostInvalid', detail: 'The request must name one host' },
  hostMisdirected: {
    status: 421,
    code: 'HostMisdirected',
    detail: 'This connection was made for another host: open a new one',
  },
  upgradeUnclear: { status: 400, code: 'UpgradeInvalid', detail: 'An upgrade takes a body of a known length or none' },
  bodyTooLarge: { status: 413, code: 'BodyTooLarge', detail: 'The body is larger than this node accepts' },
} as const satisfies Record<string, RouterProblem>;

export const problemBody = ({ status, code, detail }: RouterProblem): string =>
  JSON.stringify({ type: `/problems/${code}`, title: code, status, detail });

export const problemHeaders = (problem: RouterProblem, body: string): Record<string, string> => ({
  'Content-Type': 'application/problem+json',
  'Content-Length': String(Buffer.byteLength(body)),
  'Cache-Control': 'no-store',
  ...(problem.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(problem.retryAfterSeconds) }),
});

/** Answers, or cuts the connection when an answer has already begun. */
export const sendProblem = (response: ServerResponse, problem: RouterProblem): void => {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = problemBody(problem);
  response.writeHead(problem.status, problemHeaders(problem, body));
  response.end(body);
};
