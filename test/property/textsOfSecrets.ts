import { parseSealedText } from '../../src/commands/credentialValue.ts';
import { sealedBinding } from '../../src/commands/edgeSecret.ts';
import type { StoredEvent } from '../../src/platform/eventLog/port.ts';
import type { Sealed } from '../../src/platform/vault/port.ts';
import { fewNaughtyTexts, naughtyTexts, someNaughtyTexts } from '../support/naughtyTexts.ts';
import { anSshPair } from '../support/sshPair.ts';
import {
  cell,
  type FieldFixture,
  matrixBody,
  type Opener,
  seen,
  type TextFixture,
  type TextPlace,
} from './textFixture.ts';
import { asItIs, never, packed, secret, type TextRule, together, userName } from './textRules.ts';
import { lazily, postTo, slug } from './textsOfNames.ts';

// Texts that are sealed: opened again they are what was sent. Several go as one where that changes nothing, since each costs
// a key of its own on the disk.

type SealedData = {
  readonly keyId: string;
  readonly encryptedData: Sealed;
  readonly name: string;
  readonly digest: string;
};
const dataOf = (event: StoredEvent): SealedData => Object(event.data);
const tenantOf = ({ metadata }: StoredEvent) => ({
  ...{ workspaceId: String(metadata['workspaceId']), departmentId: String(metadata['departmentId']) },
});

const secretOfWorker: Opener = async ({ vault }, event) => {
  const { name, digest, ...sealed } = dataOf(event);
  const opened = await vault.open(sealed, sealedBinding(tenantOf(event), name, digest));
  return opened.ok ? opened.plaintext : undefined;
};

const secretOfCredential =
  (field: string): Opener =>
  async ({ vault }, event) => {
    const opened = await vault.open(dataOf(event), tenantOf(event).workspaceId);
    return opened.ok ? parseSealedText(opened.plaintext)?.secrets[field] : undefined;
  };

const refusedBy = (texts: readonly string[], rule: TextRule): readonly string[] =>
  texts.filter((text) => rule(text) === undefined);

type Kind = {
  readonly kind: string;
  readonly value: object;
  readonly secrets: Readonly<Record<string, number>>;
  readonly isNamed: boolean;
};
/** Most are refused, for a space in them. */
const userNames = [...packed(naughtyTexts, userName), ...refusedBy(fewNaughtyTexts, userName)];

const kinds: readonly Kind[] = [
  { kind: 'sshKey', value: { userName: 'ada', generate: true }, secrets: {}, isNamed: true },
  { kind: 'sshPassword', value: { userName: 'ada', password: 'plain' }, secrets: { password: 1_024 }, isNamed: true },
  { kind: 'apiToken', value: { provider: 'cloudflare', token: 'plain' }, secrets: { token: 8_192 }, isNamed: false },
  {
    ...{ kind: 'registryLogin', value: { registry: 'ghcr.io', userName: 'ada', password: 'plain' } },
    ...{ secrets: { password: 8_192 }, isNamed: true },
  },
  { kind: 'generic', value: { fields: { note: 'plain' } }, secrets: { 'fields.{}': 8_192 }, isNamed: false },
];

/** What opens a key is sealed with it. */
const withPassphrase = (passphrase: string): string =>
  anSshPair({ passphrase, cipher: 'aes256-ctr', rounds: 1 }).private;

/** By kind, a value that is right. */
export const plainValues: ReadonlyMap<string, object> = new Map(
  kinds.map(({ kind, value }) => [kind, { kind, ...value }]),
);

type Event = 'CredentialCreated' | 'CredentialReplaced';

/** A value of some kind in which the texts are: of a credential that is made, or of one that was made before. */
const sending = (
  place: TextPlace,
  event: Event,
  plain: object,
  given: {
    readonly texts: readonly string[];
    readonly fields: TextFixture['fields'];
    readonly value: (n: number) => object;
  },
): TextFixture => {
  const { texts, fields, value } = given;
  const named = (each: object) => ({ name: `Plain ${slug()}`, value: each });
  if (event === 'CredentialCreated')
    return { operation: 'createCredential', texts, fields, body: (n) => named(value(n)) };
  const targets = lazily(() => postTo(place, `${place.own.base}/credentials`, named(plain)));
  const isRefused = (n: number) => Object.values(fields).every(({ kept }) => kept(texts[n] ?? '') === undefined);
  return {
    ...{ operation: 'replaceCredential', texts, fields, body: (n) => ({ value: value(n) }) },
    // What is refused changes nothing, and may be sent to the same one.
    ids: async (n) => ({ credentialId: await targets(isRefused(n) ? -1 : n) }),
  };
};

