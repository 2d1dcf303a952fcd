import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { components } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { usage } from '../failure.ts';
import { ask, readSecret } from './prompt.ts';

export type Value = components['schemas']['CredentialValue'];
export type Kind = Value['kind'];

export const valueArgs = z.object({
  user: z.string().optional(),
  provider: z.string().optional(),
  registry: z.string().optional(),
  generate: z.boolean().default(false),
  file: z.string().optional(),
  passphraseFile: z.string().optional(),
});
type ValueArgs = z.output<typeof valueArgs>;

/** What of the value of before stays when it is not given. */
export type Known = { readonly userName?: string; readonly provider?: string; readonly registry?: string };

/** The value of this kind as the options, a file, standard input or whoever sits there give it. */
export const readValue = async (cli: Cli, kind: Kind, args: ValueArgs, known: Known = {}): Promise<Value> => {
  refuseStrays(kind, args);
  const userName = () => given(args.user ?? known.userName, '--user');
  switch (kind) {
    case 'sshKey':
      return readKey(cli, userName(), args);
    case 'sshPassword':
      return { kind, userName: userName(), password: await secretOf(cli, 'Password', args.file) };
    case 'apiToken': {
      const provider = given(args.provider ?? known.provider, '--provider');
      return { kind, provider, token: await secretOf(cli, 'Token', args.file) };
    }
    case 'registryLogin': {
      const registry = given(args.registry ?? known.registry, '--registry');
      return { kind, registry, userName: userName(), password: await secretOf(cli, 'Password or token', args.file) };
    }
    case 'generic':
      return { kind, fields: parseFields(await secretOf(cli, 'Fields as a JSON object', args.file)) };
  }
};

const given = (text: string | undefined, option: string): string => {
  if (text === undefined) throw usage(`${option} is missing.`, `A credential of this kind needs ${option}.`);
  return text;
};

const refuseStrays = (kind: Kind, { generate, file, passphraseFile }: ValueArgs): void => {
  if (kind !== 'sshKey' && (generate || passphraseFile !== undefined))
    throw usage('Only a credential of the kind sshKey is generated or has a passphrase.');
  if (generate && (file !== undefined || passphraseFile !== undefined))
    throw usage('A key that is generated is read from no file.', 'Leave out either --generate or the file.');
};

const readKey = async (cli: Cli, userName: string, { generate, file, passphraseFile }: ValueArgs): Promise<Value> => {
  if (generate) return { kind: 'sshKey', userName, generate: true };
  if (file === undefined && cli.interactive) {
    throw usage('The private key is missing.', 'Give it with --file, or have one made with --generate.');
  }
  const privateKey = await secretOf(cli, 'Private key', file);
  const passphrase = passphraseFile === undefined ? undefined : await secretOf(cli, 'Passphrase', passphraseFile);
  if (passphrase !== undefined) return { kind: 'sshKey', userName, privateKey, passphrase };
  if (!looksEncrypted(privateKey) || !cli.interactive) return { kind: 'sshKey', userName, privateKey };
  const asked = await ask(cli, 'Passphrase of the key', { option: '--passphrase-file', secret: true });
  return { kind: 'sshKey', userName, privateKey, passphrase: asked };
};

/** Whether it is worth asking; the server looks properly. */
const looksEncrypted = (text: string): boolean => {
  const body = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]+?)-----END/.exec(text)?.[1] ?? '';
  return /ENCRYPTED/.test(text) || Buffer.from(body, 'base64').subarray(0, 80).includes('bcrypt');
};

const secretOf = async (cli: Cli, what: string, file: string | undefined): Promise<string> => {
  if (file !== undefined && file !== '-') return fileText(resolve(cli.cwd, file));
  if (file === undefined && cli.interactive) return ask(cli, what, { option: '--file', secret: true });
  return readSecret(cli);
};

const longest = 48 * 1024;

const fileText = async (path: string): Promise<string> => {
  const bytes = await readFile(path).catch((error: unknown) => {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'no reason given';
    throw usage(`The file ${path} cannot be read (${why}).`);
  });
  if (bytes.length > longest) throw usage(`The file ${path} is too large: a credential has ${longest} bytes at most.`);
  return bytes.toString('utf8').replace(/\r?\n$/, '');
};

const parseFields = (text: string): Record<string, string> => {
  const shape = 'Give a JSON object of names and texts, for example {"USER": "me", "PASSWORD": "…"}.';
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(text));
  } catch {
    // What the parser says repeats a piece of it.
    throw usage('The fields cannot be read.', shape);
  }
};
