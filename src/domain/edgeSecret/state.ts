import type { EdgeSecretEvent } from './events.ts';

/** A version that can be read, without its value: that stays sealed in the log. */
export type SecretVersion = { readonly version: number; readonly digest: string; readonly keyId: string };

export type KnownSecret = {
  readonly status: 'stored' | 'removed';
  readonly companyId: string;
  readonly departmentId: string;
  readonly name: string;
  /** The newest version that ever was. */
  readonly newest: number;
  /** Those that can be read, oldest first; none once the secret was removed. */
  readonly versions: readonly SecretVersion[];
  /** Data keys of removed values that are not yet known to be destroyed. */
  readonly doomedKeyIds: readonly string[];
};

export type EdgeSecret = { readonly status: 'absent' } | KnownSecret;

export const initial: EdgeSecret = { status: 'absent' };

export const evolve = (state: EdgeSecret, event: EdgeSecretEvent): EdgeSecret => {
  if (event.type === 'EdgeSecretStored') {
    const { companyId, departmentId, name, version, digest, keyId } = event.data;
    const before = state.status === 'absent' ? { versions: [], doomedKeyIds: [] } : state;
    return {
      ...{ status: 'stored', companyId, departmentId, name, newest: version },
      versions: [...before.versions, { version, digest, keyId }],
      doomedKeyIds: before.doomedKeyIds,
    };
  }
  if (state.status === 'absent') return state;
  switch (event.type) {
    case 'EdgeSecretRemoved':
      return {
        ...{ ...state, status: 'removed', versions: [] },
        doomedKeyIds: [...state.doomedKeyIds, ...event.data.keyIds],
      };
    case 'EdgeSecretShredded': {
      const { keyIds } = event.data;
      return { ...state, doomedKeyIds: state.doomedKeyIds.filter((each) => !keyIds.includes(each)) };
    }
    default:
      event satisfies never;
      return state;
  }
};

export const newestVersion = (state: EdgeSecret): SecretVersion | undefined =>
  state.status === 'stored' ? state.versions.at(-1) : undefined;

/** Can this very version still be read? */
export const hasVersion = (state: EdgeSecret, { version, digest }: { version: number; digest: string }): boolean =>
  state.status === 'stored' && state.versions.some((each) => each.version === version && each.digest === digest);
