import type { z } from 'zod';
import { hasBody, readBody } from './body.ts';
import type { HeldBody } from './bodyBudget.ts';
import type { BodySpec } from './operation.ts';
import { atQuery } from './pointInTime.ts';
import { invalid, type Refusal, refuse, repeatable } from './problem.ts';
import type { ApiRequest } from './request.ts';
import type { HttpProblem } from './statuses.ts';

// What a request asks for, read in the order in which it is judged.

export const momentOf = ({ query }: ApiRequest): { readonly at: number } | Refusal<'RequestInvalid'> | undefined => {
  const text = query.get('at');
  if (text === null) return undefined;
  const parsed = atQuery.safeParse({ at: text });
  if (!parsed.success) return invalid(parsed.error, 'query');
  return parsed.data.at === undefined ? undefined : { at: parsed.data.at };
};

/** A query may wait until the read tables hold what an earlier command wrote. */
export const caughtUp = async ({ deps, raw, query }: ApiRequest): Promise<Refusal<HttpProblem> | undefined> => {
  const header = raw.headers['opslog-wait-for'];
  const wanted = query.get('waitFor') ?? (typeof header === 'string' ? header : undefined);
  if (wanted === undefined) return undefined;
  if (!/^\d{1,20}$/.test(wanted)) {
    return refuse('RequestInvalid', 'Wait for a position as a command answers it.', { field: 'waitFor' });
  }
  const position = BigInt(wanted);
  if ((await deps.waitFor(position, { timeoutMs: 0 })) === 'reached') return undefined;
  if (position > (await deps.log.head())) {
    return refuse('RequestInvalid', 'The log has not come to this position: no command answered it.', {
      field: 'waitFor',
    });
  }
  if ((await deps.waitFor(position, { timeoutMs: deps.limits.waitMs })) === 'reached') return undefined;
  return refuse('ProjectionBehind', 'The read tables have not reached this position yet.', { retryAfterSeconds: 5 });
};

export const queryOf = <Query>(
  schema: z.ZodType<Query>,
  { query }: ApiRequest,
  /** Parameters that are read elsewhere. */
  taken: ReadonlySet<string>,
): { readonly value: Query } | Refusal<'RequestInvalid'> => {
  const values = new Map<string, string>();
  for (const [name, value] of query) {
    if (values.has(name)) return refuse('RequestInvalid', 'A parameter is given twice.', { field: repeatable(name) });
    values.set(name, value);
  }
  for (const name of taken) values.delete(name);
  const parsed = schema.safeParse(Object.fromEntries(values));
  return parsed.success ? { value: parsed.data } : invalid(parsed.error, 'query');
};

/** Resolves when all of the body is there, with what makes a value of it. */
export const bodyOf = async <Body>(
  spec: BodySpec<Body>,
  { raw, deps }: ApiRequest,
  held: HeldBody,
): Promise<(() => ReturnType<BodySpec<Body>['parse']>) | Refusal> => {
  const isRead = raw.method === 'GET' || raw.method === 'HEAD';
  if (isRead || !hasBody(raw)) return () => spec.parse({ kind: 'none' });
  const { jsonDepth } = deps.limits;
  const { binary } = spec;
  const parsing = await readBody(raw, { limitBytes: spec.limitBytes(deps.limits), jsonDepth, binary, held });
  if ('rejected' in parsing) return parsing;
  return () => {
    const payload = parsing();
    return 'rejected' in payload ? payload : spec.parse(payload);
  };
};
