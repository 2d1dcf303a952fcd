import { inParallel } from '../matrix/ask.ts';
import { put } from '../matrix/cells.ts';
import { isSameText, spelled } from '../support/naughtyTexts.ts';
import { askedOperations } from './described.ts';
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

/** Of a text that is a name itself, in what it is one: it is not always repeated. */
const keyless = (field: string): string | undefined =>
  field.endsWith('.{key}') ? calledIn(field.slice(0, -'.{key}'.length)) : undefined;
const isCalled = (named: string, field: string): boolean => {
  const within = keyless(field);
  return within === undefined ? named === calledIn(field) : named === within || named.startsWith(`${within}.`);
};

const putText = (body: object, field: string, text: string): object =>
  Object(
    keyless(field) === undefined
      ? put(body, wayOf(field), text)
      : put(body, [...wayOf(field).slice(0, -1), text], 'plain'),
  );

type Sending = {
  readonly place: TextPlace;
  readonly fixture: TextFixture;
  readonly text: string;
  /** Of the text. */
  readonly n: number;
  readonly sendings: Sendings;
};

/** The text in each of the fields. */
const ask = async ({ place, fixture, text, n, sendings }: Sending, base: object, fields: readonly string[]) => {
  const asking = byId.get(fixture.operation);
  if (!asking) throw new Error(`There is no operation ${fixture.operation}.`);
  sendings.asked += 1;
  const correlationId = `naughty-${String(sendings.asked).padStart(8, '0')}`;
  const ids: Readonly<Record<string, string>> = { ...place.own.ids, ...(await fixture.ids?.(n)) };
  const body = fields.reduce<object>((filled, field) => putText(filled, field, text), base);
  const sent = {
    method: asking.method,
    path: asking.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? name)),
    headers: [
      ...([['authorization', `Bearer ${place.own.token}`]] as const),
      ...([['content-type', 'application/json']] as const),
      ...([['x-correlation-id', correlationId]] as const),
    ],
    body: Buffer.from(JSON.stringify(body)),
  };
  const received = await place.wire.send(sent, false);
  return { correlationId, received, fault: faultOf(asking, sent, received, []) };
};

const complain = (
  { fixture, text, sendings: { faults } }: Sending,
  fields: readonly string[],
  what: string,
  { status, text: said }: Received,
): void => {
  for (const field of fields) {
    const name = `${fixture.operation} ${field}`;
    faults.set(name, [...(faults.get(name) ?? []), `${spelled(text)}: ${what}; ${status} ${said.slice(0, 300)}`]);
  }
};

const inside = 'something of the inside: ';

/** All fields are sent, and only those are named in which it may not be. */
const sendRefused = async (sending: Sending, base: object, refused: readonly string[]): Promise<void> => {
  const { received, fault } = await ask(sending, base, Object.keys(sending.fixture.fields));
  sending.sendings.refused += 1;
  const problem = received.status >= 400 ? parsed(received) : undefined;
  const named = namedIn(problem);
  const names = [...named];
  // What is judged by the shape of the body alone is judged all at once.
  const areAll =
    Object(problem).errors === undefined || refused.every((field) => names.some((each) => isCalled(each, field)));
  const isRight = names.length > 0 && names.every((each) => refused.some((field) => isCalled(each, field))) && areAll;
  // A problem may repeat what was sent.
  const isRepeated = fault?.startsWith(inside) === true && sending.text.includes(fault.slice(inside.length));
  if (isRight && (fault === undefined || isRepeated)) return;
  complain(sending, refused, `expected was a refusal that names ${refused}, not ${names}, ${fault ?? ''}`, received);
};

const sendTaken = async (sending: Sending, base: object, fields: readonly string[]): Promise<void> => {
  const { fixture, text, sendings } = sending;
  const { received, correlationId, fault } = await ask(sending, base, fields);
  if (fault !== undefined) return complain(sending, fields, fault, received);
  if (fixture.answers) {
    const title = received.status < 300 ? '' : String(Object(parsed(received)).title);
    if (!fixture.answers.includes(title)) complain(sending, fields, `expected was ${fixture.answers}`, received);
    return;
  }
  if (received.status >= 300) return complain(sending, fields, 'expected was a success', received);
  for (const field of fields) {
    const each = fixture.fields[field];
    const kept = each?.kept(text);
    if (!each || kept === undefined) continue;
    const written = each.written?.(kept) ?? kept;
    if (each.answered && !isSameText(textAt(parsed(received), each.answered), written)) {
      complain(sending, [field], `expected in the answer was ${spelled(written)}`, received);
    }
    if (each.fact)
      sendings.told.push({ field: `${fixture.operation} ${field}`, text, kept, fixture: each, correlationId });
  }
};

/** One text in every field of the fixture: what is to be refused is refused by name, and what is not is told. */
const sendText = async (sending: Sending): Promise<void> => {
  const { fixture, text, n } = sending;
  const fields = Object.keys(fixture.fields);
  const refused = fields.filter((field) => fixture.fields[field]?.kept(text) === undefined);
  const base = await fixture.body(n);
  if (refused.length > 0) await sendRefused(sending, base, refused);
  if (refused.length < fields.length) {
    await sendTaken(
      sending,
      base,
      fields.filter((field) => !refused.includes(field)),
    );
  }
};

/** Requests under way at a time. */
const width = 12;

export const sendTexts = async (place: TextPlace, fixtures: readonly TextFixture[]): Promise<Sendings> => {
  const sendings: Sendings = { told: [], faults: new Map(), asked: 0, refused: 0 };
  const all = fixtures.flatMap((fixture) => fixture.texts.map((text, n) => ({ fixture, text, n })));
  await inParallel(all, width, ({ fixture, text, n }) => sendText({ place, fixture, text, n, sendings }));
  return sendings;
};
