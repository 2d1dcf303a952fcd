import { z } from 'zod';
import { idField } from '../commands/fields.ts';
import { credentialKinds } from '../domain/credential/index.ts';

const time = z.iso.datetime().meta({ description: 'RFC 3339, UTC.' });

export const kindField = z.enum(credentialKinds);

/** The readable parts of each kind. */
export const credentialDetails = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('sshKey'),
      userName: z.string(),
      keyType: z.string(),
      publicKey: z.string().meta({ description: 'A line of `authorized_keys`.' }),
      fingerprint: z.string().meta({ description: 'As `ssh-keygen -l` shows it.' }),
      isGenerated: z.boolean().meta({ description: 'Made here: nobody has ever seen the private key.' }),
    }),
    z.strictObject({ kind: z.literal('sshPassword'), userName: z.string() }),
    z.strictObject({ kind: z.literal('apiToken'), provider: z.string() }),
    z.strictObject({ kind: z.literal('registryLogin'), registry: z.string(), userName: z.string() }),
    z.strictObject({ kind: z.literal('generic'), fieldNames: z.array(z.string()) }),
  ])
  .meta({ id: 'CredentialDetails', description: 'What may be known of the value.' });

const version = z.number().int().min(1).meta({ description: 'Counts the values of this credential from 1.' });
const digest = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .meta({ description: 'Of the value, keyed: equal values of this credential have equal digests.' });
const named = {
  id: idField,
  workspaceId: idField,
  departmentId: idField.nullable().meta({ description: 'Only for this department; null: the whole workspace.' }),
  name: z.string(),
  kind: kindField,
};

export const writtenCredential = z
  .strictObject({ ...named, description: z.string(), details: credentialDetails, version, digest })
  .meta({ id: 'WrittenCredential' });

const forAdministrators = 'Null for whoever is not an administrator.';

export const credential = z
  .strictObject({
    ...named,
    description: z.string().nullable().meta({ description: forAdministrators }),
    details: credentialDetails.nullable().meta({ description: forAdministrators }),
    version: version.nullable().meta({ description: forAdministrators }),
    digest: digest.nullable().meta({ description: forAdministrators }),
    storedBy: z.string().nullable(),
    storedAt: time.nullable(),
    lastUse: z
      .strictObject({ at: time, purpose: z.string(), subjectId: z.string() })
      .nullable()
      .meta({ description: 'To the hour; null when it was never used.' }),
    createdAt: time,
  })
  .meta({ id: 'Credential' });
