import { z } from 'zod';

// The rules of texts that requests bring. Those for people have one spelling, so that what looks equal is equal: Unicode NFC,
// no white space at the ends. Texts for programs are kept as they are. What is refused is never mended.

const halfPair = /\p{Surrogate}/u;
export const isWellFormed = (text: string): boolean => !halfPair.test(text);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it must find
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of them but tabs and ends of lines
const controlsInLines = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]/;
/** They make a text look like another one. */
const directions = /[\u202a-\u202e\u2066-\u2069]/;
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

const oneSpelling = (text: string): string => text.normalize('NFC').trim();

const forPeople = (maximum: number, unwanted: RegExp) =>
  z
    .string()
    // Another spelling of the same may be longer; counted are code points.
    .max(maximum * 4)
    .transform(oneSpelling)
    .pipe(
      z
        .string()
        .max(maximum)
        .refine((text) => isWellFormed(text) && !unwanted.test(text), 'Control characters are not allowed.')
        .refine((text) => !directions.test(text), 'Marks of writing direction are not allowed.'),
    );

const spelling = 'It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused.';

/** What the description of a name has to say. */
export const nameRule = `1 to 100 characters on one line, one of them visible. ${spelling}`;
export const lineRule = (maximum: number): string => `At most ${maximum} characters on one line. ${spelling}`;
const linesRule = (maximum: number): string =>
  `At most ${maximum} characters, on several lines if need be. ${spelling}`;

export const nameField = forPeople(100, controls)
  .refine((text) => visible.test(text), 'Something in it must be visible.')
  .meta({ description: `A name for people. ${nameRule}`, examples: ['Payments'] });

export const lineField = (maximum: number, about: string) =>
  forPeople(maximum, controls).meta({ description: `${about} ${lineRule(maximum)}` });

export const linesField = (maximum: number, about: string) =>
  forPeople(maximum, controlsInLines).meta({ description: `${about} ${linesRule(maximum)}` });
