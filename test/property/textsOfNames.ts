import { naughtyTexts, someNaughtyTexts } from '../support/naughtyTexts.ts';
import { cell, type FieldFixture, granted, type TextFixture, type TextPlace, textAt } from './textFixture.ts';
import { email, lines, name, type TextRule, together } from './textRules.ts';

// Texts for people, which are told again: by whom they are kept, and where they are to be found.

/** Texts that may be one name to whoever tells names apart by more than their case go to different places. */
export const rivalsOf = (texts: readonly string[], kept: TextRule): readonly number[] => {
  const seen = new Map<string, number>();
  return texts.map((text) => {
    const key = (kept(text) ?? text).normalize('NFKD').toLowerCase().toUpperCase().toLowerCase();
    const rival = seen.get(key) ?? 0;
    seen.set(key, rival + 1);
    return rival;
  });
};

/** Made when it is first asked for. */
export const lazily = (make: (n: number) => Promise<string>): ((n: number) => Promise<string>) => {
  const made = new Map<number, Promise<string>>();
  return (n) => {
    const one = made.get(n) ?? make(n);
    made.set(n, one);
    return one;
  };
};

const postFor = async (
  { wire, own: { token } }: TextPlace,
  path: string,
  body: object,
  name: string,
): Promise<string> => String(textAt(await granted(wire, { method: 'POST', path, token, body }), [name]));

export const postTo = (place: TextPlace, path: string, body: object): Promise<string> =>
  postFor(place, path, body, 'id');

let slugs = 0;
export const slug = (): string => {
  slugs += 1;
  return `naughty-${slugs}`;
};

export const aWorkspace = (place: TextPlace): Promise<string> =>
  postTo(place, '/workspaces', { name: 'Plain', slug: slug() });

const base = '/workspaces/{workspaceId}';

/** Called something, and a resource by the same name. */
const named = (event: string, table: string, path: string): FieldFixture => ({
  kept: name,
  fact: [event, 'name'],
  cells: [cell(table, 'name')],
  answered: ['name'],
  list: [path, 'id', 'name'],
});

export const organisation = (place: TextPlace): readonly TextFixture[] => {
  const guest = lazily((n) => inviteTo(place, `guest-${n}@example.com`));
  const names = together(naughtyTexts, name);
  return [
    {
      operation: 'createWorkspace',
      texts: names,
      body: () => ({ name: 'Plain', slug: slug() }),
      fields: {
        name: { ...named('WorkspaceCreated', 'workspaces', '/workspaces'), one: ['/workspaces/{id}', 'name'] },
      },
    },
    {
      operation: 'createDepartment',
      texts: names,
      body: () => ({ name: 'Plain', slug: slug() }),
      fields: {
        name: {
          ...named('DepartmentCreated', 'departments', `${base}/departments`),
          cells: [cell('departments', 'name')],
          one: [`${base}/departments/{id}`, 'name'],
        },
      },
    },
    {
      operation: 'issueApiToken',
      texts: names,
      body: () => ({ name: 'Plain', role: 'VIEWER' }),
      fields: { name: named('ApiTokenIssued', 'api_tokens', `${base}/api-tokens`) },
    },
    {
      // Each costs a password.
      operation: 'registerByInvitation',
      texts: together(someNaughtyTexts, name),
      body: async (n) => ({ token: await guest(n), displayName: 'Plain', password: `a password of guest ${n}` }),
      fields: {
        displayName: {
          kept: name,
          fact: ['UserRegistered', 'displayName'],
          cells: [
            cell('users', 'display_name'),
            { table: 'workspace_members', key: 'user_id', column: 'display_name' },
          ],
          list: [`/workspaces/${place.own.ids.workspaceId}/members`, 'userId', 'displayName'],
        },
      },
    },
    {
      operation: 'inviteMember',
      texts: [...someNaughtyTexts, ...addresses],
      body: () => ({ email: 'plain@example.com', role: 'VIEWER' }),
      fields: {
        email: {
          kept: email,
          fact: ['InvitationIssued', 'email'],
          cells: [cell('invitations', 'email')],
          answered: ['email'],
          list: [`${base}/invitations`, 'id', 'email'],
        },
      },
    },
  ];
};

const addresses = [
  ...[
    '\u212aelvin@example.com',
    ' Ada@Example.COM\ufeff',
    'ADA+x@example.com',
    'ada@ex\u00e4mple.com',
    'i\u0307@example.com',
  ],
  ...[
    '\u0130@example.com',
    'a@b',
    'a b@example.com',
    'a\0@example.com',
    'a\u200b@example.com',
    '"a b"@example.com',
    'ﬁ@example.com',
  ],
];

const inviteTo = (place: TextPlace, address: string): Promise<string> =>
  postFor(place, `${place.own.base}/invitations`, { email: address, role: 'VIEWER' }, 'token');

const plainCredential = { description: 'plain', value: { kind: 'generic', fields: { note: 'nothing' } } };

export const credentialNames = (place: TextPlace): readonly TextFixture[] => {
  const [names, texts] = [together(naughtyTexts, name), together(naughtyTexts, lines(500))];
  const [rivals, laterRivals] = [rivalsOf(naughtyTexts, name), rivalsOf(names, name)];
  const workspaces = lazily(() => aWorkspace(place));
  const created = (n: number) => workspaces(rivals[n] ?? 0);
  // Not where the name is given to another one already.
  const renamedIn = (n: number) => workspaces(1_000 + (laterRivals[n] ?? 0));
  const plain = (where: (n: number) => Promise<string>) =>
    lazily(async (n) =>
      postTo(place, `/workspaces/${await where(n)}/credentials`, { name: `Plain ${slug()}`, ...plainCredential }),
    );
  const [renamed, described] = [plain(renamedIn), plain(() => workspaces(0))];
  const list = (way: string) => [`${base}/credentials`, 'id', way] as const;
  const one = (way: string) => [`${base}/credentials/{id}`, way] as const;
  const ofName = {
    kept: name,
    answered: ['name'],
    cells: [cell('credentials', 'name'), cell('resources', 'name')],
    one: one('name'),
  };
  const ofText = { kept: lines(500), cells: [cell('credentials', 'description')], one: one('description') };
  return [
    {
      operation: 'createCredential',
      texts: naughtyTexts,
      ids: async (n) => ({ workspaceId: await created(n) }),
      body: () => ({ name: `Plain ${slug()}`, ...plainCredential }),
      fields: {
        name: {
          ...ofName,
          cells: [cell('credentials', 'name')],
          fact: ['CredentialCreated', 'name'],
          list: list('name'),
        },
        description: { ...ofText, fact: ['CredentialCreated', 'description'], list: list('description') },
      },
    },
    {
      operation: 'renameCredential',
      texts: names,
      ids: async (n) => ({ workspaceId: await renamedIn(n), credentialId: await renamed(n) }),
      body: () => ({}),
      fields: { name: { ...ofName, fact: ['CredentialRenamed', 'name'] } },
    },
    {
      operation: 'describeCredential',
      texts: texts,
      ids: async (n) => ({ workspaceId: await workspaces(0), credentialId: await described(n) }),
      body: () => ({}),
      fields: { description: { ...ofText, fact: ['CredentialDescribed', 'description'] } },
    },
  ];
};
