import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { createUseRecorder, type Use } from '../commands/useRecorder.ts';
import { maskSecrets } from '../domain/masking.ts';
import { describedError } from '../platform/log/port.ts';
import { addressOf, ipOf } from './address.ts';
import { ClientGone, weightOf } from './body.ts';
import { auditRefusal, isControlled } from './controlAudit.ts';
import { rateExceeded } from './define.ts';
import type { ApiDeps } from './deps.ts';
import { createLimiters } from './limiters.ts';
import { loadOf } from './load.ts';
import { createOneByOne } from './oneByOne.ts';
import { lookBackWeight, type Operation } from './operation.ts';
import { operations } from './operations.ts';
import { isRefusal, type Refusal, refuse } from './problem.ts';
import { type ApiRequest, idsOf } from './request.ts';
import { sendProblem, sendReply } from './respond.ts';
import { createRouteTable } from './routeTable.ts';
import { statuses } from './statuses.ts';

/**
 * The HTTP API as an express application. One handler looks the route up in a table: what does not depend on the request
 * was made once, so a small command costs little more than its append.
 */
export const createApi = (deps: ApiDeps): express.Express => {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(createHandler(deps, operations));
  return app;
};

const createHandler = (deps: ApiDeps, routes: readonly Operation[]) => {
  const match = createRouteTable(routes);
  const controlled = new Set(routes.filter(isControlled));
  const limiters = createLimiters(deps.limits, () => deps.clock.now());
  deps.showLoad?.(() => loadOf(limiters));
  const onFailure = (error: unknown) => deps.logger.debug({ error: nameOf(error) }, 'A use could not be noted.');
  const uses = createUseRecorder({ ...deps, onFailure });

  /** The answer, already sent; `route` is the template for logs and metrics. */
  const serve = async (raw: IncomingMessage, response: ServerResponse, ids: Ids): Promise<Served> => {
    const url = pathOf(raw.url ?? '/');
    const fail = async (refusal: Refusal, route = 'unmatched'): Promise<Served> => {
      // A large body that was not read would be received all the same before the next request.
      const isLast =
        (refusal.rejected === 'RateExceeded' || refusal.rejected === 'ServerBusy') &&
        (!(await limiters.heldAnswers.hold()) || (!raw.complete && weightOf(raw) > 1));
      sendProblem(response, isLast ? { ...refusal, headers: closing } : refusal, ids.requestId);
      return { route, status: statuses[refusal.rejected] };
    };
    if (url.length > deps.limits.urlBytes) return fail(urlTooLong);
    if (raw.rawHeaders.length > deps.limits.headers * 2) return fail(tooManyHeaders);
    const trusts = deps.trustForwarded ?? false;
    const address = addressOf(raw, trusts);

    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const method = raw.method ?? '';
    const matched = match(method, path);
    if (matched.found !== 'route' && limiters.perAddress(address) > 0) return fail(rateExceeded(1));
    if (matched.found === 'nothing') return fail(routeNotFound);
    if (matched.found === 'path') {
      if (method !== 'OPTIONS') return fail({ ...methodNotAllowed, headers: { Allow: matched.allow } });
      response.writeHead(204, { Allow: matched.allow, 'X-Request-Id': ids.requestId }).end();
      return { route: 'options', status: 204 };
    }
    const { route, params } = matched;
    const query = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
    let content: unknown;
    const heard = (what: unknown): void => {
      content = what;
    };
    const ip = ipOf(raw, trusts);
    let use: Use | undefined;
    const recognised = (what: Use): void => {
      use = what;
    };
    let owner = '';
    const owned = (whose: string): void => {
      owner = whose;
    };
    const weight = weightOf(raw) + (query.has('at') ? lookBackWeight : 0) + route.weight(query);
    const known = { deps, limiters, raw, method, path, params, query, address, ip, weight, ...ids };
    const request: ApiRequest = { ...known, heard, recognised, owned };
    try {
      const result = await route.run(request);
      if (isRefusal(result)) {
        if (controlled.has(route)) await auditRefusal({ request, route, content }, result);
        return await fail(result, route.path);
      }
      const status = sendReply(response, result, route, ids.requestId);
      limiters.answers.watch(owner, response);
      return { route: route.path, status };
    } catch (error) {
      return await fail(refusalOf(error, deps, ids.requestId, route.path), route.path);
    } finally {
      if (use) uses.note(use);
    }
  };

  const begin = (raw: IncomingMessage, response: ServerResponse): void => {
    const started = performance.now();
    const ids = idsOf(raw, deps.random.uuid);
    serve(raw, response, ids)
      .then(({ route, status }) => {
        const ms = performance.now() - started;
        const method = raw.method ?? '';
        deps.observe?.({ method, route, status, seconds: ms / 1000 });
        deps.logger.debug({ method, route, status, ms, requestId: ids.requestId }, 'Answered.');
      })
      .catch((error: unknown) => {
        deps.logger.error({ error: nameOf(error), requestId: ids.requestId }, 'An answer could not be sent.');
        response.destroy();
      });
  };

  const oneByOne = createOneByOne();
  return (raw: IncomingMessage, response: ServerResponse): void => {
    const turn = oneByOne(raw, response);
    if (!turn) begin(raw, response);
    else void turn.then((isWanted) => isWanted && begin(raw, response));
  };
};

