import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type AddressRange, createAddressRules, parseRange } from '../../../src/platform/outbound/addresses.ts';
import { readTarget } from '../../../src/platform/outbound/target.ts';

const strict = createAddressRules([]);
const ranges = (...texts: readonly string[]): readonly AddressRange[] =>
  texts.flatMap((text) => parseRange(text) ?? []);

describe('Hosts that lead inside are refused however they are written', () => {
  test.each([
    ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '017700000001'],
    ...['0', '0.0.0.0', '127.0.0.1.', '127.255.255.254', '1%32%37.0.0.1', '0x7F.0x0.0x0.0x1', '127.0.0x1'],
    ...[
      '10.0.0.1',
      '167772161',
      '012.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.0.1',
      '0xc0a80001',
      '3232235521',
    ],
    ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.0.1'],
    ...['100.64.0.1', '100.127.255.255', '192.0.0.192', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.51.100.1'],
    ...['203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...[
      '[::]',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
      '[::ffff:a9fe:a9fe]',
    ],
    ...['[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::1]', '[64:ff9b:1::808:808]', '[2002:7f00:1::]'],
    ...[
      '[2002:a9fe:a9fe::1]',
      '[2002:c0a8:1::1]',
      '[fe80::1]',
      '[febf::1]',
      '[fec0::1]',
      '[fc00::1]',
      '[fd00:ec2::254]',
    ],
    ...[
      '[ff02::1]',
      '[2001:db8::1]',
      '[2001::1]',
      '[2001:2::1]',
      '[2001:10::1]',
      '[2001:20::1]',
      '[3fff::1]',
      '[5f00::1]',
    ],
    ...['[100::1]', '[4000::1]', '[::ffff:0:127.0.0.1]', '[::ffff:0:8.8.8.8]', '[::]:443'],
  ])('https://%s/', (host) => {
    expect(readTarget(`https://${host}/`, strict, false)).toMatchObject({ ok: false });
  });
});

describe('What is on the public internet is asked', () => {
  test.each([
    ...['8.8.8.8', '1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '172.15.255.255'],
    ...['172.32.0.0', '192.167.255.255', '169.253.255.255', '223.255.255.255', '2606:4700:4700::1111'],
    ...['2a00:1450:4001::1', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '2002:808:808::1'],
  ])('%s', (address) => {
    expect(strict.whyRefused(address)).toBeUndefined();
  });
});

describe('What is no URL to be asked is refused', () => {
  test.each([
    ...[
      'ftp://example.com/',
      'file:///etc/passwd',
      'gopher://example.com/',
      'javascript:alert(1)',
      'http://example.com/',
    ],
    ...[
      'https://user@example.com/',
      'https://user:pass@example.com/',
      'https://@/',
      'https://',
      'https:///',
      '',
      'example.com',
    ],
    ...['https://example.com/#x', 'https://example.com:22/', 'https://example.com:25/', 'https://example.com:0/'],
    ...[
      'https://exa mple.com/',
      ' https://example.com/',
      'https://example.com\\@evil.example/',
      'https://exämple.com/',
    ],
    ...[
      'https://example.com/\n',
      'https://[fe80::1%25eth0]/',
      'https://./',
      `https://example.com/${'a'.repeat(2_100)}`,
    ],
    ...['//example.com/', 'https://127.0.0.1:443@example.com/', 'https://①②⑦.0.0.1/', 'https://example.com:70000/'],
  ])('%s', (url) => {
    expect(readTarget(url, strict, false)).toMatchObject({ ok: false });
  });

  it('while these are asked', () => {
    for (const url of [
      'https://example.com',
      'https://example.com:8443/a?b=c',
      'https://xn--exmple-cua.com/',
      'https://8.8.8.8/',
    ]) {
      expect(readTarget(url, strict, false)).toMatchObject({ ok: true });
    }
    expect(readTarget('http://example.com:80/', strict, true)).toMatchObject({ ok: true });
  });
});

describe('Ranges that the operator allows', () => {
  it('open themselves, in every form of their addresses, and nothing else', () => {
    const rules = createAddressRules(ranges('10.1.0.0/16', 'fd12::/16', '127.0.0.1'));
    for (const open of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::10.1.2.3', 'fd12::1', '127.0.0.1']) {
      expect(rules.whyRefused(open)).toBeUndefined();
    }
    for (const shut of ['10.2.0.1', 'fd13::1', '127.0.0.2', '169.254.169.254', '::ffff:10.2.0.1']) {
      expect(rules.whyRefused(shut)).toBeDefined();
    }
  });

  test.each([
    '10.0.0.0/33',
    '10.0.0',
    'fd00::/129',
    'x',
    '',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '0x7f.1',
    '010.0.0.1',
    '10.0.0.0/8/8',
  ])('%s is no range', (text) => {
    expect(parseRange(text)).toBeUndefined();
  });
});

it('judges an IPv4 address like its mapped, NAT64 and 6to4 forms, whatever it is', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      const hex = (high: number, low: number) => ((high << 8) | low).toString(16);
      const verdict = strict.whyRefused(address);
      expect(strict.whyRefused(`::ffff:${address}`)).toBe(verdict);
      expect(strict.whyRefused(`64:ff9b::${address}`)).toBe(verdict);
      expect(strict.whyRefused(`2002:${hex(a, b)}:${hex(c, d)}::1`)).toBe(verdict);
    }),
    { numRuns: 500 },
  );
});
