import type { z } from 'zod';
import { clip, type Rejection } from '../domain/kernel.ts';
import { maskText } from '../domain/masking.ts';
import { type ProblemCode, statuses } from './statuses.ts';

/** One thing that is wrong with a request; `pointer` is a JSON pointer into its body, or `?name` for a parameter. */
export type Issue = { readonly pointer: string; readonly detail: string };

/** A rejection on its way out: what the domain said, and what only HTTP knows. */
export type Refusal<Code extends ProblemCode = ProblemCode> = Rejection<Code> & {
  readonly errors?: readonly Issue[];
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

export const refuse = <Code extends ProblemCode>(
  rejected: Code,
  reason: string,
  more: Omit<Refusal<Code>, 'rejected' | 'reason'> = {},
): Refusal<Code> => ({ rejected, reason, ...more });

export const isRefusal = (value: object): value is Refusal => 'rejected' in value;

/** `EdgeWorkerPaused` as `edge_worker_paused`. */
export const snakeCase = (code: string): string => code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();

const codes = new Map<string, string>();
const codeOf = (title: ProblemCode): string => {
  const known = codes.get(title);
  if (known !== undefined) return known;
  const code = snakeCase(title);
  codes.set(title, code);
  return code;
};

/** The body of a problem document, RFC 9457. */
export const problemOf = (refusal: Refusal, requestId: string) => {
  const { rejected, reason, field, details, errors } = refusal;
  return {
    type: `/problems/${rejected}`,
    title: rejected,
    status: statuses[rejected],
    detail: reason,
    code: codeOf(rejected),
    ...(field !== undefined && { field }),
    ...(errors !== undefined && { errors }),
    ...(details !== undefined && { details }),
    requestId,
  };
};

const maxIssues = 20;

/** What zod found, as a refusal. */
export const invalid = (error: z.ZodError, where: 'body' | 'query'): Refusal<'RequestInvalid'> => {
  const errors = error.issues.slice(0, maxIssues).map((issue) => ({
    pointer: shortened(where === 'query' ? `?${issue.path.map(named).join('.')}` : pointerTo(issue.path)),
    detail: shortened(messageOf(issue)),
  }));
  const [first] = error.issues;
  const field = first ? shortened(dotted(first.path)) : '';
  const reason = `${field === '' ? `The ${where}` : field}: ${shortened(first ? messageOf(first) : 'not acceptable')}`;
  return refuse('RequestInvalid', reason, { errors, ...(field !== '' && { field }) });
};

/** What is wrong may be named after what was sent: a small answer must not be made large by that. */
const shortened = (text: string): string => (text.length > 300 ? `${clip(text, 300)}…` : text);

/** Names of fields are not longer. What is may be a secret that somebody sent in the place of a name. */
const longestName = 40;
/** A name that the caller gave, as it may be repeated to him: answers are logged and shown, so no secret is in them. */
export const repeatable = (name: string): string =>
  name.length <= longestName && maskText(name) === name ? name : '[a name that is not repeated here]';

const messageOf = (issue: z.core.$ZodIssue): string =>
  issue.code === 'unrecognized_keys' && issue.keys.some((key) => repeatable(key) !== key)
    ? 'A field of this name is not known here.'
    : issue.message;

const named = (part: PropertyKey): string => repeatable(String(part));

const pointerTo = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${named(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

const dotted = (path: readonly PropertyKey[]): string =>
  path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${named(part)}`))
    .join('');
