import type { Aggregates } from '../../src/commands/aggregates.ts';
import { type Envelope, sha256 } from '../../src/commands/envelope.ts';
import { type CredentialDetails, nextTenure } from '../../src/domain/credential/index.ts';
import { credentialUseId, derivedId } from '../../src/domain/identifiers.ts';

/** The part of a random history that is about credentials. */
export const credentialSteps = [
  ...(['createCredential', 'createCredential', 'createCredential', 'replaceCredential', 'renameCredential'] as const),
  ...(['describeCredential', 'useCredential', 'deleteCredential', 'shredCredential'] as const),
] as const;
export type CredentialStep = (typeof credentialSteps)[number];

export const isCredentialStep = (what: string): what is CredentialStep => credentialSteps.some((each) => each === what);

const kinds: readonly CredentialDetails[] = [
  {
    ...{ kind: 'sshKey', userName: 'déploy', keyType: 'ssh-ed25519', publicKey: 'ssh-ed25519 AAAA' },
    ...{ fingerprint: 'SHA256:abc', isGenerated: true },
  },
  { kind: 'sshPassword', userName: 'root' },
  { kind: 'apiToken', provider: 'cloudflare' },
  { kind: 'registryLogin', registry: 'ghcr.io', userName: '日本' },
  { kind: 'generic', fieldNames: ['A', 'B'] },
];
const reasons = ['requested', 'department_removed', 'workspace_deleted'] as const;

type At = { readonly index: number; readonly now: number; readonly text: string };

/** Three credentials of each department, so that steps meet; names are their own, as the claim of a name would have it. */
export const performCredentialStep = async (
  { credential, credentialUse }: Aggregates,
  { what, choice }: { readonly what: CredentialStep; readonly choice: number },
  { index, now, text }: At,
  { id: departmentId, workspaceId }: { readonly id: string; readonly workspaceId: string },
  envelope: Envelope,
): Promise<void> => {
  const which = choice % 3;
  const id = derivedId(sha256, 'credential', departmentId, String(which));
  const digest = sha256(`value-${choice % 5}`).slice(0, 32);
  const keyId = sha256(envelope.commandId).slice(0, 32);
  const details = kinds[which] ?? { kind: 'apiToken', provider: '' };
  const value = { details, digest, keyId, encryptedData: { iv: 'aXY=', tag: 'dA==', data: 'ZA==' } };
  const { state } = await credential.load(id);
  switch (what) {
    case 'createCredential': {
      const data = { workspaceId, departmentId, name: `${id} ${text}`.slice(0, 100), description: text, ...value };
      await credential.send(id, { type: 'CreateCredential', data }, envelope);
      return;
    }
    case 'replaceCredential':
      await credential.send(id, { type: 'ReplaceCredential', data: value }, envelope);
      return;
    case 'renameCredential': {
      const name = `${id} ${index} ${text}`.slice(0, 100);
      const tenure = state.status === 'absent' ? 0 : nextTenure(state, name);
      await credential.send(id, { type: 'RenameCredential', data: { name, tenure } }, envelope);
      return;
    }
    case 'describeCredential':
      await credential.send(id, { type: 'DescribeCredential', data: { description: text } }, envelope);
      return;
    case 'useCredential': {
      const use = { credentialId: id, purpose: 'server.connect', subjectId: `s-${choice % 2}`, windowStart: now };
      const data = { ...use, version: 1 };
      await credentialUse.send(credentialUseId(sha256, use), { type: 'RecordCredentialUse', data }, envelope);
      return;
    }
    case 'deleteCredential': {
      const reason = reasons[choice % reasons.length] ?? 'requested';
      await credential.send(id, { type: 'DeleteCredential', data: { reason } }, envelope);
      return;
    }
    case 'shredCredential': {
      const keyIds = state.status === 'absent' ? [] : state.doomedKeyIds;
      await credential.send(id, { type: 'ConfirmCredentialShred', data: { keyIds } }, envelope);
      return;
    }
    default:
      what satisfies never;
  }
};
