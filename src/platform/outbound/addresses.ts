import ipaddr from 'ipaddr.js';

export type AddressRange = { readonly base: ipaddr.IPv4 | ipaddr.IPv6; readonly bits: number };
export type AddressRules = {
  /** What kind of address this is when it must not be connected to; undefined when it may be. */
  readonly whyRefused: (address: string) => string | undefined;
};

/** `10.0.0.0/8`, `fd00::/8`, or one address; undefined for anything else. */
export const parseRange = (text: string): AddressRange | undefined => {
  const trimmed = text.trim();
  if (!/^[0-9a-fA-F:.]+(?:\/\d{1,3})?$/.test(trimmed)) return undefined;
  try {
    if (trimmed.includes('/')) {
      const [base, bits] = ipaddr.parseCIDR(trimmed);
      return { base, bits };
    }
    // Without shortened and octal spellings, of which nobody knows how another program reads them.
    if (!ipaddr.IPv4.isValidFourPartDecimal(trimmed) && !ipaddr.IPv6.isValid(trimmed)) return undefined;
    const base = ipaddr.parse(trimmed);
    return { base, bits: base.kind() === 'ipv4' ? 32 : 128 };
  } catch {
    return undefined;
  }
};

const isIn = (address: ipaddr.IPv4 | ipaddr.IPv6, { base, bits }: AddressRange): boolean =>
  address.kind() === base.kind() && address.match(base, bits);

const globalUnicast = ipaddr.IPv6.parse('2000::');
const wellKnownNat64 = ipaddr.IPv6.parse('64:ff9b::');

/** The IPv4 address that a packet to this IPv6 address ends up at, where that is known. */
const embedded = (address: ipaddr.IPv6): ipaddr.IPv4 | undefined => {
  const bytes = address.toByteArray();
  switch (address.range()) {
    case 'ipv4Mapped':
      return new ipaddr.IPv4(bytes.slice(12));
    case 'rfc6052':
      return address.match(wellKnownNat64, 96) ? new ipaddr.IPv4(bytes.slice(12)) : undefined;
    case '6to4':
      return new ipaddr.IPv4(bytes.slice(2, 6));
    default:
      return undefined;
  }
};

const kindOf = (address: ipaddr.IPv4 | ipaddr.IPv6): string | undefined => {
  const range = address.range();
  if (range !== 'unicast') return range;
  // What is not handed out yet is nobody's, or somebody's own.
  return address instanceof ipaddr.IPv6 && !address.match(globalUnicast, 3) ? 'reserved' : undefined;
};

/** Only what is on the public internet, and what the operator allows beside it. */
export const createAddressRules = (allowed: readonly AddressRange[]): AddressRules => ({
  whyRefused: (text) => {
    if (!ipaddr.isValid(text)) return 'no address';
    const address = ipaddr.parse(text);
    const inner = address instanceof ipaddr.IPv6 ? embedded(address) : undefined;
    if (allowed.some((range) => isIn(address, range) || (inner !== undefined && isIn(inner, range)))) return undefined;
    return kindOf(inner ?? address);
  },
});
