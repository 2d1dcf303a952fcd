import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskJson, maskSecrets } from '../../src/domain/masking.ts';

const secret = 'hunter2hunter2';
const json = (value: unknown): string => JSON.stringify(maskSecrets(value)) ?? '';

describe('maskSecrets', () => {
  it.each([
    'password',
    'passwordHash',
    'password_hash',
    'newPassword',
    'PASSWORD',
    'clientSecret',
    'token',
    'accessToken',
    'refresh-token',
    'tokenDigest',
    'digest',
    'apiKey',
    'api_key',
    'x-api-key',
    'privateKey',
    'private_key',
    'Authorization',
    'proxy-authorization',
    'cookie',
    'Set-Cookie',
    'credentials',
    'encryptedData',
  ])('hides what a field named %s holds, at any depth', (name) => {
    expect(json({ outer: [{ [name]: secret }] })).not.toContain(secret);
    expect(json({ [name]: { nested: [secret] } })).not.toContain(secret);
  });

  it.each([
    'sourceDigest',
    'bundleDigest',
    'sbomDigest',
    'environmentDigest',
    'commandDigest',
    'digests',
    'secretNames',
    'tokenId',
    'name',
  ])('keeps what a field named %s holds: it is evidence, not a secret', (name) => {
    expect(maskSecrets({ [name]: secret })).toEqual({ [name]: secret });
  });

  it('keeps the names of variables and hides their values, whatever their shape', () => {
    expect(maskSecrets({ variables: { MODE: 'live', DEEP: { A: 'x' } } })).toEqual({
      variables: { MODE: '[masked]', DEEP: { A: '[masked]' } },
    });
    expect(maskSecrets({ variables: [{ name: 'MODE', value: 'live' }, 'live'] })).toEqual({
      variables: [{ name: 'MODE', value: '[masked]' }, '[masked]'],
    });
  });

  it('leaves references to secrets legible, and nothing else beside them', () => {
    const secrets = [{ name: 'API_KEY', version: 3, digest: 'abc', pin: 1234 }, 'hunter2', ['hunter2'], { name: 7 }];
    const shown = [
      { name: 'API_KEY', version: 3, digest: '[masked]', pin: '[masked]' },
      '[masked]',
      ['[masked]'],
      { name: '[masked]' },
    ];
    expect(maskSecrets({ secrets })).toEqual({ secrets: shown });
    expect(maskSecrets(maskSecrets({ secrets }))).toEqual({ secrets: shown });
  });

  it('hides the value beside a name that says it is secret', () => {
    expect(
      maskSecrets([
        { name: 'DB_PASSWORD', value: secret },
        { name: 'MODE', value: 'live' },
      ]),
    ).toEqual([
      { name: 'DB_PASSWORD', value: '[masked]' },
      { name: 'MODE', value: 'live' },
    ]);
  });

  it('says that a secret is absent when it is', () => {
    expect(maskSecrets({ password: '', token: null })).toEqual({ password: '', token: null });
  });

  it.each([
    ['a bearer token', `curl -H 'Authorization: Bearer ${secret}'`],
    ['basic credentials', `Basic ${secret}==`],
    ['a session token', `sent ops_${secret}0123456789`],
    ['an API token', `x=opt_${secret}0123456789;`],
    ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n-----END RSA PRIVATE KEY-----`],
    ['a private key that was cut off', `-----BEGIN PRIVATE KEY-----\n${secret}`],
    ['the password in a URL', `postgres://admin:${secret}@db.example/x`],
    ['a password hash', `$argon2id$v=19$m=19456$${secret}`],
    ['a signed token', `eyJhbGciOiJIUzI1NiJ9.${secret}.${secret}`],
  ])('finds %s in free text', (_, text) => {
    expect(json({ detail: text })).not.toContain(secret);
  });

  it('leaves ordinary text alone', () => {
    const text = 'Bundle digest 9f86d081 of https://example.org:8080/a@b is live; see options_list and PRIVATE notes.';
    expect(maskSecrets(text)).toBe(text);
  });

  it('ends on cycles, excessive depth and webs of shared references', () => {
    const cycle: Record<string, unknown> = { token: secret };
    cycle['self'] = cycle;
    expect(maskSecrets(cycle)).toEqual({ token: '[masked]', self: '[circular]' });
    let deep: unknown = secret;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(json(deep)).toContain('[too deep]');
    let web: unknown = ['leaf'];
    for (let level = 0; level < 22; level += 1) web = [web, web, web];
    expect(() => maskSecrets(web)).not.toThrow();
  });

  it('leaves out strings longer than asked for, and says how long they were', () => {
    expect(maskSecrets({ sbom: 'x'.repeat(5000) }, { maxStringLength: 100 })).toEqual({
      sbom: '[left out: 5000 characters]',
    });
  });

  it('does not let a field named __proto__ change the copy', () => {
    const copy = maskSecrets(JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(Object.keys(copy ?? {})).toEqual(['__proto__']);
  });

  it('answers plain JSON for any value at all, and the same when applied again', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withNullPrototype: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        const once = maskSecrets(value);
        expect(maskSecrets(once)).toEqual(once);
        JSON.stringify(once);
      }),
      { numRuns: 500 },
    );
  });

  it('changes nothing when applied again to texts made of shapes', () => {
    const piece = fc.constantFrom(
      'Bearer ',
      'Basic ',
      'ops_',
      'opt_',
      secret,
      '://',
      ':',
      '@',
      '/',
      '[masked]',
      ' ',
      '$argon2id$',
      '-----BEGIN PRIVATE KEY-----',
      'eyJ',
      '.',
      '_',
      '-',
      'ghp_',
      '\n',
      '"',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const once = maskSecrets(pieces.join(''));
        expect(maskSecrets(once)).toBe(once);
      }),
      { numRuns: 3000 },
    );
  });

  it('never lets a planted secret through, wherever a secret field is in a document', () => {
    const document = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.record({ password: fc.constant(secret) }),
        fc.record({ variables: fc.dictionary(fc.string(), fc.constant(secret)) }),
        fc.dictionary(fc.string(), tie('node')),
        fc.array(tie('node'), { maxLength: 4 }),
      ),
    })).node;
    fc.assert(
      fc.property(document, (value) => {
        expect(json(value)).not.toContain(secret);
        expect(JSON.stringify(maskJson(value))).toBe(JSON.stringify(maskSecrets(value)));
      }),
      { numRuns: 500 },
    );
  });
});

