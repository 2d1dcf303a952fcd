import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Whom the limits for strangers count. Behind a proxy that is trusted it is what the nearest one says, the last entry of
 * X-Forwarded-For: the others are the caller's own word. A whole /64 of IPv6 is one, because it belongs to one.
 */
export const addressOf = (raw: IncomingMessage, trustForwarded: boolean): string =>
  // Without the port that some proxies write: with it, every connection would be somebody new.
  networkOf(ipOf(raw, trustForwarded) || nearestOf(raw, trustForwarded));

/** The caller's IP address for the audit trail, without port or zone; '' when a proxy told something else. */
export const ipOf = (raw: IncomingMessage, trustForwarded: boolean): string => {
  const nearest = nearestOf(raw, trustForwarded);
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(nearest) ?? [];
  const address = (bracketed ?? dotted ?? nearest).toLowerCase().replace(/%.*$/, '');
  const mapped = address.replace(/^::ffff:(?=\d+\.)/, '');
  return isIP(mapped) === 0 ? '' : mapped;
};

const nearestOf = ({ headers, socket }: IncomingMessage, trustForwarded: boolean): string => {
  const told = trustForwarded ? headers['x-forwarded-for'] : undefined;
  const nearest = typeof told === 'string' ? told.slice(told.lastIndexOf(',') + 1).trim() : '';
  return nearest === '' ? (socket.remoteAddress ?? '') : nearest.slice(0, 64);
};

/** The address, or the /64 of one of IPv6. */
export const networkOf = (address: string): string => {
  if (!address.includes(':') || address.includes('.')) return address;
  const [front = [], back] = address.split('::', 2).map((half) => half.split(':').filter((group) => group !== ''));
  const missing = back === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const groups = [...front, ...Array.from({ length: missing }, () => '0'), ...(back ?? [])];
  return `${groups
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
};
