import { maskSecrets, maskText } from '../../src/domain/masking.ts';
import { fewNaughtyTexts, naughtyTexts, someNaughtyTexts } from '../support/naughtyTexts.ts';
import { cell, type FieldFixture, matrixBody, seen, type TextFixture, type TextPlace } from './textFixture.ts';
import { hostname, line, name, never, together } from './textRules.ts';
import { aWorkspace, lazily, postTo, slug } from './textsOfNames.ts';

// Texts about resources, webhooks and host names.

const maskedNote = (note: string): string => String(Object(maskSecrets({ note })).note);
const base = '/workspaces/{workspaceId}';

/** What looks like a secret is masked before it is written down: that is documented of resources alone. */
const ofResource = (created: boolean): Readonly<Record<string, FieldFixture>> => {
  const told = (way: string, column: string, kept: FieldFixture['kept']): FieldFixture => ({
    ...{ kept, written: maskText, cells: [cell('resources', column)], one: [`${base}/resources/{id}`, column] },
    ...(created && { list: [`${base}/resources`, 'id', column] as const }),
    fact: created ? ['ResourceCreated', way] : way === 'name' ? ['ResourceRenamed', way] : ['ResourceDescribed', way],
  });
  return {
    name: { ...told('name', 'name', name), answered: ['name'] },
    description: told('description', 'detail', line(250)),
    provider: told('provider', 'provider', line(64)),
    'metadata.{}': {
      ...told('notes', 'metadata', line(500)),
      ...{ written: maskedNote, cells: [cell('resources', 'metadata', 'note')] },
      ...(created && { list: [`${base}/resources`, 'id', 'metadata', 'note'] as const }),
      ...{ one: [`${base}/resources/{id}`, 'metadata', 'note'] as const },
      fact: [created ? 'ResourceCreated' : 'ResourceDescribed', 'notes', 'note'],
    },
  };
};

/** Where '' is not there, it is answered as null. */
export const resourceTexts = (place: TextPlace): readonly TextFixture[] => {
  const body = { name: 'Plain', kind: 'thing', description: 'plain', provider: 'plain', metadata: { note: 'plain' } };
  const resources = lazily(() => postTo(place, `${place.own.base}/resources`, body));
  return [
    { operation: 'createResource', texts: naughtyTexts, body: () => body, fields: ofResource(true) },
    ...Object.entries(ofResource(false)).map(
      ([field, fixture]): TextFixture => ({
        ...{ operation: 'describeResource', texts: together(naughtyTexts, fixture.kept), body: () => ({}) },
        ids: async (n) => ({ resourceId: await resources(n) }),
        fields: { [field]: fixture },
      }),
    ),
  ];
};

const perWorkspace = 20;

export const webhookTexts = (place: TextPlace): readonly TextFixture[] => {
  const [forNew, forOld] = [lazily(() => aWorkspace(place)), lazily(() => aWorkspace(place))];
  const nth = (workspaces: (n: number) => Promise<string>, n: number) => workspaces(Math.floor(n / perWorkspace));
  const body = { url: 'https://hooks.example/in', eventTypes: ['*'], description: 'plain' };
  const hooks = lazily(async (n) => postTo(place, `/workspaces/${await nth(forOld, n)}/webhooks`, body));
  const description = (event: string): FieldFixture => ({
    ...{
      kept: line(200),
      fact: [event, 'description'],
      answered: ['description'],
      cells: [cell('webhooks', 'description')],
    },
    list: [`${base}/webhooks`, 'id', 'description'],
    one: [`${base}/webhooks/{id}`, 'description'],
  });
  const texts = together(naughtyTexts, line(200));
  const others = { url: seen(never), 'eventTypes.*': seen(never) };
  return [
    {
      operation: 'createWebhook',
      texts: texts,
      ids: async (n) => ({ workspaceId: await nth(forNew, n) }),
      body: () => ({ ...body, description: slug() }),
      fields: { description: description('WebhookCreated') },
    },
    {
      operation: 'reviseWebhook',
      texts: texts,
      ids: async (n) => ({ workspaceId: await nth(forOld, n), webhookId: await hooks(n) }),
      body: () => ({}),
      fields: { description: description('WebhookRevised') },
    },
    ...['createWebhook', 'reviseWebhook'].flatMap((operation) =>
      Object.entries(others).map(([field, fixture]): TextFixture => {
        const fields = { [field]: fixture };
        return { operation, texts: fewNaughtyTexts, body: () => matrixBody(operation, place.own), fields };
      }),
    ),
  ];
};

export const hostnameTexts = (place: TextPlace): readonly TextFixture[] => [
  {
    operation: 'attachDomain',
    texts: oncePerName([...someNaughtyTexts, ...hostnames]),
    body: () => ({}),
    fields: {
      hostname: {
        ...{ kept: hostname, fact: ['DomainAttachmentRequested', 'hostname'], answered: ['hostname'] },
        cells: [cell('edge_domains', 'hostname'), cell('resources', 'name')],
        one: [`${base}/resources/{id}`, 'name'],
      },
    },
  },
  {
    operation: 'putDomainCertificate',
    texts: fewNaughtyTexts,
    body: () => matrixBody('putDomainCertificate', place.own),
    fields: { certificate: seen(never) },
  },
  {
    operation: 'putDomainCertificate',
    texts: fewNaughtyTexts,
    body: () => matrixBody('putDomainCertificate', place.own),
    fields: { privateKey: seen(never) },
  },
];

/** Another spelling of a name that is held already is the same request again, and adds nothing. */
const oncePerName = (texts: readonly string[]): readonly string[] => [
  ...new Map(texts.map((text) => [hostname(text) ?? `refused: ${text}`, text])).values(),
];

/** With what IDNA reads as something else, or as nothing. */
const hostnames = [
  ...[
    ' BÜCHER.Naughty.example. ',
    'bücher.naughty.example',
    'faß.naughty.example',
    'fass.naughty.example',
    'ﬁ.naughty.example',
  ],
  ...[
    'xn--bcher-kva.naughty.example',
    'b\u00adu.naughty.example',
    'a\u200bb.naughty.example',
    'a\u200db.naughty.example',
  ],
  ...[
    '١.naughty.example',
    '①.naughty.example',
    'I\u0307.naughty.example',
    '\u0130.naughty.example',
    'ı.naughty.example',
    'a。naughty.example',
  ],
  ...[
    'xn--a.naughty.example',
    'xn--.naughty.example',
    '\ud800.naughty.example',
    'a\0.naughty.example',
    `${'x'.repeat(64)}.naughty.example`,
  ],
  ...[
    '-a.naughty.example',
    'a_b.naughty.example',
    'a..naughty.example',
    '.naughty.example',
    '1.2.3.4',
    'localhost',
    'עברית.naughty.example',
  ],
];
