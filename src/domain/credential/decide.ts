import { caseless } from '../caseless.ts';
import { type Decision, type Message, reject } from '../kernel.ts';
import type { CredentialEvent, CredentialValue, DeletionReason } from './events.ts';
import type { Credential, KnownCredential } from './state.ts';

export type CredentialCommand =
  | Message<
      'CreateCredential',
      CredentialValue & { workspaceId: string; departmentId: string; name: string; description: string }
    >
  | Message<'ReplaceCredential', CredentialValue>
  /** `tenure` as `nextTenure` says: it names the hold of the name that was made for this. */
  | Message<'RenameCredential', { name: string; tenure: number }>
  | Message<'DescribeCredential', { description: string }>
  | Message<'DeleteCredential', { reason: DeletionReason }>
  | Message<'ConfirmCredentialShred', { keyIds: readonly string[] }>
  /** Somebody else wants the name that was claimed for this tenure, and nothing came of the claim yet. */
  | Message<'ForfeitCredentialClaim', { tenure: number }>;

export type CredentialRejection = 'CredentialNotFound' | 'CredentialExists' | 'CredentialKindFixed';

export const decide = (
  command: CredentialCommand,
  state: Credential,
): Decision<CredentialEvent, CredentialRejection> => {
  switch (command.type) {
    case 'CreateCredential':
      if (state.status === 'absent') {
        return state.forfeited === 0 ? [{ type: 'CredentialCreated', data: command.data }] : forestalled();
      }
      return state.status === 'active' && state.digest === command.data.digest && state.name === command.data.name
        ? []
        : reject('CredentialExists', 'This credential exists with another name or value.', { field: 'name' });
    case 'ForfeitCredentialClaim': {
      const { tenure } = command.data;
      const isToCome = tenure > (state.status === 'absent' ? 0 : state.tenure) && tenure > state.forfeited;
      return isToCome ? [{ type: 'CredentialClaimForfeited', data: { tenure } }] : [];
    }
    case 'DeleteCredential':
      if (state.status === 'absent') return notFound();
      if (state.status === 'deleted') return [];
      return [
        {
          type: 'CredentialDeleted',
          data: { name: state.name, reason: command.data.reason, keyIds: [state.keyId] },
        },
      ];
    case 'ConfirmCredentialShred': {
      if (state.status === 'absent') return [];
      const keyIds = command.data.keyIds.filter((each) => state.doomedKeyIds.includes(each));
      return keyIds.length === 0 ? [] : [{ type: 'CredentialShredded', data: { keyIds } }];
    }
    default:
      return state.status === 'active' ? amend(command, state) : notFound();
  }
};

type Amendment = Extract<
  CredentialCommand,
  { readonly type: 'ReplaceCredential' | 'RenameCredential' | 'DescribeCredential' }
>;

const amend = (command: Amendment, state: KnownCredential): Decision<CredentialEvent, CredentialRejection> => {
  switch (command.type) {
    case 'ReplaceCredential':
      return replace(command.data, state);
    case 'RenameCredential': {
      const { name, tenure } = command.data;
      // Somebody else renamed it since the caller looked: the hold was made for another name to follow, so look again.
      if (name === state.name || tenure !== nextTenure(state, name)) return [];
      return [{ type: 'CredentialRenamed', data: { name, previousName: state.name, tenure } }];
    }
    case 'DescribeCredential': {
      const { description } = command.data;
      return description === state.description ? [] : [{ type: 'CredentialDescribed', data: { description } }];
    }
  }
};

const forestalled = () =>
  reject('CredentialExists', 'Somebody else took its name before it came to be.', { field: 'name' });

/** The tenure under which a name is held. Spelling it in another case goes on with the hold that there is. */
export const nextTenure = (state: Pick<KnownCredential, 'name' | 'tenure' | 'forfeited'>, name: string): number =>
  caseless(name) === caseless(state.name) ? state.tenure : Math.max(state.tenure, state.forfeited) + 1;

const replace = (
  value: Readonly<CredentialValue>,
  state: KnownCredential,
): Decision<CredentialEvent, CredentialRejection> => {
  const { kind } = state.details;
  if (value.details.kind !== kind) {
    return reject('CredentialKindFixed', `This credential is of the kind ${kind} and stays so. Create another one.`, {
      field: 'value.kind',
      details: { kind },
    });
  }
  const isSame = value.digest === state.digest && sameDetails(value.details, state.details);
  const { version, keyId: replacedKeyId } = state;
  return isSame ? [] : [{ type: 'CredentialReplaced', data: { ...value, version: version + 1, replacedKeyId } }];
};

/** Of one kind, so their fields come in one order or another but are the same ones. */
const sameDetails = (left: object, right: object): boolean => {
  const shown = (details: object) => JSON.stringify(Object.entries(details).sort(([a], [b]) => (a < b ? -1 : 1)));
  return shown(left) === shown(right);
};

const notFound = () => reject('CredentialNotFound', 'There is no such credential in this workspace.');
