import { maskText } from '../domain/masking.ts';

const longest = 160;

/** What a client calls itself, for its owner to know it again: one line, cut, and without what looks like a secret. */
export const userAgentOf = (header: string): string =>
  maskText(header.slice(0, longest * 4).replaceAll(/[^\x20-\x7e]+/g, ' '))
    .trim()
    .slice(0, longest);
