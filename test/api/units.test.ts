import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { publicOperation } from '../../src/api/define.ts';
import { noInput } from '../../src/api/operation.ts';
import { momentField } from '../../src/api/pointInTime.ts';
import { refuse } from '../../src/api/problem.ts';
import { createRateLimiter } from '../../src/api/rateLimit.ts';
import { createRouteTable } from '../../src/api/routeTable.ts';

describe('The route table', () => {
  const match = createRouteTable([
    { method: 'get', path: '/a' },
    { method: 'post', path: '/a' },
    { method: 'get', path: '/a/{id}' },
    { method: 'get', path: '/a/fixed' },
    { method: 'delete', path: '/a/{id}/b/{other}' },
  ]);

  test('finds a route and its parameters, and prefers the literal', () => {
    expect(match('GET', '/a/1')).toMatchObject({ found: 'route', route: { path: '/a/{id}' }, params: { id: '1' } });
    expect(match('GET', '/a/fixed')).toMatchObject({ route: { path: '/a/fixed' }, params: {} });
    expect(match('DELETE', '/a/x%2Fy/b/z')).toMatchObject({ params: { id: 'x/y', other: 'z' } });
    expect(match('HEAD', '/a')).toMatchObject({ found: 'route', route: { method: 'get' } });
  });

  test('tells an unknown address from a method that is not taken', () => {
    expect(match('GET', '/b')).toEqual({ found: 'nothing' });
    expect(match('GET', '/a/1/b')).toEqual({ found: 'nothing' });
    expect(match('GET', '/a/')).toEqual({ found: 'nothing' });
    expect(match('PATCH', '/a')).toEqual({ found: 'path', allow: 'GET, HEAD, POST, OPTIONS' });
    expect(match('toString', '/a')).toMatchObject({ found: 'path' });
  });

  test('refuses two routes for the same thing', () => {
    const twice = { method: 'get', path: '/a' } as const;
    expect(() => createRouteTable([twice, twice])).toThrow('Two routes');
  });
});

describe('A rate limiter', () => {
  test('lets a burst through, then what time refills, and says how long to wait', () => {
    let now = 0;
    const take = createRateLimiter({ perSecond: 2, burst: 3 }, () => now);
    expect([take('a'), take('a'), take('a'), take('a')]).toEqual([0, 0, 0, 1]);
    expect(take('b')).toBe(0);
    now = 500;
    expect([take('a'), take('a')]).toEqual([0, 1]);
    now = 10_000;
    expect([take('a'), take('a'), take('a'), take('a')]).toEqual([0, 0, 0, 1]);
  });

  test('only looks when the cost is 0, and gains nothing from a clock that goes back', () => {
    let now = 1_000;
    const take = createRateLimiter({ perSecond: 1, burst: 1 }, () => now);
    expect([take('a', 0), take('a', 0), take('a'), take('a', 0)]).toEqual([0, 0, 0, 1]);
    now = 0;
    expect(take('a', 0)).toBe(1);
  });

  describe('when more keys come than it remembers', () => {
    const fresh = (take: (key: string) => number, name: string): void => {
      for (let index = 0; index < 45_000; index += 1) take(`${name}-${index}`);
    };

    test('keeps those that are spent, so that nobody gets rid of his own by making keys up', () => {
      const take = createRateLimiter({ perSecond: 0.001, burst: 3 }, () => 0);
      for (let index = 0; index < 3; index += 1) take('spent');
      take('begun');
      take('begun');
      fresh(take, 'made-up');
      expect([take('spent', 0), take('begun'), take('begun')]).toEqual([1_000, 0, 1_000]);
    });

    test('keeps those of others even among keys that are as spent as they are', () => {
      const take = createRateLimiter({ perSecond: 0.001, burst: 1 }, () => 0);
      for (let index = 0; index < 1_000; index += 1) take(`other-${index}`);
      fresh(take, 'made-up');
      const told = Array.from({ length: 1_000 }, (_, index) => take(`other-${index}`, 0));
      expect(new Set(told)).toEqual(new Set([1_000]));
    });

    test('remembers a bounded number of them', () => {
      const take = createRateLimiter({ perSecond: 0.001, burst: 1 }, () => 0);
      fresh(take, 'key');
      const known = Array.from({ length: 45_000 }, (_, index) => take(`key-${index}`, 0)).filter((wait) => wait > 0);
      expect(known.length).toBeLessThanOrEqual(20_000);
    });
  });
});

test('An operation whose handler answers a problem that is not in its list does not compile', () => {
  const spec = {
    ...({ id: 'example', method: 'get', path: '/example', tag: 'Example', summary: '', ...noInput } as const),
    ...({ success: { status: 200, description: '', schema: z.null() }, problems: ['TicketNotFound'] } as const),
  };
  const listed = publicOperation(spec, async () => refuse('TicketNotFound', ''));
  // @ts-expect-error NameTaken is not in the list.
  const unlisted = publicOperation(spec, async () => refuse('NameTaken', ''));
  expect([listed.problems, unlisted.problems]).toEqual([['TicketNotFound'], ['TicketNotFound']]);
});

describe('A moment that is asked for', () => {
  test.each([
    ['2026-02-28T23:59:59Z', Date.UTC(2026, 1, 28, 23, 59, 59)],
    ['2028-02-29T00:00:00+01:00', Date.UTC(2028, 1, 28, 23)],
    ['2026-12-31t00:00:00z', Date.UTC(2026, 11, 31)],
  ])('%s is one', (text, at) => {
    expect(momentField.parse(text)).toBe(at);
  });
  test.each(['2026-02-30T00:00:00Z', '2026-02-29T00:00:00Z', '2026-04-31T10:00:00Z', '2026-13-01T00:00:00Z'])(
    '%s is none, and is not taken for a day of the next month',
    (text) => {
      expect(momentField.safeParse(text).success).toBe(false);
    },
  );
});
