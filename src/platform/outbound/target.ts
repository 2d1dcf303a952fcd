import { isIP } from 'node:net';
import type { AddressRules } from './addresses.ts';

export type Target =
  | { readonly ok: true; readonly url: URL; readonly host: string }
  | { readonly ok: false; readonly code: 'url_refused' | 'address_refused'; readonly why: string };

const maxLength = 2_048;
const refused = (why: string): Target => ({ ok: false, code: 'url_refused', why });

/**
 * What a URL leads to, read once as the socket will read it: the parser of the standard turns every spelling of an IPv4
 * address, decimal, octal or hexadecimal, into the one with four parts.
 */
export const readTarget = (text: string, rules: AddressRules, allowHttp: boolean): Target => {
  if (text.length > maxLength) return refused(`A URL has ${maxLength} characters at most.`);
  // A parser that forgives is one that somebody else reads differently.
  if (/[^\x21-\x7e]|\\/.test(text)) return refused('A URL has no spaces, backslashes or characters beyond ASCII.');
  if (!URL.canParse(text)) return refused('This is no URL.');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refused('Only https:// is asked.');
  if (url.protocol === 'http:' && !allowHttp)
    return refused('Only https:// is asked here; this would be read on its way.');
  if (url.username !== '' || url.password !== '') return refused('A URL with a user name or password is not asked.');
  if (url.hash !== '') return refused('A URL with a fragment is not asked.');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (host === '' || host === '.') return refused('The URL names no host.');
  const why = isIP(host) === 0 ? undefined : rules.whyRefused(host);
  if (why !== undefined) return { ok: false, code: 'address_refused', why: `The address is ${why}: it is not asked.` };
  // Mail, shells and databases listen below and speak no HTTP.
  const isUsual = ['', '80', '443'].includes(url.port) || Number(url.port) >= 1_024;
  return isUsual ? { ok: true, url, host } : refused('Below 1024 only the ports 80 and 443 are asked.');
};