const ofKind = (place: TextPlace, event: Event, { kind, value, secrets, isNamed }: Kind): readonly TextFixture[] => {
  const plain = { kind, ...value };
  const send = (texts: readonly string[], field: string, fixture: FieldFixture) =>
    sending(place, event, plain, { texts, value: () => plain, fields: { [`value(${kind}).${field}`]: fixture } });
  const ofSecrets = Object.entries(secrets).map(([field, most]) => {
    const opened = secretOfCredential(field === 'fields.{}' ? 'note' : field);
    return send(together(naughtyTexts, secret(most)), field, { kept: secret(most), fact: [event], opened });
  });
  const ofName = send(userNames, 'userName', {
    ...{ kept: userName, fact: [event, 'details', 'userName'], cells: [cell('credentials', 'details', 'userName')] },
    one: ['/workspaces/{workspaceId}/credentials/{id}', 'details', 'userName'],
  });
  return isNamed ? [...ofSecrets, ofName] : ofSecrets;
};

const ofKeys = (place: TextPlace, event: Event): readonly TextFixture[] => {
  // A slow one, on purpose.
  const passphrases = packed(someNaughtyTexts, secret(1_024));
  const plain = { kind: 'sshKey', userName: 'ada', generate: true };
  return [
    sending(place, event, plain, {
      // Each is read by a thread of its own.
      texts: fewNaughtyTexts.filter((_, n) => n % 4 === 0),
      value: () => ({ kind: 'sshKey', userName: 'ada' }),
      fields: { 'value(sshKey).privateKey': seen(never) },
    }),
    sending(place, event, plain, {
      texts: passphrases,
      value: (n) => ({ kind: 'sshKey', userName: 'ada', privateKey: withPassphrase(passphrases[n] ?? '') }),
      fields: {
        'value(sshKey).passphrase': { kept: secret(1_024), fact: [event], opened: secretOfCredential('passphrase') },
      },
    }),
  ];
};

export const credentialValues = (place: TextPlace): readonly TextFixture[] =>
  (['CredentialCreated', 'CredentialReplaced'] as const).flatMap((event) => [
    ...kinds.flatMap((kind) => ofKind(place, event, kind)),
    ...ofKeys(place, event),
  ]);

export const workerSecrets = (place: TextPlace): readonly TextFixture[] => [
  {
    operation: 'putSecret',
    texts: together(naughtyTexts, secret(5_120)),
    ids: (n) => ({ name: `NAUGHTY_${n}` }),
    body: () => matrixBody('putSecret', place.own),
    fields: { value: { kept: secret(5_120), fact: ['EdgeSecretStored'], opened: secretOfWorker } },
  },
];

const anyPassword = asItIs({ longest: 256 });
const newPassword = asItIs({ least: 12, longest: 256 });

/** Only whether it is one: what becomes of it is a test of its own. */
export const passwordTexts = (place: TextPlace): readonly TextFixture[] => {
  const address = place.world.administrator.email;
  const noPassword = refusedBy(someNaughtyTexts, newPassword);
  const token = `opi_${'0'.repeat(80)}`;
  return [
    {
      operation: 'openSession',
      texts: together(naughtyTexts, anyPassword),
      body: () => ({ email: address }),
      fields: { password: seen(anyPassword) },
      answers: ['CredentialsInvalid'],
    },
    {
      operation: 'changePassword',
      texts: together(naughtyTexts, anyPassword),
      body: () => ({ newPassword: 'a password that is new' }),
      fields: { currentPassword: seen(anyPassword) },
      answers: ['CredentialsInvalid'],
    },
    {
      operation: 'changePassword',
      texts: noPassword,
      body: () => ({ currentPassword: 'a password that is old' }),
      fields: { newPassword: seen(newPassword) },
    },
    {
      operation: 'registerByInvitation',
      texts: noPassword,
      body: () => ({ token, displayName: 'Plain' }),
      fields: { password: seen(newPassword) },
    },
  ];
};
