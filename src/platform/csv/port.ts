/** Rows as CSV after RFC 4180; what a spreadsheet would take for a formula is put behind an apostrophe. */
export type Csv = (rows: readonly (readonly (string | number)[])[]) => string;
