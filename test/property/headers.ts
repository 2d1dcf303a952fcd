import fc from 'fast-check';
import { placeholder } from './values.ts';

// Headers beside those that every request needs; names in lower case, placeholders as everywhere.

export type Header = readonly [name: string, value: string];

const one = (name: string, ...values: readonly string[]): fc.Arbitrary<Header> =>
  fc.constantFrom(...values).map((value): Header => [name, value]);

const strange = fc.oneof(
  one('if-match', '*', 'W/"0"', '"1"', 'W/"999999999999999"', 'W/"9999999999999999"', '1', '', 'W/"-1"', '"a", "b"'),
  one('idempotency-key', placeholder('label'), 'the-same', 'the-same', '', 'x'.repeat(256), 'with space', '\u00e9'),
  one('prefer', 'dry-run', 'dry-run', 'Dry-Run; wait=10', 'respond-async', 'dry-run=1', ','),
  one('accept', 'text/html', 'application/xml', '*/*;q=0', 'application/problem+json', ''),
  one('accept-encoding', 'gzip', 'identity;q=0'),
  one('content-encoding', 'gzip', 'identity', 'br, gzip'),
  one('last-event-id', '0', '-1', 'x', '18446744073709551616', '\u00ff'.repeat(300), ''),
  one('opslog-wait-for', '0', '-1', 'x', '99999999999999999999', '184467440737095516150', ''),
  one(
    'x-request-id',
    'a-request-id',
    'short',
    '$(x)',
    'x'.repeat(300),
    '\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9',
  ),
  one('x-correlation-id', 'a-correlation', '<script>', '00000000-0000-0000-0000-000000000000'),
  one('traceparent', '00-zz', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`, `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`),
  one('x-forwarded-for', '127.0.0.1', '::1, 10.0.0.1', 'x'.repeat(500), "'"),
  one('user-agent', '', '\u00ff', 'x'.repeat(2_000), 'token=abc'),
  one('range', 'bytes=0-0', 'bytes=9-1'),
  one('if-none-match', '*', 'W/"0"'),
  one('x-http-method-override', 'DELETE'),
  one('origin', 'https://elsewhere.example', 'null'),
  one('cookie', 'session=1; session=2'),
  one('host', 'elsewhere.example', '', 'a b'),
);

export const strangeHeaders: fc.Arbitrary<readonly Header[]> = fc.oneof(
  { weight: 20, arbitrary: fc.array(strange, { minLength: 1, maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constant(Array.from({ length: 120 }, (_, at): Header => [`x-header-${at}`, String(at)])),
  },
);

/** In place of a right `Authorization`. */
export const brokenAuthorization: fc.Arbitrary<Header> = one(
  'authorization',
  ...['', 'Bearer', 'Bearer ', 'Bearer x', 'Basic YTpi', 'Bearer {{token}}x', 'Bearer  {{token}}', 'bearer {{token}}'],
  ...['Bearer ops_', 'Bearer opt_', `Bearer opt_${'0'.repeat(80)}`, `Bearer ops_${'f'.repeat(80)}`, '{{token}}'],
  ...[`Bearer ${'x'.repeat(5_000)}`, 'Bearer \u00e9', 'Bearer {{token}}, Bearer {{token}}', 'Bearer __proto__'],
);

export const wrongContentTypes = fc.constantFrom(
  ...['', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/JSON'],
  ...['application/json; charset=utf-16', 'application/merge-patch+json', 'application/gzip', 'application/zip', ';'],
);
