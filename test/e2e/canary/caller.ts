import { randomBytes } from 'node:crypto';
import { createApiCanaries } from '../../support/apiCanaries.ts';

export type Sending = {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly token?: string | undefined;
  readonly body?: unknown;
  /** In place of `body`, as it is. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A secret that is nothing else. */
export const canary = (): string => `Cn7-${randomBytes(20).toString('hex')}`;

/** Calls the program and notes what is secret in each exchange. */
export const createCaller = (url: string) => {
  const canaries = createApiCanaries();
  const send = async ({ operationId, method, path, token, body, raw, headers }: Sending) => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    });
    const text = await response.text();
    const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '');
    const answer: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
    canaries.note({ operationId, token, body, status: response.status, headers: response.headers, text, answer });
    return { status: response.status, text, answer };
  };
  /** Answers the body; throws when it was refused. */
  const must = async (sending: Sending): Promise<Readonly<Record<string, unknown>>> => {
    const { status, text, answer } = await send(sending);
    if (status >= 300) throw new Error(`${sending.operationId} was answered ${status}: ${text}`);
    return Object(answer);
  };
  return { canaries, send, must };
};
export type Caller = ReturnType<typeof createCaller>;
