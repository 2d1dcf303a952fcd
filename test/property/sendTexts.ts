import { inParallel } from '../matrix/ask.ts';
import { put } from '../matrix/cells.ts';
import { isSameText, spelled } from '../support/naughtyTexts.ts';
import { type Asking, askedOperations } from './described.ts';
import { faultOf } from './judge.ts';
import type { Received } from './send.ts';
import { type FieldFixture, type TextFixture, type TextPlace, textAt } from './textFixture.ts';

/** A text that was taken. */
export type Told = {
  readonly field: string;
  readonly text: string;
  readonly kept: string;
  readonly fixture: FieldFixture;
  /** The events that came of it have it. */
  readonly correlationId: string;
};
export type Sendings = {
  readonly told: Told[];
  readonly faults: Map<string, string[]>;
  asked: number;
  refused: number;
};

const byId = new Map(askedOperations().map((each) => [each.id, each]));

/** `value(sshKey).fields.{}` as `value.fields.note`. */
const wayOf = (field: string): readonly string[] =>
  field
    .replaceAll(/\(\w+\)/g, '')
    .split('.')
    .map((part) => (part === '{}' ? 'note' : part));

const parsed = ({ text }: Received): unknown => (text === '' ? undefined : JSON.parse(text));

/** The fields that a problem names, as they are called here. */
const namedIn = (problem: unknown): ReadonlySet<string> => {
  const { field, errors }: { field?: unknown; errors?: unknown } = Object(problem);
  const pointers = Array.isArray(errors) ? errors.map((each: unknown) => String(Object(each).pointer).slice(1)) : [];
  const dotted = typeof field === 'string' && pointers.length === 0 ? [field.replaceAll(/\[(\d+)\]/g, '.$1')] : [];
  return new Set([...pointers.map((pointer) => pointer.replaceAll('/', '.')), ...dotted]);
};
const calledIn = (field: string): string => wayOf(field).join('.').replaceAll('*', '0');

let requests = 0;

const ask = async (place: TextPlace, asking: Asking, fixture: TextFixture, n: number, body: object) => {
  requests += 1;
  const correlationId = `naughty-${String(requests).padStart(8, '0')}`;
  const ids: Readonly<Record<string, string>> = { ...place.own.ids, ...(await fixture.ids?.(n)) };
  const sent = {
    method: asking.method,
    path: asking.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? name)),
    headers: [
      ...([['authorization', `Bearer ${ids['token'] ?? place.own.token}`]] as const),
      ...([['content-type', 'application/json']] as const),
      ...([['x-correlation-id', correlationId]] as const),
      ...(fixture.rehearsed ? ([['prefer', 'dry-run']] as const) : []),
    ],
    body: Buffer.from(JSON.stringify(body)),
  };
  const received = await place.wire.send(sent, false);
  return { correlationId, received, fault: faultOf(asking, sent, received, []) };
};

/** One text in every field of the fixture: what is to be refused is refused by name, and what is not is told. */
const sendText = async (place: TextPlace, fixture: TextFixture, text: string, n: number, sendings: Sendings) => {
  const asking = byId.get(fixture.operation);
  if (!asking) throw new Error(`There is no operation ${fixture.operation}.`);
  const all = Object.entries(fixture.fields);
  const refused = all.filter(([, { kept }]) => kept(text) === undefined).map(([field]) => field);
  const taken = all.filter(([field]) => !refused.includes(field));
  const complain = (fields: readonly string[], what: string, { status, text: said }: Received) => {
    for (const field of fields) {
      const name = `${fixture.operation} ${field}`;
      const line = `${spelled(text)}: ${what}; ${status} ${said.slice(0, 300)}`;
      sendings.faults.set(name, [...(sendings.faults.get(name) ?? []), line]);
    }
  };
  const bodyOf = (base: object, fields: readonly string[]): object =>
    fields.reduce<object>((body, field) => Object(put(body, wayOf(field), text)), base);
  const base = await fixture.body(n);
  if (refused.length > 0) {
    const { received, fault } = await ask(
      place,
      asking,
      fixture,
      n,
      bodyOf(
        base,
        all.map(([field]) => field),
      ),
    );
    sendings.asked += 1;
    sendings.refused += 1;
    const named = namedIn(received.status >= 400 ? parsed(received) : undefined);
    const wanted = refused.map(calledIn);
    // What is judged by the shape of the body alone is judged all at once.
    const isWhole = !('errors' in Object(parsed(received))) || wanted.every((each) => named.has(each));
    const isRight =
      received.status >= 400 && named.size > 0 && [...named].every((each) => wanted.includes(each)) && isWhole;
    // A problem may repeat what was sent.
    const told = fault?.replace(/^something of the inside: /, '');
    if ((told !== undefined && !text.includes(told)) || !isRight)
      complain(refused, `refused by name was expected, named was ${[...named]}`, received);
  }
  if (taken.length === 0) return;
  const { received, correlationId, fault } = await ask(
    ...([
      place,
      asking,
      fixture,
      n,
      bodyOf(
        base,
        taken.map(([field]) => field),
      ),
    ] as const),
  );
  sendings.asked += 1;
  const fields = taken.map(([field]) => field);
  if (fault !== undefined) return complain(fields, fault, received);
  if (fixture.answers) {
    const title = received.status < 300 ? '' : String(Object(parsed(received)).title);
    if (!fixture.answers.includes(title)) complain(fields, `${fixture.answers} was expected`, received);
    return;
  }
  if (received.status >= 300) return complain(fields, 'a success was expected', received);
  for (const [field, each] of taken) {
    const kept = each.kept(text) ?? '';
    const written = each.written?.(kept) ?? kept;
    if (each.answered && !isSameText(textAt(parsed(received), each.answered), written)) {
      complain([field], `${spelled(written)} was expected in the answer`, received);
    }
    if (each.fact)
      sendings.told.push({ field: `${fixture.operation} ${field}`, text, kept, fixture: each, correlationId });
  }
};

/** Requests under way at a time. */
const width = 12;

export const sendTexts = async (place: TextPlace, fixtures: readonly TextFixture[]): Promise<Sendings> => {
  const sendings: Sendings = { told: [], faults: new Map(), asked: 0, refused: 0 };
  const all = fixtures.flatMap((fixture) => fixture.texts.map((text, n) => ({ fixture, text, n })));
  await inParallel(all, width, ({ fixture, text, n }) => sendText(place, fixture, text, n, sendings));
  return sendings;
};