describe('maskJson', () => {
  const samples: readonly unknown[] = [
    { name: 'a', list: [1, 'two', { three: null }], empty: {} },
    { deep: { password: secret, list: [{ token: secret }, { plain: 1 }] } },
    { variables: { GREETING: 'hello' }, name: 'x' },
    {
      list: [
        { name: 'API_PASSWORD', value: secret },
        { name: 'COLOUR', value: 'red' },
      ],
    },
    { text: 'Bearer abcdefghijklmnop', long: 'x'.repeat(50), secrets: [{ name: 'a', version: 1, digest: 'd' }] },
    JSON.parse('{"__proto__":{"password":"hunter2hunter2"},"10":1,"9":2}'),
    [['nested', ['op_s_secret']], `op${'s'}_abcdefghijk`],
  ];

  it('hides what maskSecrets hides, and answers the same', () => {
    for (const sample of samples) {
      const options = { maxStringLength: 20 };
      expect(JSON.stringify(maskJson(sample))).toBe(json(sample));
      expect(JSON.stringify(maskJson(sample, options))).toBe(JSON.stringify(maskSecrets(sample, options)));
    }
  });

  it('answers data without a secret as it is, and leaves data with one untouched', () => {
    const plain = { name: 'a', list: [1, { two: 'x' }] };
    expect(maskJson(plain)).toBe(plain);
    const confidential = { list: [{ password: secret }] };
    maskJson(confidential);
    expect(confidential).toEqual({ list: [{ password: secret }] });
  });
});
