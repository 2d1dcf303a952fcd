import { type Decision, type Message, reject } from '../kernel.ts';
import type { EdgeSecretEvent, SealedValue } from './events.ts';
import { type EdgeSecret, newestVersion } from './state.ts';

export type EdgeSecretCommand =
  | Message<
      'PutEdgeSecret',
      {
        companyId: string;
        departmentId: string;
        name: string;
        keyId: string;
        encryptedData: SealedValue;
        digest: string;
      }
    >
  | Message<'RemoveEdgeSecret', Record<never, never>>
  | Message<'ConfirmEdgeSecretShred', { keyIds: readonly string[] }>;

export type EdgeSecretRejection = 'EdgeSecretNotFound' | 'SecretVersionsExhausted';

/** Old versions stay for rollbacks, in the state of the aggregate too: they end somewhere. */
export const maxVersions = 1_000;

export const decide = (
  command: EdgeSecretCommand,
  state: EdgeSecret,
): Decision<EdgeSecretEvent, EdgeSecretRejection> => {
  switch (command.type) {
    case 'PutEdgeSecret': {
      if (newestVersion(state)?.digest === command.data.digest) return [];
      if (state.status === 'stored' && state.versions.length >= maxVersions) return exhausted(state.name);
      const version = state.status === 'absent' ? 1 : state.newest + 1;
      return [{ type: 'EdgeSecretStored', data: { ...command.data, version } }];
    }
    case 'RemoveEdgeSecret': {
      if (state.status === 'absent') return reject('EdgeSecretNotFound', 'This department has no such secret.');
      if (state.status === 'removed') return [];
      const keyIds = state.versions.map((each) => each.keyId);
      return [{ type: 'EdgeSecretRemoved', data: { name: state.name, version: state.newest, keyIds } }];
    }
    case 'ConfirmEdgeSecretShred': {
      if (state.status === 'absent') return [];
      const keyIds = command.data.keyIds.filter((each) => state.doomedKeyIds.includes(each));
      return keyIds.length === 0 ? [] : [{ type: 'EdgeSecretShredded', data: { keyIds } }];
    }
  }
};

const exhausted = (name: string) =>
  reject(
    'SecretVersionsExhausted',
    `${name} has ${maxVersions} versions. Remove it and store it again: that ends the old ones.`,
  );
