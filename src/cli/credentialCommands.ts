import type { CommandDefinition } from './register.ts';

const where = [
  ['--workspace <id or slug>', 'workspace (else from opslog.json)'],
  ['--url <url>', 'the Opslog to talk to (else OPSLOG_URL, else the one signed in to last)'],
] as const;
const credential = { credential: 'name or id of the credential' };
const kinds = 'sshKey, sshPassword, apiToken, registryLogin or generic';
const value = [
  ['--user <name>', 'who signs in with it: sshKey, sshPassword, registryLogin'],
  ['--provider <name>', 'whose token it is, for example cloudflare: apiToken'],
  ['--registry <host>', 'host of the registry, for example ghcr.io: registryLogin'],
  ['--generate', 'make an Ed25519 key there, and print its public half: sshKey'],
  ['--file <path>', 'read the secret from this file; - is standard input'],
  ['--passphrase-file <path>', 'read the passphrase of a private key from this file: sshKey'],
] as const;
const howToGive = `The secret is read from a file, from standard input, or asked for without showing it; never from an argument, which
everybody on the machine could see. It is the private key, the password or the token; for the kind generic it is a JSON
object of names and texts. A newline at the end of a password or token is left out.`;

export const credentialCommands: readonly CommandDefinition[] = [
  {
    usage: 'list',
    summary: 'Credentials of the workspace: what may be known of them, never values',
    options: [
      ['--kind <kind>', `only of this kind: ${kinds}`],
      ['--department <id>', 'only those bound to this department'],
      ...where,
    ],
    examples: [
      ['opslog credentials list', ''],
      ['opslog credentials list --kind sshKey --json', 'with public keys and fingerprints'],
    ],
    load: () => import('./developer/credentialsList.ts'),
  },
  {
    usage: 'add <name>',
    summary: 'Seal a new credential',
    about: `Seals a new credential. Its value is never shown again, to nobody.

${howToGive}`,
    arguments: { name: 'a name for people, unique in the workspace' },
    options: [
      ['--kind <kind>', kinds],
      ['--department <id>', 'only for this department (default: for the whole workspace)'],
      ['--description <text>', 'what it is for; it can be seen'],
      ...value,
      ...where,
    ],
    examples: [
      ['opslog credentials add deploy --kind sshKey --user deploy --generate', 'prints the line for authorized_keys'],
      ['opslog credentials add deploy --kind sshKey --user deploy --file ~/.ssh/id_ed25519', 'a key that you have'],
      ['opslog credentials add dns --kind apiToken --provider cloudflare < token.txt', 'from standard input'],
      ['opslog credentials add smtp --kind generic --file smtp.json', 'several fields'],
    ],
    load: () => import('./developer/credentialsAdd.ts'),
  },
  {
    usage: 'replace <credential>',
    summary: 'Give a credential another value; the one before is destroyed',
    about: `Gives a credential another value of the same kind. The key of the value before is destroyed: nothing opens it any more.

${howToGive} What is not given, such as the user, stays as it is.`,
    arguments: credential,
    options: [...value, ...where],
    examples: [
      ['opslog credentials replace dns < token.txt', ''],
      ['opslog credentials replace deploy --generate', 'a new key; prints its public half'],
    ],
    load: () => import('./developer/credentialsReplace.ts'),
  },
  {
    usage: 'rename <credential> <name>',
    summary: 'Give a credential another name',
    arguments: { ...credential, name: 'the new name' },
    options: where,
    examples: [['opslog credentials rename deploy "deploy, old"', '']],
    load: () => import('./developer/credentialsRename.ts'),
  },
  {
    usage: 'remove <credential>',
    summary: 'Delete a credential for good, keys and all',
    arguments: credential,
    options: where,
    examples: [['opslog credentials remove dns', 'what uses it fails from then on']],
    load: () => import('./developer/credentialsRemove.ts'),
  },
];
