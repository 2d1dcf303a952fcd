/** At most `length` characters, never half of one. Only for words to be read: an id or a name to look up is never cut. */
export const cut = (text: string, length: number): string =>
  text.length <= length ? text : [...text].slice(0, length).join('');

/** What is "not there" is '' in a table and null in an answer. */
export const orNull = (text: string): string | null => (text === '' ? null : text);

/**
 * What a text is searched by: the same for spellings that differ in case alone. A small sigma has two forms, one of them at
 * the end of a word, where a part of the word does not have it.
 */
export const searchable = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
