import { fewNaughtyTexts } from '../support/naughtyTexts.ts';
import type { Schema } from './described.ts';
import { textFields } from './textFields.ts';
import { matrixBody, seen, type TextFixture, type TextPlace } from './textFixture.ts';
import { plainValues } from './textsOfSecrets.ts';

// Strings that are one of a few, or that a pattern takes: ids, words, dates. Whatever else comes is refused by name.

/** Would pollute an object; it is refused before anything is looked at. */
const forbidden = new Set(['__proto__', 'constructor', 'prototype']);

const isTaken = ({ enum: choices, const: only, pattern }: Schema, text: string): boolean => {
  if (only !== undefined) return only === text;
  if (Array.isArray(choices)) return choices.includes(text);
  return typeof pattern === 'string' && new RegExp(pattern, 'u').test(text);
};

/** Right in all else: of `value(apiToken).provider`, one of that kind. */
const bodyOf = (operation: string, way: string, place: TextPlace): object => {
  const [, kind] = /^value\((\w+)\)/.exec(way) ?? [];
  const value = kind === undefined ? undefined : plainValues.get(kind);
  return { ...matrixBody(operation, place.own), ...(value && { value }) };
};

export const choiceTexts = (place: TextPlace): readonly TextFixture[] =>
  textFields()
    .filter(({ kind }) => kind === 'closed')
    .map(({ operation: { id }, way, schema }) => ({
      operation: id,
      texts: fewNaughtyTexts.filter((text) => !isTaken(schema, text) && !forbidden.has(text)),
      body: () => bodyOf(id, way, place),
      fields: { [way]: seen((text) => (isTaken(schema, text) ? text : undefined)) },
    }));
