import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { Header } from './headers.ts';

export type Sent = {
  readonly method: string;
  /** As it stands in the request line: nothing is made better on the way. */
  readonly path: string;
  readonly headers: readonly Header[];
  readonly body: Uint8Array | undefined;
};
export type Received = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly isUtf8: boolean;
};

export type Wire = { send(sent: Sent, isStream: boolean): Promise<Received>; close(): void };

const fatal = new TextDecoder('utf-8', { fatal: true });
const decoded = (bytes: Uint8Array): { readonly text: string; readonly isUtf8: boolean } => {
  try {
    return { text: fatal.decode(bytes), isUtf8: true };
  } catch {
    return { text: Buffer.from(bytes).toString('latin1'), isUtf8: false };
  }
};

/** One connection after the other is used again. A stream that opens is closed at once. */
export const openWire = (url: string): Wire => {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const { hostname, port } = new URL(url);
  const send: Wire['send'] = ({ method, path, headers, body }, isStream) =>
    new Promise((resolve, reject) => {
      const length: readonly Header[] =
        body || !/^(GET|HEAD)$/.test(method) ? [['content-length', String(body?.length ?? 0)]] : [];
      const given = headers.some(([name]) => name === 'host') ? [] : [['host', 'localhost']];
      const flat = [...headers, ...length, ...given].flat();
      const asking = request({ hostname, port, agent, method, path, headers: flat }, (response) => {
        const status = response.statusCode ?? 0;
        if (isStream && status === 200) {
          resolve({ status, headers: response.headers, text: '', isUtf8: true });
          asking.destroy();
          return;
        }
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.once('end', () => resolve({ status, headers: response.headers, ...decoded(Buffer.concat(parts)) }));
        response.once('error', reject);
      });
      asking.once('error', reject);
      asking.end(body);
    });
  return { send, close: () => agent.destroy() };
};
