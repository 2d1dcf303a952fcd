import type { IncomingMessage } from 'node:http';
import type { HeldBody } from './bodyBudget.ts';
import { type Refusal, refuse } from './problem.ts';

/** The caller went away before the request was complete: nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export type Payload =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

/** Media types that an operation takes beside JSON. */
export type ReadBody = {
  readonly limitBytes: number;
  readonly jsonDepth: number;
  readonly binary: readonly string[];
  readonly held: HeldBody;
};

export const hasBody = (request: IncomingMessage): boolean => {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
};

/** Bytes of a body that cost as much as a request without one: to receive them, and to make values of them. */
const bytesPerRequest = 16 * 1024;

/** As how many requests it counts. A body whose size is not announced counts as one of a mebibyte. */
export const weightOf = (request: IncomingMessage): number => {
  const announced = Number(request.headers['content-length'] ?? 0);
  const bytes = request.headers['transfer-encoding'] === undefined ? announced : 1024 * 1024;
  return 1 + Math.floor((Number.isFinite(bytes) ? bytes : 0) / bytesPerRequest);
};

type BodyProblem = 'MediaTypeUnsupported' | 'BodyTooLarge' | 'BodyMalformed' | 'ServerBusy';

const noRoom = refuse('ServerBusy', 'Too much is being sent at a time, by you or in all. Try again in a moment.', {
  retryAfterSeconds: 3,
  headers: { Connection: 'close' },
});

/**
 * Reads the body, and answers how to make a value of it: that takes a while for a large one, during which nobody else is
 * served, so that it is done when it is the owner's turn.
 */
export const readBody = async (
  request: IncomingMessage,
  options: ReadBody,
): Promise<(() => Payload | Refusal<'BodyMalformed'>) | Refusal<BodyProblem>> => {
  if (!hasBody(request)) return () => ({ kind: 'none' });
  const mediaType = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isJson = mediaType === 'application/json';
  if (!isJson && !options.binary.includes(mediaType)) return unsupported(mediaType, options.binary);
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    return refuse('MediaTypeUnsupported', 'A Content-Encoding is not taken. Send the body as it is.', {
      field: 'Content-Encoding',
    });
  }
  const bytes = await readBytes(request, options.limitBytes, options.held);
  if ('rejected' in bytes) return bytes;
  if (!isJson) return () => ({ kind: 'bytes', bytes });
  return () => (bytes.length === 0 ? { kind: 'none' } : parseJson(bytes, options.jsonDepth));
};

const unsupported = (mediaType: string, binary: readonly string[]): Refusal<'MediaTypeUnsupported'> => {
  const taken = ['application/json', ...binary].join(', ');
  const reason = `${mediaType === '' ? 'A body without a Content-Type' : 'This media type'} is not taken here. Send ${taken}.`;
  return refuse('MediaTypeUnsupported', reason, { field: 'Content-Type', headers: { Accept: taken } });
};

const readBytes = (
  request: IncomingMessage,
  limit: number,
  held: HeldBody,
): Promise<Buffer | Refusal<'BodyTooLarge' | 'ServerBusy'>> => {
  const tooLarge = refuse('BodyTooLarge', `A body may hold ${limit} bytes here.`, {
    details: { limitBytes: limit },
    headers: { Connection: 'close' },
  });
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.resolve(tooLarge);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (): void => {
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      const refused = size > limit ? tooLarge : held.take(chunk.length) ? undefined : noRoom;
      if (refused === undefined) {
        chunks.push(chunk);
        return;
      }
      settle();
      resolve(refused);
    };
    const onEnd = (): void => {
      settle();
      const [first] = chunks;
      resolve(chunks.length === 1 && first ? first : Buffer.concat(chunks, size));
    };
    const onGone = (): void => {
      settle();
      reject(new ClientGone());
    };
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const parseJson = (bytes: Uint8Array, depth: number): Payload | Refusal<'BodyMalformed'> => {
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
  } catch {
    return refuse('BodyMalformed', 'The body is not valid UTF-8.');
  }
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse('BodyMalformed', `The body is not JSON${positionOf(error)}.`);
  }
  const harm = looksHarmful(text, depth) ? harmIn(value, depth) : undefined;
  return harm ?? { kind: 'json', value };
};

/** Only the place: the message of the parser quotes the body, which may hold a secret. */
const positionOf = (error: unknown): string => {
  const [, position] = /at position (\d+)/.exec(error instanceof Error ? error.message : '') ?? [];
  return position === undefined ? '' : ` (at character ${position})`;
};

/** Cheap and never wrong in the dangerous direction: only a text that passes here may be deep or hold a forbidden key. */
const looksHarmful = (text: string, depth: number): boolean => {
  if (text.includes('__proto__') || text.includes('constructor') || text.includes('prototype') || text.includes('\\u'))
    return true;
  let opened = 0;
  for (let index = 0; index < text.length && opened <= depth; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x7b || code === 0x5b) opened += 1;
  }
  return opened > depth;
};

const forbidden = new Set(['__proto__', 'constructor', 'prototype']);

const harmIn = (value: unknown, depth: number): Refusal<'BodyMalformed'> | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === 0) return refuse('BodyMalformed', 'The body is nested too deeply.');
  for (const [key, each] of Object.entries(value)) {
    if (!Array.isArray(value) && forbidden.has(key)) {
      return refuse('BodyMalformed', `A member may not be named ${key}.`, { field: key });
    }
    const harm = harmIn(each, depth - 1);
    if (harm) return harm;
  }
  return undefined;
};
