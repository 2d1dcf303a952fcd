import type { CredentialDetails } from '../domain/credential/index.ts';

type DetailsOf<Kind extends CredentialDetails['kind']> = Extract<CredentialDetails, { readonly kind: Kind }>;

/** A credential that is open. Its secret parts are bytes, which are overwritten when the use ends: keep none of them. */
export type OpenedCredential =
  | (DetailsOf<'sshKey'> & { readonly privateKey: Buffer; readonly passphrase: Buffer | undefined })
  | (DetailsOf<'sshPassword'> & { readonly password: Buffer })
  | (DetailsOf<'apiToken'> & { readonly token: Buffer })
  | (DetailsOf<'registryLogin'> & { readonly password: Buffer })
  | (DetailsOf<'generic'> & { readonly fields: Readonly<Record<string, Buffer>> });

/** Undefined when a part that this kind needs is not there. The bytes are those of `secrets`, not copies. */
export const openedCredential = (
  details: CredentialDetails,
  secrets: ReadonlyMap<string, Buffer>,
): OpenedCredential | undefined => {
  switch (details.kind) {
    case 'sshKey': {
      const privateKey = secrets.get('privateKey');
      return privateKey && { ...details, privateKey, passphrase: secrets.get('passphrase') };
    }
    case 'sshPassword': {
      const password = secrets.get('password');
      return password && { ...details, password };
    }
    case 'apiToken': {
      const token = secrets.get('token');
      return token && { ...details, token };
    }
    case 'registryLogin': {
      const password = secrets.get('password');
      return password && { ...details, password };
    }
    case 'generic':
      return { ...details, fields: Object.fromEntries(secrets) };
  }
};
