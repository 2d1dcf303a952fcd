import { z } from 'zod';
import { type CredentialDetails, credentialKinds } from '../domain/credential/index.ts';
import type { SshKeys } from '../platform/ssh/port.ts';
import type { Vault } from '../platform/vault/port.ts';
import { canonicalJson } from './canonicalJson.ts';
import type { CredentialInput } from './credentialFields.ts';
import { notSent } from './outcome.ts';

/** What is secret in a credential, by the names that its kind gives it. */
type SecretFields = Readonly<Record<string, string>>;

export type ReadValue = { readonly details: CredentialDetails; readonly secrets: SecretFields };

/** Parts what may be known from what is secret. A key is opened once, so that nobody finds out later that it does not. */
export const readValue = async (input: CredentialInput, sshKeys: SshKeys) => {
  switch (input.kind) {
    case 'sshKey':
      return readSshKey(input, sshKeys);
    case 'sshPassword': {
      const { kind, userName, password } = input;
      return read({ kind, userName }, { password });
    }
    case 'apiToken': {
      const { kind, provider, token } = input;
      return read({ kind, provider }, { token });
    }
    case 'registryLogin': {
      const { kind, registry, userName, password } = input;
      return read({ kind, registry, userName }, { password });
    }
    case 'generic': {
      const { kind, fields } = input;
      return read({ kind, fieldNames: Object.keys(fields).sort() }, fields);
    }
  }
};

const read = (details: CredentialDetails, secrets: SecretFields) => ({
  ok: true as const,
  value: { details, secrets } satisfies ReadValue,
});

const readSshKey = async (
  { userName, privateKey, passphrase }: Extract<CredentialInput, { kind: 'sshKey' }>,
  sshKeys: SshKeys,
) => {
  if (privateKey === undefined) {
    const made = sshKeys.generate();
    const details = { kind: 'sshKey', userName, ...made.facts, isGenerated: true } as const;
    return read(details, { privateKey: made.privateKey });
  }
  const opened = await sshKeys.read({ privateKey, passphrase });
  if (!opened.ok) return notSent('SshKeyInvalid', opened.reason, { field: `value.${opened.field}` });
  const details = { kind: 'sshKey', userName, ...opened.facts, isGenerated: false } as const;
  return read(details, { privateKey: `${privateKey.trim()}\n`, ...(passphrase !== undefined && { passphrase }) });
};

type Owner = { readonly workspaceId: string; readonly credentialId: string };

/** Tells an equal value of the same credential, and nothing else. */
export const valueDigest = (vault: Vault, { workspaceId, credentialId }: Owner, { details, secrets }: ReadValue) =>
  vault.digest(canonicalJson({ kind: details.kind, secrets }), [workspaceId, credentialId]);

/**
 * All secret parts as one text, bound to the workspace by what is authenticated beside it, and to its own credential by
 * what is in it: moved to another one it opens as nothing.
 */
export const sealValue = (vault: Vault, { workspaceId, credentialId }: Owner, { details, secrets }: ReadValue) =>
  vault.seal(canonicalJson({ credentialId, kind: details.kind, secrets }), workspaceId);

const sealedText = z.strictObject({
  credentialId: z.string(),
  kind: z.enum(credentialKinds),
  secrets: z.record(z.string(), z.string()),
});

/** What `sealValue` sealed; undefined for anything else. */
export const parseSealedText = (text: string): z.output<typeof sealedText> | undefined => {
  try {
    return sealedText.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};
