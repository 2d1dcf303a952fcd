import type { Aggregates } from '../../src/commands/aggregates.ts';
import { type Envelope, sha256 } from '../../src/commands/envelope.ts';
import { edgeSecretId } from '../../src/domain/identifiers.ts';

/** The part of a random history that is about secrets. */
export const secretSteps = ['putSecret', 'putSecret', 'putSecret', 'removeSecret', 'shredSecret'] as const;
export type SecretStep = (typeof secretSteps)[number];

export const isSecretStep = (what: string): what is SecretStep => secretSteps.some((each) => each === what);

export const performSecretStep = async (
  { edgeSecret }: Aggregates,
  { what, choice }: { readonly what: SecretStep; readonly choice: number },
  { id: departmentId, workspaceId: companyId }: { readonly id: string; readonly workspaceId: string },
  envelope: Envelope,
): Promise<void> => {
  const name = choice % 2 ? 'API_KEY' : 'TOKEN';
  const id = edgeSecretId(sha256, departmentId, name);
  switch (what) {
    case 'putSecret': {
      const digest = sha256(`value-${choice % 5}`).slice(0, 32);
      const sealed = {
        keyId: sha256(envelope.commandId).slice(0, 32),
        encryptedData: { iv: 'aXY=', tag: 'dA==', data: 'ZA==' },
      };
      const data = { companyId, departmentId, name, digest, ...sealed };
      await edgeSecret.send(id, { type: 'PutEdgeSecret', data }, envelope);
      return;
    }
    case 'removeSecret':
      await edgeSecret.send(id, { type: 'RemoveEdgeSecret', data: {} }, envelope);
      return;
    case 'shredSecret': {
      const { state } = await edgeSecret.load(id);
      const keyIds = state.status === 'absent' ? [] : state.doomedKeyIds;
      await edgeSecret.send(id, { type: 'ConfirmEdgeSecretShred', data: { keyIds } }, envelope);
      return;
    }
    default:
      what satisfies never;
  }
};
