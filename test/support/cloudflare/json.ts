import type { z } from 'zod';
import { type Refused, refuse } from './answer.ts';
import type { ApiRequest } from './context.ts';

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const parseJson = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

const explain = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');

/** The JSON body as the schema has it: 10001 for another content type, 10026 for anything else. */
export const readJson = <T>(request: ApiRequest, schema: z.ZodType<T>): { readonly value: T } | Refused => {
  if (!/^application\/(merge-patch\+)?json\b/.test(request.contentType))
    return refuse(10001, 'The Content-Type here is application/json');
  const parsed = parseJson(Buffer.from(request.body).toString('utf8'));
  if (parsed === undefined) return refuse(10026);
  const checked = schema.safeParse(parsed.value);
  return checked.success ? { value: checked.data } : refuse(10026, explain(checked.error));
};

/** Cuts at a character, never inside one. */
export const truncateBytes = (text: string, bytes: number): string => {
  const encoded = Buffer.from(text, 'utf8');
  if (encoded.length <= bytes) return text;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(encoded.subarray(0, bytes)).replace(/\uFFFD+$/, '');
};
