/** Zones that never belong to anybody (RFC 6761, RFC 3172), and this machine itself. */
const reservedZones = ['localhost', 'invalid', 'arpa'] as const;

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

export type HostnameProblem = { readonly code: 'DomainNameInvalid' | 'DomainNameReserved'; readonly reason: string };

const invalid = (reason: string): HostnameProblem => ({ code: 'DomainNameInvalid', reason });
const reserved = (reason: string): HostnameProblem => ({ code: 'DomainNameReserved', reason });

/** What keeps a text from being a name before it is brought to its ASCII form: that would read something into it. */
export const hostnameProblem = (text: string): HostnameProblem | undefined => {
  if (text.includes('*')) {
    return invalid('A wildcard would also take names that nobody listed. Attach each name by itself.');
  }
  if (/[\s/:@?#%\\[\]|<>^"`{}]/.test(text)) {
    return invalid('Give the host name alone, as in www.example.com: no scheme, port, path or space.');
  }
  return undefined;
};

/**
 * Rules of a host name in its ASCII form (RFC 1123, RFC 5890): `base` is the domain below which every worker answers at
 * its own host, which nobody may claim.
 */
export const checkHostname = (hostname: string, base: string): HostnameProblem | undefined => {
  const labels = hostname.split('.');
  if (hostname === '' || hostname.length > 253) return invalid('A host name has 1 to 253 characters.');
  if (labels.some((each) => !label.test(each))) {
    return invalid('Each part of a host name has 1 to 63 letters, digits and hyphens, and no hyphen at its ends.');
  }
  const last = labels.at(-1) ?? '';
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(last)) return invalid('An IP address is no host name.');
  const zone = reservedZones.find((each) => each === last);
  if (zone !== undefined) return reserved(`Names below ${zone} are reserved and cannot be attached.`);
  if (labels.length < 2) return invalid('A host name has at least two parts, as in example.com.');
  if (hostname === base) return reserved(`Workers answer below ${base}: the name itself cannot be attached.`);
  if (hostname.endsWith(`.${base}`) && /^dw-[0-9a-f]+$/.test(labels[0] ?? '')) {
    return reserved('This is the host of a script: a worker has it without attaching it.');
  }
  return undefined;
};
