import { sql } from 'kysely';
import type { StoredEvent } from '../../src/platform/eventLog/port.ts';
import { naughtyTexts } from '../support/naughtyTexts.ts';
import { granted, seen, type TextFixture, type TextPlace, textAt } from './textFixture.ts';
import { base64, content, path, type TextRule } from './textRules.ts';
import type { Door } from './textWorld.ts';

// Files and variables of a worker. A build for each would take too long: those that are kept go together.

const entry = { path: 'index.ts', content: 'export default { fetch: () => new Response() };' };

const refusedBy = (rule: TextRule): readonly string[] => naughtyTexts.filter((text) => rule(text) === undefined);

const refusing = (field: string, rule: TextRule, file: object): TextFixture => ({
  ...{ operation: 'submitRevision', texts: refusedBy(rule), body: () => ({ files: [file] }) },
  fields: { [field]: seen(rule) },
});

export const refusedFiles = (): readonly TextFixture[] => [
  refusing('files.*.path', path, entry),
  refusing('files.*.content', content, entry),
  refusing('files.*.contentBase64', base64, { path: 'index.ts' }),
  {
    ...{ operation: 'submitRevision', texts: refusedBy(content), body: () => ({ files: [entry] }) },
    fields: { 'variables.{}': seen(content) },
  },
];

/** By path, as the source has them: each text once as a name, once as a content and once as bytes. */
const filesOf = (texts: readonly string[]): ReadonlyMap<string, string> =>
  new Map([
    [entry.path, entry.content],
    ...texts.flatMap((text, n): readonly (readonly [string, string])[] => [
      ...(path(`p${n}/${text}`) === undefined ? [] : [[`p${n}/${text}`, 'path'] as const]),
      ...(content(text) === undefined
        ? []
        : ([
            [`text/${n}`, text],
            [`bytes/${n}`, text],
          ] as const)),
    ]),
  ]);

const sentAs = ([name, text]: readonly [string, string]) =>
  name.startsWith('bytes/')
    ? { path: name, contentBase64: Buffer.from(text).toString('base64') }
    : { path: name, content: text };

const variablesOf = (texts: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    texts.filter((text) => content(text) !== undefined && text.length <= 5_120).map((text, n) => [`V${n}`, text]),
  );

/** As many variables as a revision may have. */
const most = 64;

export type Submitted = {
  readonly revision: string;
  readonly files: ReadonlyMap<string, string>;
  readonly variables: Readonly<Record<string, string>>;
};

export const submitTexts = async ({ own, wire }: TextPlace): Promise<readonly Submitted[]> => {
  const address = `${own.base}/departments/${own.ids.departmentId}/worker/revisions`;
  const submitted: Submitted[] = [];
  for (let from = 0; from < naughtyTexts.length; from += most) {
    const texts = naughtyTexts.slice(from, from + most);
    const [files, variables] = [filesOf(texts), variablesOf(texts)];
    const body = { files: [...files].map(sentAs), variables };
    const answer = await granted(wire, { method: 'POST', path: address, token: own.token, body });
    submitted.push({ revision: String(textAt(answer, ['versionId'])), files, variables });
  }
  return submitted;
};

/** Files as they are kept, and variables as the log has them: both as JSON, which tells every code point. */
export const asSubmitted = ({ files, variables }: Submitted) => ({
  files: Object.fromEntries([...files].map(([name, text]) => [name.normalize('NFC'), text])),
  variables,
});

export const asKept = async ({ world }: TextPlace, { revision }: Submitted, events: readonly StoredEvent[]) => {
  const { data } =
    events.find((event) => event.type === 'RevisionSubmitted' && event.data['versionId'] === revision) ?? {};
  const source = await world.artifacts.get(String(data?.['sourceDigest']));
  const kept: { files: { path: string; text: string }[] } = JSON.parse(Buffer.from(source ?? []).toString('utf8'));
  return {
    files: Object.fromEntries(kept.files.map(({ path: name, text }) => [name, text])),
    variables: data?.['variables'],
  };
};

/** The variables of the row of a revision. */
export const variablesIn = async (
  { database: { session } }: Pick<Door, 'database'>,
  { revision }: Submitted,
): Promise<unknown> => {
  const found = sql<{ variables: string }>`select variables from edge_worker_versions where id = ${revision}`;
  const { rows } = await found.execute(session);
  return JSON.parse(rows[0]?.variables ?? 'null');
};
