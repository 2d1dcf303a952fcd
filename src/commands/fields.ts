import { z } from 'zod';

/** Shapes that several commands share. Texts are trimmed and in Unicode NFC, so that what looks equal is equal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it must find
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
/** They make a name look like another one. */
const directions = /[\u202a-\u202e\u2066-\u2069]/;
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

const halfPair = /\p{Surrogate}/u;
export const isWellFormed = (text: string): boolean => !halfPair.test(text);

const text = (maximum: number) =>
  z
    .string()
    .max(maximum * 4)
    .transform((value) => value.normalize('NFC').trim())
    .pipe(
      z
        .string()
        .min(1)
        .max(maximum)
        .refine((value) => isWellFormed(value) && !controls.test(value), 'Control characters are not allowed.')
        .refine((value) => !directions.test(value), 'Marks of writing direction are not allowed.')
        .refine((value) => visible.test(value), 'Something in it must be visible.'),
    );

export const nameField = text(100).meta({ description: 'A name for people.', examples: ['Payments'] });

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
  .meta({ description: 'Compared in lower case.', examples: ['ada@example.com'] });

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
  .meta({ ...secretInput, description: 'At least 12 characters.' });

/** One that somebody says he has: whatever was taken once is taken here. */
export const knownPasswordField = z.string().min(1).max(256).meta(secretInput);

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
