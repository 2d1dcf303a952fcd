import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { without } from '../matrix/ask.ts';
import { type Asking, wholeDocument } from './described.ts';
import type { Received, Sent } from './send.ts';

// Whether an answer is one that openapi.json announces: by the document itself, not by the schemas it was made from.

const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: false });
addFormats(ajv);
ajv.addSchema(wholeDocument, 'document');
const validators = new Map<string, ValidateFunction>();
const validatorOf = (pointer: string): ValidateFunction => {
  const known = validators.get(pointer) ?? ajv.compile({ $ref: `document${pointer}` });
  validators.set(pointer, known);
  return known;
};
const problemPointer = '#/components/schemas/Problem';

/** Of what no operation is asked: the address is none, or the request is too much before it is looked at. */
const general: Readonly<Record<string, number>> = { RouteNotFound: 404, HeadersTooLarge: 431 };

/** What a program says to those who made it, and to nobody else. */
const inside = [
  /\bat (?:async )?[\w.<>[\] ]+ \(?[^\s()]+:\d+:\d+\)?/,
  /node_modules|node:internal|file:\/\/|\/src\/(?:api|commands|domain|platform|projections)\//,
  /\b(?:TypeError|RangeError|SyntaxError|ReferenceError|ZodError|AssertionError)\b/,
  /Cannot read propert|is not a function|is not iterable|Unexpected token|Unexpected end of/,
  /\bselect\b.+\bfrom\b|\binsert into\b|\bupdate\b.+\bset\b|\bdelete from\b|syntax error at or near/i,
  /duplicate key value|violates|invalid input syntax|invalid byte sequence|pglite|kysely/i,
  /\bER_[A-Z]+|SQLSTATE|\bE(?:CONN|PIPE|NOENT|ACCES)/,
];

const base = (type: string | undefined): string => (type ?? '').split(';', 1)[0]?.trim() ?? '';

const fits = (pointer: string, value: unknown): string | undefined => {
  const validate = validatorOf(pointer);
  return validate(value) ? undefined : `${pointer}: ${ajv.errorsText(validate.errors)}`;
};

const parsed = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

const problemFault = (asking: Asking, { status, text }: Received): string | undefined => {
  const body = parsed(text);
  if (!body) return 'a problem that is not JSON';
  const unfit = fits(problemPointer, body.value);
  if (unfit !== undefined) return unfit;
  const { title, type, status: said } = Object(body.value);
  if (said !== status || type !== `/problems/${title}`) return `a problem that says ${said} and ${type}`;
  const isGeneral = general[String(title)] === status;
  const announced = asking.answers.get(status)?.problems ?? [];
  return isGeneral || announced.includes(String(title)) ? undefined : `${status} ${title}, which is not announced`;
};

const successFault = (asking: Asking, sent: Sent, { status, text, headers }: Received): string | undefined => {
  const isGeneral = sent.method === 'HEAD' && Object.values(general).includes(status);
  if (isGeneral) return undefined;
  const answer = asking.answers.get(status);
  if (!answer) return `${status}, which is not announced`;
  if (sent.method === 'HEAD') return text === '' ? undefined : 'a body for HEAD';
  const type = base(headers['content-type']);
  if (answer.content.size === 0) return text === '' && type === '' ? undefined : 'a body where none is announced';
  const pointer = answer.content.get(type);
  if (pointer === undefined) return `${status} as ${type}, which is not announced`;
  if (!/[/+]json$/.test(type)) return fits(pointer, text);
  const body = parsed(text);
  return body ? fits(pointer, body.value) : 'JSON that is none';
};

/** What is wrong with the answer; undefined: nothing. `hidden`: words that the caller may not see, unless he said them. */
export const faultOf = (
  asking: Asking,
  sent: Sent,
  received: Received,
  hidden: readonly string[],
): string | undefined => {
  const { status, headers, text, isUtf8 } = received;
  if (status >= 500) return `${status}`;
  if (!isUtf8) return 'bytes that are no UTF-8';
  const requestId = headers['x-request-id'];
  if (typeof requestId !== 'string' || !/^[\w.:/+=@-]{8,128}$/.test(requestId)) return `the request id ${requestId}`;
  const isProblem = base(headers['content-type']) === 'application/problem+json' && sent.method !== 'HEAD';
  const fault = isProblem
    ? problemFault(asking, received)
    : status >= 400 && sent.method !== 'HEAD'
      ? `${status} as ${headers['content-type']}`
      : successFault(asking, sent, received);
  if (fault !== undefined) return fault;
  const told = inside.find((pattern) => isProblem && pattern.test(text));
  if (told) return `something of the inside: ${told.exec(text)?.[0]}`;
  const words = hidden.filter((word) => text.includes(word));
  if (words.length === 0) return undefined;
  const own = without(text, saidIn(sent));
  const seen = words.find((word) => own.includes(word));
  return seen === undefined ? undefined : `a word of somebody else: ${seen}`;
};

/** Every word of the request that may be repeated to whoever sent it. */
const saidIn = ({ path, body }: Sent): readonly string[] =>
  `${path} ${body ? Buffer.from(body).toString('utf8') : ''}`.split(/[/?&=\s"\\]+/).filter((word) => word.length > 4);
