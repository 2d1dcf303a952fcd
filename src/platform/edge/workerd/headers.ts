import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';

/** Names of the platform's own headers: they never reach a worker and never leave to the public. */
const internalPrefix = 'x-opslog-';
export const verifyHeader = `${internalPrefix}verify`;
/** Consumed by the runtime: it makes the scheme of the URL that the worker sees. */
export const protoHeader = `${internalPrefix}proto`;

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Set by the router from what it sees itself; a caller's word for them is not taken. */
const forwarded = new Set([
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
  'cf-connecting-ip',
  'expect',
]);

/** Names listed by `Connection` are of this hop only, too. */
const listedByConnection = (message: IncomingMessage): ReadonlySet<string> =>
  new Set(
    (message.headers.connection ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );

type RawHeaders = string[];

/** Raw pairs without those of this hop; spelling and repetitions are kept. */
const endToEnd = (message: IncomingMessage, dropped: (name: string) => boolean): RawHeaders => {
  const listed = listedByConnection(message);
  const kept: RawHeaders = [];
  for (let at = 0; at + 1 < message.rawHeaders.length; at += 2) {
    const [name = '', value = ''] = message.rawHeaders.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (hopByHop.has(lower) || listed.has(lower) || lower.startsWith(internalPrefix) || dropped(lower)) continue;
    kept.push(name, value);
  }
  return kept;
};

export type Forwarding = { readonly address: string; readonly host: string; readonly proto: string };

/** More than one `Host` is refused: router and runtime might take different ones. */
export const namesOneHost = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host').length <= 1;

/** Behind a proxy of our own its word counts, which is the last of a list; otherwise the connection is all we know. */
export const forwardingOf = (request: IncomingMessage, trustForwarded: boolean): Forwarding => {
  const address = request.socket.remoteAddress ?? '';
  const host = request.headers.host ?? '';
  const own = request.socket instanceof TLSSocket ? 'https' : 'http';
  const told = (name: string): string | undefined => {
    const value = trustForwarded ? request.headers[name] : undefined;
    return typeof value === 'string' ? value.slice(value.lastIndexOf(',') + 1).trim() || undefined : undefined;
  };
  return {
    address: told('x-forwarded-for') ?? address,
    host: told('x-forwarded-host') ?? host,
    proto: (told('x-forwarded-proto') ?? own) === 'https' ? 'https' : 'http',
  };
};

export const requestHeaders = (request: IncomingMessage, { address, host, proto }: Forwarding): RawHeaders => {
  const headers = endToEnd(request, (name) => forwarded.has(name));
  headers.push(
    'X-Forwarded-For',
    address,
    'X-Forwarded-Host',
    host,
    'X-Forwarded-Proto',
    proto,
    protoHeader,
    proto,
    'CF-Connecting-IP',
    address,
  );
  // A body of unknown length stays one: its framing is made anew for this hop.
  if (request.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
  return headers;
};

export const upgradeHeaders = (request: IncomingMessage, forwarding: Forwarding): RawHeaders => [
  ...requestHeaders(request, forwarding),
  'Connection',
  'Upgrade',
  'Upgrade',
  request.headers.upgrade ?? '',
];

export const responseHeaders = (response: IncomingMessage): RawHeaders => endToEnd(response, () => false);
