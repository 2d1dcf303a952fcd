import { afterAll, beforeAll, expect, test } from 'vitest';
import { idOf, must } from '../matrix/fullWorkspace.ts';
import { type ApiWorld, aCompany, aMember, startApi } from '../support/api.ts';
import { naughtyTexts, spelled } from '../support/naughtyTexts.ts';
import { openWire, type Wire } from './send.ts';
import { asItIs, packed } from './textRules.ts';

// A password is what was typed, character by character: no other spelling of it opens anything.

let world: ApiWorld;
let wire: Wire;
let guest: Awaited<ReturnType<typeof aMember>>;

beforeAll(async () => {
  world = await startApi();
  wire = openWire(world.url);
  guest = await aMember(world, await aCompany(world), { role: 'VIEWER' });
});
afterAll(async () => {
  wire?.close();
  await world?.stop();
});

const isPassword = asItIs({ least: 12, longest: 256 });
/** Some characters again and again are nobody's password. */
const passwords = packed(naughtyTexts, isPassword).filter((text) => new Set(text.toLowerCase()).size >= 4);

const post = async (path: string, body: object, token?: string): Promise<number> => {
  const headers = [['content-type', 'application/json'] as const];
  const sent = { method: 'POST', path, body: Buffer.from(JSON.stringify(body)) };
  const bearer = token === undefined ? [] : [['authorization', `Bearer ${token}`] as const];
  return (await wire.send({ ...sent, headers: [...headers, ...bearer] }, false)).status;
};
const signIn = (password: string) => post('/auth/sessions', { email: guest.email, password });

/** Spellings that somebody might take for the same; with half a character more it is no text at all. */
const others = (text: string): readonly string[] =>
  [
    text.normalize('NFC'),
    text.normalize('NFD'),
    text.normalize('NFKC'),
    text.trim(),
    ` ${text}`,
    `${text}\0`,
    `${text}\ud800`,
  ]
    .filter((other) => other !== text)
    .filter((other, at, all) => all.indexOf(other) === at);

test('A password of any characters signs in, and no other spelling of it does', async () => {
  const { token } = guest;
  let current = guest.password;
  const wrong: string[] = [];
  for (const [n, password] of passwords.entries()) {
    const changed = await post('/auth/password', { currentPassword: current, newPassword: password }, token);
    if (changed >= 300) throw new Error(`${spelled(password)} was not taken: ${changed}`);
    current = password;
    if ((await signIn(password)) !== 201) wrong.push(`${spelled(password)} does not sign in`);
    // Each look at a password takes a while, on purpose: one other spelling of each, all of them in turn.
    const candidates = others(password);
    const other = candidates[n % candidates.length] ?? `${password} `;
    const status = await signIn(other);
    if (![400, 401].includes(status)) wrong.push(`${spelled(password)} is opened by ${spelled(other)}: ${status}`);
  }
  expect(wrong).toEqual([]);
  expect(passwords.length).toBeGreaterThan(50);
  // The session that changed it goes on.
  expect(idOf(await must(world, 'GET', '/auth/me', { token }), 'email')).toBe(guest.email);
}, 120_000);
