import { z } from 'zod';
import { idField, secretText } from './fields.ts';
import { isWellFormed, linesField, nameField, nameRule } from './texts.ts';

const userName = z
  .string()
  .max(128)
  .regex(/^[^\s:\p{C}]+$/u, 'A user name without spaces and colons.')
  .refine(isWellFormed, 'Not well-formed text.')
  .meta({ description: 'Who signs in with it; kept as it is.', examples: ['deploy'] });

const provider = z
  .string()
  .max(63)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'Lower-case letters, digits and inner dashes, 63 at most.')
  .meta({ description: 'Whose token it is.', examples: ['cloudflare'] });

const registry = z
  .string()
  .max(253)
  .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/, 'A host name in lower case, with a port when it has one.')
  .meta({ description: 'Host of the registry.', examples: ['ghcr.io'] });

const fieldName = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
const maxFields = 20;
const fieldBytes = 8 * 1024;
const allBytes = 32 * 1024;
const sizeOf = (fields: Readonly<Record<string, string>>): number =>
  Object.values(fields).reduce((sum, value) => sum + Buffer.byteLength(value), 0);

const fields = z
  .record(
    z.string().regex(fieldName, 'Letters, digits, _, . and -, not beginning with a digit, 64 at most.'),
    secretText(fieldBytes, `Up to ${fieldBytes} bytes, kept as they are.`),
  )
  .refine((given) => Object.keys(given).length > 0, 'Give one field or more.')
  .refine((given) => Object.keys(given).length <= maxFields, `At most ${maxFields} fields.`)
  .refine((given) => sizeOf(given) <= allBytes, `At most ${allBytes} bytes in all.`)
  .meta({ description: `Up to ${maxFields} fields by name; the names can be seen, the values never.` });

const sshKey = z
  .strictObject({
    kind: z.literal('sshKey'),
    userName,
    privateKey: secretText(16 * 1024, 'In OpenSSH or PEM format, kept without white space at its ends.').optional(),
    passphrase: secretText(1_024, 'Of the private key, kept as it is.').optional(),
    generate: z
      .literal(true)
      .optional()
      .meta({ description: 'Make an Ed25519 pair here: the public key is answered, the private one never.' }),
  })
  .refine(({ privateKey, generate }) => (privateKey === undefined) === (generate === true), {
    path: ['privateKey'],
    message: 'Give a private key, or have one generated.',
  })
  .refine(({ passphrase, generate }) => passphrase === undefined || generate === undefined, {
    path: ['passphrase'],
    message: 'A key that is generated has no passphrase.',
  });

/** A value with its kind; what is secret in it is write-only. */
export const credentialValueField = z
  .discriminatedUnion('kind', [
    sshKey,
    z.strictObject({
      kind: z.literal('sshPassword'),
      userName,
      password: secretText(1_024, 'Up to 1 KiB, kept as it is.'),
    }),
    z.strictObject({
      kind: z.literal('apiToken'),
      provider,
      token: secretText(8 * 1024, 'Up to 8 KiB, kept as it is.'),
    }),
    z.strictObject({
      kind: z.literal('registryLogin'),
      ...{ registry, userName, password: secretText(8 * 1024, 'Password or token, kept as it is.') },
    }),
    z.strictObject({ kind: z.literal('generic'), fields }),
  ])
  .meta({ id: 'CredentialValue' });
export type CredentialInput = z.output<typeof credentialValueField>;

const descriptionField = linesField(500, 'For people. No secrets: it can be seen.');

export const createCredentialSchema = z.strictObject({
  name: nameField.meta({
    description: `Unique in the workspace, whatever its case, so that ß is SS, and ı is i. ${nameRule}`,
    examples: ['deploy key'],
  }),
  description: descriptionField.default(''),
  departmentId: idField.optional().meta({ description: 'Only for this department; else for the whole workspace.' }),
  value: credentialValueField,
});
export type NewCredential = z.output<typeof createCredentialSchema>;

export const replaceCredentialSchema = z.strictObject({ value: credentialValueField });
export const renameCredentialSchema = z.strictObject({ name: nameField });
export const describeCredentialSchema = z.strictObject({ description: descriptionField });
