import { isObject } from '../../../src/client/jsonSchema.ts';
import type { Path } from '../../support/marks.ts';
import { type Caller, canary, type Sending } from './caller.ts';

/** A copy of a body with another value at a path; `rename` gives the field there another name. */
const put = (body: unknown, [name, ...rest]: Path, value: unknown, rename = (field: string) => field): unknown => {
  if (name === undefined) return value;
  if (!isObject(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, each]) => {
      if (name !== '*' && key !== name) return [key, each];
      return [rest.length === 0 ? rename(key) : key, put(each, rest, value, rename)];
    }),
  );
};

type Mistake = readonly [how: string, wrong: Sending, secret: string];

/** The same request gone wrong, with another secret in it: all the ways in which people get one wrong. */
const mistakes = (sending: Sending, path: Path): readonly Mistake[] => {
  const { body } = sending;
  const wrong = (how: string, make: (secret: string) => Partial<Sending>) => {
    const secret = canary();
    return [how, { ...sending, ...make(secret) }, secret] as const;
  };
  const text = (secret: string) => JSON.stringify(put(body, path, secret));
  return [
    wrong('a value that is none', (secret) => ({ body: put(body, path, secret) })),
    wrong('in a list', (secret) => ({ body: put(body, path, [secret]) })),
    wrong('in an object', (secret) => ({ body: put(body, path, { [secret]: secret }) })),
    wrong('in a misspelt field', (secret) => ({ body: put(body, path, secret, (name) => `${name}x`) })),
    wrong('as the name of a field', (secret) => ({ body: put(body, path, 1, () => secret) })),
    wrong('in JSON that ends within it', (secret) => {
      const whole = text(secret);
      return { raw: whole.slice(0, whole.indexOf(secret) + 30) };
    }),
    wrong('in JSON with something after it', (secret) => ({ raw: `${text(secret)}${secret}` })),
    wrong('in a body that is too large', (secret) => ({ raw: text(secret).padEnd(3_000_000) })),
    wrong('as another type of body', (secret) => ({ raw: text(secret), headers: { 'content-type': secret } })),
    wrong('in the query', (secret) => ({ path: `${sending.path}?password=${secret}` })),
    wrong('as a parameter, twice', (secret) => ({ path: `${sending.path}?${secret}=1&${secret}=2` })),
    wrong('at the end of the path', (secret) => ({ path: `${sending.path.replace(/[^/]+$/, '')}${secret}` })),
    wrong('below the path', (secret) => ({ path: `${sending.path}/${secret}` })),
    wrong('as the bearer', (secret) => ({ token: secret })),
    wrong('as Basic', (secret) => ({
      token: undefined,
      headers: { authorization: `Basic ${Buffer.from(`ada:${secret}`).toString('base64')}` },
    })),
    wrong('as headers that steer', (secret) => ({ headers: { 'if-match': secret, prefer: secret } })),
    wrong('as a position', (secret) => ({ headers: { 'opslog-wait-for': secret, cookie: `session=${secret}` } })),
  ];
};

/** Sends all of them; answers those that were a fault of the server. */
export const misplace = async (
  { canaries, send }: Caller,
  sending: Sending,
  path: Path,
): Promise<readonly string[]> => {
  const one = async ([how, wrong, secret]: Mistake): Promise<readonly string[]> => {
    canaries.add(secret, `sent to ${sending.operationId} ${how}`);
    canaries.add(secret.slice(0, 20), `the first half of what was sent to ${sending.operationId} ${how}`);
    // A body that is too large is cut off while it is sent.
    const status = await send(wrong).then(
      (answered) => answered.status,
      () => 413,
    );
    return status < 500 ? [] : [`${sending.operationId} ${how}: ${status}`];
  };
  return (await Promise.all(mistakes(sending, path).map(one))).flat();
};
