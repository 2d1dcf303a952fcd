/** At most `length` characters, never half of one. Only for words to be read: an id or a name to look up is never cut. */
export const cut = (text: string, length: number): string =>
  text.length <= length ? text : [...text].slice(0, length).join('');

/** What is "not there" is '' in a table and null in an answer. */
export const orNull = (text: string): string | null => (text === '' ? null : text);
