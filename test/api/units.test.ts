import { describe, expect, test } from 'vitest';
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

  test('forgets the longest unused key first, so that its memory is bounded', () => {
    const take = createRateLimiter({ perSecond: 0.001, burst: 1 }, () => 0);
    expect([take('first'), take('first')]).toEqual([0, 1_000]);
    for (let index = 0; index < 20_001; index += 1) take(`key-${index}`);
    expect(take('first')).toBe(0);
  });
});
