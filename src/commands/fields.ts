import { z } from 'zod';
import { isWellFormed } from './texts.ts';

// Shapes that several commands share.

export const slugField = z
  .string()
  .max(63)
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'Lower-case letters, digits and inner dashes, 63 at most.')
  .meta({ description: 'A short name for URLs and commands.', examples: ['payments'] });

export const emailField = z
  .string()
  .max(254)
  .transform((value) => value.normalize('NFC').trim().toLowerCase())
  .pipe(z.email())
  .meta({
    description: 'Kept and compared in lower case and Unicode NFC, without white space at its ends.',
    examples: ['ada@example.com'],
  });

/**
 * Marks a field of a request that holds a secret: never shown again. The canary tests send one in each field that is marked,
 * and look for it everywhere.
 */
export const secretInput = { writeOnly: true, format: 'password' } as const;
/** Marks a field of an answer that gives a secret away, once. */
export const secretAnswer = { 'x-opslog-secret': true } as const;

export const passwordField = z
  .string()
  .min(12)
  .max(256)
  .refine(isWellFormed, 'Not well-formed text.')
  .meta({ ...secretInput, description: 'At least 12 characters, each taken as it is.' });

/** One that somebody says he has: whatever was taken once is taken here. */
export const knownPasswordField = z
  .string()
  .min(1)
  .max(256)
  .refine(isWellFormed, 'Not well-formed text.')
  .meta(secretInput);

/** A secret that is sealed: any text that the environment of a process can hold. */
export const secretText = (maximum: number, description: string) =>
  z
    .string()
    .min(1)
    .max(maximum)
    .refine(isWellFormed, 'Not well-formed text.')
    .refine((value) => !value.includes('\0'), 'The character NUL is not allowed.')
    .refine((value) => Buffer.byteLength(value) <= maximum, `At most ${maximum} bytes.`)
    .meta({ ...secretInput, description: `${description} Never shown again.` });

export const roleField = z.enum(['OWNER', 'ADMIN', 'MEMBER', 'VIEWER']);

export const idField = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'Not an id.')
  .meta({ format: 'uuid' });

/**
 * Marks a field that names something of the tenant's and is no UUID, by the name that a path gives the same thing: what is
 * made from the description of the API, tests above all, finds it by this.
 */
export const identifies = (name: 'revision' | 'name') => ({ 'x-opslog-identifier': name });
