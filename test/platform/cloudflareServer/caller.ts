import { z } from 'zod';
import type { Cloudflare } from '../../support/cloudflare/server.ts';

const envelopeSchema = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string(), meta: z.unknown().optional() })),
  messages: z.array(z.unknown()),
  result: z.unknown(),
  result_info: z.record(z.string(), z.number()).optional(),
});

export type Envelope = z.infer<typeof envelopeSchema>;

export type Called = Envelope & {
  readonly status: number;
  readonly headers: Headers;
  readonly codes: readonly number[];
};

const parse = async (response: Response): Promise<Called> => {
  const envelope = envelopeSchema.parse(await response.json());
  const codes = envelope.errors.map(({ code }) => code);
  return { ...envelope, status: response.status, headers: response.headers, codes };
};

export const goodCode = "export default { async fetch() { return new Response('hello'); } };\n";

export type UploadParts = {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly code?: string;
  readonly type?: string;
  readonly query?: string;
};

export const uploadForm = ({ metadata, code, type }: UploadParts, jsonPart = 'metadata'): FormData => {
  const form = new FormData();
  form.set(jsonPart, JSON.stringify({ main_module: 'worker.js', compatibility_date: '2026-01-01', ...metadata }));
  const blob = new Blob([code ?? goodCode], { type: type ?? 'application/javascript+module' });
  form.set('worker.js', blob, 'worker.js');
  return form;
};

/** Plain calls of the API with the server's own token. */
export const callerOf = ({ baseUrl, token, accountId }: Pick<Cloudflare, 'baseUrl' | 'token' | 'accountId'>) => {
  const raw = (method: string, path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${baseUrl}${path}`, { ...init, method, headers: { authorization: `Bearer ${token}`, ...init.headers } });
  const json = (body: unknown): RequestInit =>
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const call = async (method: string, path: string, body?: unknown): Promise<Called> =>
    parse(await raw(method, path, json(body)));
  const script = (name: string) => `/accounts/${accountId}/workers/scripts/${name}`;
  return {
    raw,
    call,
    /** A path below the scripts of the account. */
    script,
    form: async (method: string, path: string, form: FormData): Promise<Called> =>
      parse(await raw(method, path, { body: form })),
    put: async (name: string, parts: UploadParts = {}): Promise<Called> =>
      parse(await raw('PUT', `${script(name)}${parts.query ?? ''}`, { body: uploadForm(parts) })),
    version: async (name: string, parts: UploadParts = {}): Promise<Called> =>
      parse(await raw('POST', `${script(name)}/versions${parts.query ?? ''}`, { body: uploadForm(parts) })),
    deploy: (name: string, versionId: string, query = ''): Promise<Called> =>
      call('POST', `${script(name)}/deployments${query}`, {
        strategy: 'percentage',
        versions: [{ version_id: versionId, percentage: 100 }],
        annotations: { 'workers/message': 'ticket-1' },
      }),
  };
};

export type Caller = ReturnType<typeof callerOf>;

const identified = z.object({ id: z.string() });

export const idOf = (called: Called): string => identified.parse(called.result).id;

const item = z.object({ items: z.array(z.object({ id: z.string(), number: z.number() })) });

export const itemsOf = (called: Called): readonly { readonly id: string; readonly number: number }[] =>
  item.parse(called.result).items;
