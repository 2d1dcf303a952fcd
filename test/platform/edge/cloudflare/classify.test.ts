import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Asked, classify, type Got } from '../../../../src/platform/edge/cloudflare/classify.ts';
import type { Method, Product } from '../../../../src/platform/edge/cloudflare/verdict.ts';

const asked = (product: Product, method: Method): Asked => ({ product, method, scrub: (text) => text });
const refusal = (status: number, code: number, message = 'because'): Got => ({
  ...{ kind: 'answer', status, retryAfter: '' },
  text: JSON.stringify({ success: false, errors: [{ code, message }], messages: [], result: null }),
});
const page = (status: number, text = '<html><body>Error</body></html>'): Got => ({
  ...{ kind: 'answer', status, retryAfter: '', text },
});

describe('What an answer means', () => {
  test.each([
    ...[10000, 9106, 9109].map((code) => [code, 403, 'refused', 'provider_unauthorized'] as const),
    ...[10001, 10003, 10004, 10005, 10006, 10026].map((code) => [code, 400, 'refused', 'request_malformed'] as const),
    ...[10007, 10090, 10071, 10222, 10336].map((code) => [code, 404, 'absent', undefined] as const),
    ...[10013, 10002, 10014].map((code) => [code, 500, 'uncertain', undefined] as const),
    ...[10015, 10023].map((code) => [code, 403, 'refused', 'not_entitled'] as const),
    ...[10016, 10093].map((code) => [code, 400, 'refused', 'script_name_invalid'] as const),
    [10018, 412, 'refused', 'precondition_failed'],
    [10021, 400, 'refused', 'script_invalid'],
    [10027, 413, 'refused', 'script_too_large'],
    [10035, 409, 'retry', undefined],
    [10037, 403, 'refused', 'worker_quota_reached'],
    [10040, 409, 'conflict', 'script_not_ours'],
    ...[10052, 10053, 10054, 10055, 10056, 10057, 10100, 100153].map(
      (code) => [code, 400, 'refused', 'binding_invalid'] as const,
    ),
    ...[10068, 10069].map((code) => [code, 400, 'refused', 'handler_missing'] as const),
    [10210, 400, 'refused', 'deployment_invalid'],
    ...[10214, 10215].map((code) => [code, 400, 'refused', 'latest_not_deployed'] as const),
    [10220, 400, 'refused', 'secrets_changed'],
    ...[10142, 10086].map((code) => [code, 400, 'refused', 'worker_referenced'] as const),
    ...[10019, 10020, 10073, 100149].map((code) => [code, 409, 'conflict', 'route_conflict'] as const),
    ...[100111, 100112, 100113].map((code) => [code, 400, 'conflict', 'domain_invalid'] as const),
    ...[100116, 100117, 100118].map((code) => [code, 409, 'conflict', 'domain_conflict'] as const),
    [100122, 403, 'conflict', 'domain_quota_reached'],
    [100146, 404, 'lagging', undefined],
    ...[100102, 100103].map((code) => [code, 400, 'refused', 'tag_invalid'] as const),
  ] as const)('Workers: %i with status %i is %s %s', (code, status, verdict, ours) => {
    const answer = classify(asked('workers', 'POST'), refusal(status, code));
    expect(answer).toMatchObject({ verdict, apiCode: code, ...(ours && { code: ours }) });
  });

  test.each([
    [81058, 'exists'],
    [81057, 'exists'],
    [81053, 'conflict'],
    [81054, 'conflict'],
    [81044, 'absent'],
    [1004, 'refused'],
    [9005, 'refused'],
  ])('records: %i is %s', (code, verdict) => {
    expect(classify(asked('dns', 'POST'), refusal(400, code))).toMatchObject({ verdict });
  });

  test('a number counts only for the product that it is of', () => {
    expect(classify(asked('dns', 'POST'), refusal(400, 10035))).toMatchObject({ verdict: 'refused' });
    expect(classify(asked('workers', 'POST'), refusal(400, 81044))).toMatchObject({ verdict: 'refused' });
  });

  test.each([
    ['a page of HTML', page(522)],
    ['a page of HTML that says yes', page(200)],
    ['a page of HTML that says no', page(403)],
    ['half of a yes', page(200, '{"success":true,"result":{"id":"a')],
    ['nothing at all of an error', page(504, '')],
    ['plain text', page(504, 'upstream request timeout')],
    ['a fault with a number nobody knows', refusal(520, 77777)],
    ['a time-out that they tell', refusal(408, 0)],
    ['a lost connection', { kind: 'silence', sent: true, detail: 'reset' } satisfies Got],
  ])('%s leaves a write uncertain and a read to be made again', (_, got) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      expect(classify(asked('workers', method), got)).toMatchObject({ verdict: 'uncertain' });
    }
    expect(classify(asked('workers', 'GET'), got)).toMatchObject({ verdict: 'retry' });
  });

  test('a connection that never came about has done nothing', () => {
    const got: Got = { kind: 'silence', sent: false, detail: 'refused' };
    expect(classify(asked('workers', 'POST'), got)).toMatchObject({ verdict: 'retry' });
  });

  test.each([
    ['30', 30_000],
    ['', 300_000],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 300_000],
  ])('a 429 has had no effect and says when to come back: retry-after "%s"', (retryAfter, afterMs) => {
    const got: Got = { kind: 'answer', status: 429, text: '<html>', retryAfter };
    expect(classify(asked('workers', 'POST'), got)).toMatchObject({ verdict: 'retry', afterMs });
  });

  test('an empty yes is a yes: deleting a script has no body', () => {
    expect(classify(asked('workers', 'DELETE'), page(200, ''))).toMatchObject({ verdict: 'done', result: null });
  });

  test('no answer throws, and no read is uncertain, whatever comes', () => {
    const got = fc.record({
      kind: fc.constant('answer' as const),
      status: fc.integer({ min: 100, max: 599 }),
      retryAfter: fc.string(),
      text: fc.oneof(
        fc.string(),
        fc.json(),
        fc.integer().map((code) => JSON.stringify({ success: false, errors: [{ code, message: 'x' }] })),
      ),
    });
    fc.assert(
      fc.property(got, fc.constantFrom<Product>('workers', 'dns', 'zones'), (each, product) => {
        expect(classify(asked(product, 'GET'), each).verdict).not.toBe('uncertain');
        classify(asked(product, 'POST'), each);
      }),
    );
  });
});
