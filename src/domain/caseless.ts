/**
 * The same for all spellings of a name that people take for one: Unicode's full case folding (`Straße` and `STRASSE`, both
 * small sigmas) of NFC, where `ı` is `i` as well, since both have the same capital letter. One capital form is not enough:
 * `ẞ` has `ß` below it, and that has `SS` above it. Every sign counts by itself, whatever is next to it.
 */
export const caseless = (text: string): string =>
  text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
