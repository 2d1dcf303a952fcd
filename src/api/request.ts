import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { canonicalJson } from '../commands/canonicalJson.ts';
import { type Envelope, sha256 } from '../commands/envelope.ts';
import type { Use } from '../commands/useRecorder.ts';
import { derivedId } from '../domain/identifiers.ts';
import type { Actor, AuthMethod } from '../domain/kernel.ts';
import type { ApiDeps } from './deps.ts';
import type { Limiters } from './limiters.ts';
import { type Refusal, refuse } from './problem.ts';

/** What every operation may want to know of a request, taken from its line and headers. */
export type ApiRequest = {
  readonly deps: ApiDeps;
  readonly limiters: Limiters;
  readonly raw: IncomingMessage;
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Whom the limits count: an address or a network. */
  readonly address: string;
  /** The caller's IP address, '' when it is not known. */
  readonly ip: string;
  readonly requestId: string;
  readonly correlationId: string;
  /** What it is worth, in small requests. */
  readonly weight: number;
  /** Told of the parsed body, once. */
  readonly heard?: (content: unknown) => void;
  /** Told on whose account it is done, once that is known. */
  readonly owned?: (owner: string) => void;
  /** Told of the caller's session or token, once it is known. */
  readonly recognised?: (use: Use) => void;
};

/** Headers that steer a command or a query. */
export type Preferences = {
  readonly dryRun: boolean;
  readonly idempotencyKey: string | undefined;
  readonly expectedRevision: number | undefined;
};

const idShape = /^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{7,127}$/;
const traceShape = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;
const noTrace = '0'.repeat(32);

/** The caller's ids where they are well formed, so that nobody writes what he likes into logs and events. */
export const idsOf = (raw: IncomingMessage, uuid: () => string): { requestId: string; correlationId: string } => {
  const given = raw.headers['x-request-id'];
  const requestId = typeof given === 'string' && idShape.test(given) ? given : uuid();
  const correlation = raw.headers['x-correlation-id'];
  if (typeof correlation === 'string' && idShape.test(correlation)) return { requestId, correlationId: correlation };
  const trace = raw.headers['traceparent'];
  const [, traceId] = typeof trace === 'string' ? (traceShape.exec(trace) ?? []) : [];
  return { requestId, correlationId: traceId !== undefined && traceId !== noTrace ? traceId : requestId };
};

const keyShape = /^[\x21-\x7e]{1,255}$/;
const etagShape = /^(?:W\/)?"(\d{1,15})"$/;

export const preferencesOf = ({ headers }: IncomingMessage): Preferences | Refusal<'RequestInvalid'> => {
  const idempotencyKey = headers['idempotency-key'];
  if (idempotencyKey !== undefined && (typeof idempotencyKey !== 'string' || !keyShape.test(idempotencyKey))) {
    return refuse('RequestInvalid', 'Idempotency-Key takes 1 to 255 visible ASCII characters.', {
      field: 'Idempotency-Key',
    });
  }
  const ifMatch = headers['if-match'];
  const [, revision] = ifMatch === undefined ? [] : (etagShape.exec(ifMatch) ?? []);
  if (ifMatch !== undefined && ifMatch !== '*' && revision === undefined) {
    return refuse('RequestInvalid', 'If-Match takes one ETag as this API gives it, for example W/"3".', {
      field: 'If-Match',
    });
  }
  const prefer = headers['prefer'];
  return {
    dryRun: typeof prefer === 'string' && prefer.split(/[,;]/).some((each) => each.trim().toLowerCase() === 'dry-run'),
    idempotencyKey,
    expectedRevision: revision === undefined ? undefined : Number(revision),
  };
};

export type Acting = { readonly actor: Actor; readonly authMethod: AuthMethod };
export const nobody: Acting = { actor: { kind: 'system', id: 'anonymous' }, authMethod: 'none' };

/**
 * The same key of the same actor on the same route is the same command. Its digest is keyed, because a body may hold a
 * password and a plain digest in the log could be guessed at.
 */
export const envelopeOf = (
  { deps, method, path, query, requestId, correlationId, ip }: ApiRequest,
  { idempotencyKey, dryRun, expectedRevision }: Preferences,
  { actor, authMethod }: Acting,
  tenant: { readonly workspaceId: string; readonly departmentId: string },
  body: unknown,
): Envelope => {
  const keyed = idempotencyKey !== undefined;
  const commandId = keyed
    ? derivedId(sha256, 'command', actor.kind, actor.id, method, path, idempotencyKey)
    : deps.random.uuid();
  return {
    commandId,
    commandDigest: keyed ? digestOf(deps.secretKey, method, path, query, body) : '',
    actor,
    authMethod,
    workspaceId: tenant.workspaceId,
    departmentId: tenant.departmentId,
    requestId,
    correlationId,
    causationId: commandId,
    ip,
    ...(expectedRevision !== undefined && { expectedRevision }),
    ...(dryRun && { dryRun }),
  };
};

const digestOf = (key: Uint8Array, method: string, path: string, query: URLSearchParams, body: unknown): string => {
  const content = body instanceof Uint8Array ? sha256(body) : canonicalJson(body ?? {});
  return createHmac('sha256', key).update(`${method}\0${path}\0${query.toString()}\0${content}`).digest('hex');
};