const closing = { Connection: 'close' };

type Ids = { readonly requestId: string; readonly correlationId: string };
type Served = { readonly route: string; readonly status: number };

/** A target may be a whole URL; whose host it names makes no difference here. */
const pathOf = (target: string): string => target.replace(/^https?:\/\/[^/?]*(?=[/?]|$)/i, '');

const tooManyHeaders = refuse('HeadersTooLarge', 'The request has too many headers.');
const routeNotFound = refuse('RouteNotFound', 'There is nothing at this address. See /docs.');
const methodNotAllowed = refuse('MethodNotAllowed', 'This address does not take this method.');
const urlTooLong = refuse('UrlTooLong', 'The address is too long.', { headers: { Connection: 'close' } });
const logUnavailable = refuse('LogUnavailable', 'The event log does not answer.', { retryAfterSeconds: 2 });
const serverBusy = refuse('ServerBusy', 'The server has as much of this work as it takes at a time.', {
  retryAfterSeconds: 3,
});
const lookBackLost = refuse('ServerBusy', 'The look back took too long, or broke off. Try again in a moment.', {
  retryAfterSeconds: 3,
});
const tooManyAtOnce = rateExceeded(1, 'Too many requests are being worked on at a time, here or in this workspace.');
const readTablesUnavailable = refuse('ReadTablesUnavailable', 'The read tables do not answer.', {
  retryAfterSeconds: 2,
});
const artifactStoreUnavailable = refuse(
  'ArtifactStoreUnavailable',
  'The artifact store does not answer as it should.',
  {
    retryAfterSeconds: 5,
  },
);
const storageFull = refuse('StorageFull', 'The disk of the server is full. Nothing was stored.', {
  retryAfterSeconds: 60,
});
const historyTooLong = refuse(
  'HistoryTooLong',
  'The workspace had more by then than is replayed for a question. The operator can: "opslog replay --workspace".',
  { field: 'at' },
);
const timedOut = refuse('RequestTimedOut', 'The request did not arrive completely.', {
  headers: { Connection: 'close' },
});
const fault = refuse('InternalFault', 'Something failed. It was recorded under this request id.');

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

/** No room on the disk, or none left for this user. */
const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

/** Errors of the platform are told apart by name, because the API imports no driver. Nothing of a defect is shown. */
const refusalOf = (error: unknown, deps: ApiDeps, requestId: string, route: string): Refusal => {
  if (error instanceof ClientGone) return timedOut;
  switch (nameOf(error)) {
    case 'EventLogUnavailable':
      return logUnavailable;
    case 'ArtifactStoreUnavailable':
      deps.logger.error({ error: describedError(error), requestId, route }, 'The artifact store cannot be used.');
      return artifactStoreUnavailable;
    case 'HistoryTooLong':
      return historyTooLong;
    case 'QueueFull':
      return tooManyAtOnce;
    case 'PastLost':
      deps.logger.warn({ error: describedError(error), requestId, route }, 'A look back was lost.');
      return lookBackLost;
    case 'PastBusy':
    case 'PasswordsBusy':
    case 'BuilderBusy':
      return serverBusy;
    default:
      if (isDiskFull(error)) {
        deps.logger.error({ error: describedError(error), requestId, route }, 'The disk is full.');
        return storageFull;
      }
      if (deps.isUnavailable?.(error)) return readTablesUnavailable;
      deps.logger.error({ error: maskSecrets(describedError(error)), requestId, route }, 'A request failed.');
      return fault;
  }
};
