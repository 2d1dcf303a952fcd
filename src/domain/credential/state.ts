import type { CredentialDetails } from './details.ts';
import type { CredentialEvent } from './events.ts';

export type KnownCredential = {
  readonly status: 'active' | 'deleted';
  readonly workspaceId: string;
  /** `''`: of the whole workspace. */
  readonly departmentId: string;
  readonly name: string;
  readonly description: string;
  /** Counts the names it has had, and those that it never got. */
  readonly tenure: number;
  /** The newest tenure that will never begin; 0 for none. */
  readonly forfeited: number;
  readonly details: CredentialDetails;
  readonly version: number;
  readonly digest: string;
  /** The data key of the newest value. The value itself stays sealed in the log. */
  readonly keyId: string;
  /** Data keys of values of before that are not yet known to be destroyed. */
  readonly doomedKeyIds: readonly string[];
};

export type Credential = { readonly status: 'absent'; readonly forfeited: number } | KnownCredential;

export const initial: Credential = { status: 'absent', forfeited: 0 };

export const evolve = (state: Credential, event: CredentialEvent): Credential => {
  if (event.type === 'CredentialCreated') {
    const { encryptedData: _, ...known } = event.data;
    return { ...known, status: 'active', tenure: 1, forfeited: 0, version: 1, doomedKeyIds: [] };
  }
  if (event.type === 'CredentialClaimForfeited') {
    return { ...state, forfeited: Math.max(state.forfeited, event.data.tenure) };
  }
  if (state.status === 'absent') return state;
  switch (event.type) {
    case 'CredentialReplaced': {
      const { details, keyId, digest, version, replacedKeyId } = event.data;
      return { ...state, details, keyId, digest, version, doomedKeyIds: [...state.doomedKeyIds, replacedKeyId] };
    }
    case 'CredentialRenamed':
      return { ...state, name: event.data.name, tenure: event.data.tenure };
    case 'CredentialDescribed':
      return { ...state, description: event.data.description };
    case 'CredentialDeleted':
      return { ...state, status: 'deleted', doomedKeyIds: [...state.doomedKeyIds, ...event.data.keyIds] };
    case 'CredentialShredded': {
      const { keyIds } = event.data;
      return { ...state, doomedKeyIds: state.doomedKeyIds.filter((each) => !keyIds.includes(each)) };
    }
    default:
      event satisfies never;
      return state;
  }
};
