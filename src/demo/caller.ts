import { request as httpRequest } from 'node:http';
import type { z } from 'zod';

export class CallFailed extends Error {
  override readonly name = 'CallFailed';
}

/** Calls the API as any program would; the answer is checked against the schema that the API documents. */
export const createCaller = (url: string, token?: string) => {
  const call = async <Schema extends z.ZodType>(
    schema: Schema,
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly body: z.output<Schema>; readonly position: string }> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new CallFailed(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
    return { body: schema.parse(JSON.parse(text)), position: response.headers.get('opslog-position') ?? '' };
  };
  return call;
};

export type Caller = ReturnType<typeof createCaller>;

export type Answer = { readonly status: number; readonly body: string };

/** Calls a worker by its host name on the router's own address: no name needs to resolve for that. */
export const callWorker = (workerUrl: string, path: string): Promise<Answer> => {
  const { host, port } = new URL(workerUrl);
  return callHost(`http://127.0.0.1:${port}`, host, path);
};

/** Asks a server for a host name that need not resolve to it. */
export const callHost = (serverUrl: string, host: string, path: string): Promise<Answer> => {
  const { hostname, port } = new URL(serverUrl);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: hostname, port, path, headers: { host }, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end();
  });
};
