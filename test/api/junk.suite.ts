import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Operation } from '../../src/api/operation.ts';
import { operations } from '../../src/api/operations.ts';
import { type ApiWorld, aCompany, aCredential, aLiveWorker, type Company } from '../support/api.ts';

/** More of them by OPSLOG_JUNK_RUNS, for a night. */
const runs = Number(process.env['OPSLOG_JUNK_RUNS'] ?? 500);

export const junkSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  let company: Company;
  let ids: Readonly<Record<string, string>>;
  beforeAll(async () => {
    world = await (await shared()).behind({ limits: { waitMs: 20 } });
    company = await aCompany(world);
    const { ticketId } = await aLiveWorker(world, company);
    const { workspaceId, departmentId } = company;
    const credentialId = await aCredential(world, company);
    const created = await world.ask('POST', `${company.base}/webhooks`, {
      token: company.token,
      body: { url: 'https://hooks.example/in', eventTypes: ['*'] },
    });
    const webhookId = String(Object(created.body).id);
    ids = {
      workspaceId,
      departmentId,
      resourceId: departmentId,
      ticketId,
      credentialId,
      webhookId,
      userId: world.administrator.userId,
      revision: '1',
    };
  });

  const interesting = [
    '\u0000',
    '%00',
    '../..',
    '__proto__',
    'constructor',
    "' or 1=1 --",
    '𝕏\u202e',
    '-1',
    '1e400',
    '9007199254740993',
    'null',
    'a'.repeat(3_000),
  ];
  const text = fc.oneof(fc.constantFrom(...interesting), fc.string({ unit: 'binary', maxLength: 40 }));

  /** Names that the API knows, so that junk gets past the first check. */
  const name = fc.oneof(
    fc.constantFrom(
      'name',
      'slug',
      'email',
      'role',
      'password',
      'departmentIds',
      'revision',
      'files',
      'path',
      'content',
      'value',
      'kind',
      'fields',
      'privateKey',
      'url',
      'eventTypes',
      'overlapHours',
      'to',
    ),
    text,
  );
  const leaf = fc.oneof(
    text,
    fc.constantFrom('OWNER', 'VIEWER', 'a@example.com', 'index.ts', 'export default {}'),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(name, tie('tree'), { maxKeys: 5, noNullPrototype: true }),
    ),
  }));
  const payload = fc.oneof(
    {
      weight: 4,
      arbitrary: tree.map((value) => ({ type: 'application/json', bytes: Buffer.from(JSON.stringify(value)) })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom('application/json', 'application/gzip', 'application/zip', 'text/plain'),
          fc.uint8Array({ maxLength: 200 }),
        )
        .map(([type, bytes]) => ({ type, bytes: Buffer.from(bytes) })),
    },
  );
  const header = fc.constantFrom(
    ['if-match', 'W/"0"'],
    ['if-match', '*'],
    ['prefer', 'dry-run'],
    ['idempotency-key', 'junk'],
    ['opslog-wait-for', '0'],
    ['x-request-id', '$(x)'],
    ['traceparent', '00-zz'],
    ['content-encoding', 'br'],
  );
  const query = fc.array(
    fc.tuple(
      fc.constantFrom('limit', 'cursor', 'at', 'q', 'tag', 'type', 'depth', 'waitFor', 'actorId', 'from', 'x'),
      text,
    ),
    {
      maxLength: 2,
    },
  );

  const wellFormed = (value: string): string => value.replaceAll(/\p{Surrogate}/gu, '?');

  // A stream does not end by itself.
  /** A request for an operation, mostly to what is there, with parameters, headers and a body that nobody asked for. */
  const request = fc.record({
    operation: fc.constantFrom(...operations.filter(({ id }) => id !== 'closeSession' && !id.startsWith('follow'))),
    junkId: fc.option(text, { freq: 4 }),
    query,
    header: fc.option(header),
    payload: fc.option(payload),
  });

  const addressOf = (
    { path }: Operation,
    junkId: string | null,
    parameters: readonly (readonly [string, string])[],
  ) => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, parameter: string) =>
      encodeURIComponent(wellFormed(junkId ?? ids[parameter] ?? '1').slice(0, 200)),
    );
    const search = new URLSearchParams();
    for (const [key, value] of parameters) search.append(key, value);
    return `${filled}${search.size > 0 ? `?${search.toString()}` : ''}`.slice(0, 4_000);
  };

  test(
    'Whatever is thrown at an operation, it answers as it declares, and never with a fault of its own',
    async () => {
      const statuses = new Map<number, number>();
      await fc.assert(
        fc.asyncProperty(request, async ({ operation, junkId, query: parameters, header: extra, payload: body }) => {
          const withBody = operation.method === 'get' || body === null ? undefined : body;
          const [key, value] = extra ?? [];
          const answered = await world.ask(operation.method.toUpperCase(), addressOf(operation, junkId, parameters), {
            token: company.token,
            ...(withBody && { bytes: withBody.bytes }),
            headers: {
              ...(withBody && { 'content-type': withBody.type }),
              ...(key !== undefined && value !== undefined && { [key]: value }),
            },
          });
          statuses.set(answered.status, (statuses.get(answered.status) ?? 0) + 1);
          // A position beyond the log is an honest 503: it is waited for in vain.
          if (answered.status === 503) expect(answered.body).toMatchObject({ title: 'ProjectionBehind' });
          else expect(answered.status).toBeLessThan(500);
        }),
        { numRuns: runs, endOnFailure: true },
      );
      expect(statuses.get(400)).toBeGreaterThan(0);
      expect(statuses.get(200)).toBeGreaterThan(0);
    },
    runs * 60,
  );
};
