import fc from 'fast-check';
import { pathFor, queryFor } from './addresses.ts';
import { rightBody } from './bodies.ts';
import type { Asking } from './described.ts';
import { brokenAuthorization, type Header, strangeHeaders, wrongContentTypes } from './headers.ts';
import { write } from './json.ts';
import { broken, mutated } from './mutate.ts';

/** A request before it is known whom it is sent to: its texts hold placeholders. */
export type Plan = {
  readonly operation: string;
  readonly method: string;
  /** Nothing about it is wrong on purpose, and whoever sends it may. */
  readonly right: boolean;
  /** Picks one of those who may, or of all. */
  readonly caller: number;
  readonly path: string;
  readonly headers: readonly Header[];
  readonly body: { readonly text: string } | { readonly base64: string } | undefined;
};

type Body = { readonly body: Plan['body']; readonly headers: readonly Header[] };

const none: Body = { body: undefined, headers: [] };
const json: Header = ['content-type', 'application/json'];

const bodyFor = (asking: Asking, isRight: boolean): fc.Arbitrary<Body> => {
  const right = rightBody(asking);
  const nothing = fc.constant(none);
  if (!right) {
    const unasked = fc.constantFrom('{}', '{"x":1}', '[]', 'null').map((text) => ({ body: { text }, headers: [json] }));
    return isRight ? nothing : fc.oneof({ weight: 3, arbitrary: nothing }, { weight: 1, arbitrary: unasked });
  }
  const asJson = right.map((value) => ({ body: { text: write(value) }, headers: [json] }));
  if (isRight) return asJson;
  const bytes = fc.tuple(broken(right), fc.constantFrom('application/json', ...(asking.body?.media ?? [])));
  return fc.oneof(
    { weight: 6, arbitrary: mutated(right).map((value) => ({ body: { text: write(value) }, headers: [json] })) },
    { weight: 2, arbitrary: asJson },
    {
      weight: 2,
      arbitrary: bytes.map(([sent, type]) => ({
        ...{ body: { base64: Buffer.from(sent).toString('base64') }, headers: [['content-type', type] as const] },
      })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(asJson, wrongContentTypes).map(([{ body }, type]) => ({
        ...{ body, headers: type === '' ? [] : [['content-type', type] as const] },
      })),
    },
    { weight: 1, arbitrary: nothing },
  );
};

const bearer: Header = ['authorization', 'Bearer {{token}}'];

const headersFor = (isRight: boolean): fc.Arbitrary<readonly Header[]> =>
  isRight
    ? fc.constant([bearer])
    : fc.oneof(
        { weight: 6, arbitrary: fc.constant([bearer]) },
        { weight: 3, arbitrary: strangeHeaders.map((headers) => [bearer, ...headers]) },
        { weight: 1, arbitrary: brokenAuthorization.map((header) => [header]) },
      );

const planFor = (asking: Asking, right: boolean): fc.Arbitrary<Plan> =>
  fc
    .record({
      path: pathFor(asking, right),
      query: queryFor(asking, right),
      headers: headersFor(right),
      sent: bodyFor(asking, right),
      caller: fc.nat(1_000),
      head: fc.nat(right ? 0 : 15),
    })
    .map(({ path, query, headers, sent, caller, head }) => ({
      operation: asking.id,
      method: asking.method === 'GET' && head === 15 ? 'HEAD' : asking.method,
      ...{ right, caller, path: `${path}${query}`, headers: [...headers, ...sent.headers], body: sent.body },
    }));

/** Passwords are made slow on purpose, and a build is real work. */
const weights: Readonly<Record<string, number>> = {
  ...{ openSession: 2, changePassword: 2, registerByInvitation: 2, submitRevision: 3 },
};

export const planOf = (operations: readonly Asking[]): fc.Arbitrary<Plan> =>
  fc.oneof(
    ...operations.map((asking) => ({
      weight: weights[asking.id] ?? 8,
      arbitrary: fc.oneof(
        { weight: 2, arbitrary: planFor(asking, true) },
        { weight: 3, arbitrary: planFor(asking, false) },
      ),
    })),
  );
