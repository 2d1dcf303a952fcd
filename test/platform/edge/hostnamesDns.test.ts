import { expect, test } from 'vitest';
import { type Dns, dnsSays, pointsHere } from '../../../src/platform/edge/workerd/hostnamesDns.ts';

const dns = (resolve: Dns['resolve']): Dns => ({ resolve, own: () => ['192.0.2.1'] });
const said = async (resolve: Dns['resolve'], signal = new AbortController().signal): Promise<string> =>
  dnsSays(await pointsHere(dns(resolve), 'www.example.com', signal));

test('What DNS says of a host name is told as it is: here, elsewhere, nowhere, or not known', async () => {
  expect(await said(async () => ['198.51.100.9', '192.0.2.1'])).toBe('DNS leads to this machine.');
  expect(await said(async () => ['198.51.100.9', '2001:db8::1'])).toBe(
    'DNS leads to 198.51.100.9, 2001:db8::1, not to this machine.',
  );
  expect(await said(async () => [])).toBe('DNS has no address for it.');
  expect(await said(() => Promise.reject(new Error('refused')))).toBe('DNS did not answer.');
  const late = new AbortController();
  const waiting = said(() => new Promise(() => {}), late.signal);
  late.abort();
  expect(await waiting).toBe('DNS did not answer.');
});
