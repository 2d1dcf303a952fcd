import { lookup as systemLookup } from 'node:dns/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Clock } from '../clock/port.ts';
import { type AddressRange, createAddressRules } from './addresses.ts';
import { exchange } from './exchange.ts';
import { failedBy, OutboundRefused } from './failure.ts';
import type { Outbound, OutboundRequest } from './port.ts';
import { readTarget } from './target.ts';

export type Resolve = (hostname: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

export type OutboundOptions = {
  readonly clock: Clock;
  /** Ranges that may be connected to although they are not public. */
  readonly allow: readonly AddressRange[];
  /** http:// beside https://. */
  readonly allowHttp: boolean;
  readonly resolve?: Resolve;
  /** Authorities to trust in place of the usual ones, in PEM. */
  readonly ca?: string;
  /** Connections to one host and port at a time; 16 when not given. */
  readonly perTarget?: number;
  /** Bytes of an answer that are read; 64 KiB when not given. */
  readonly maxBytes?: number;
};

const resolveBySystem: Resolve = (hostname) => systemLookup(hostname, { all: true, verbatim: true });

/** Connections are not kept: each is a look-up of its own, so that no check is older than its connection. */
export const createOutbound = (options: OutboundOptions): Outbound => {
  const { clock, allow, allowHttp, resolve = resolveBySystem, ca, perTarget = 16, maxBytes = 64 * 1024 } = options;
  const rules = createAddressRules(allow);
  const lookup = guardedLookup(resolve, rules.whyRefused);
  // Agents of its own: those of the process may have been told to use a proxy.
  const pool = { keepAlive: false, maxSockets: perTarget, maxTotalSockets: 256 };
  const agents = {
    'http:': new HttpAgent(pool),
    'https:': new HttpsAgent({ ...pool, rejectUnauthorized: true, minVersion: 'TLSv1.2', ...(ca && { ca }) }),
  };
  return {
    check: (url) => {
      const target = readTarget(url, rules, allowHttp);
      return target.ok ? undefined : target.why;
    },
    send: async (request: OutboundRequest, signal) => {
      const startedAt = clock.now();
      const target = readTarget(request.url, rules, allowHttp);
      if (!target.ok) return { outcome: 'failed', code: target.code, detail: target.why, durationMs: 0 };
      const agent = target.url.protocol === 'http:' ? agents['http:'] : agents['https:'];
      try {
        return await exchange({ clock, request, target, agent, lookup, maxBytes, startedAt }, signal);
      } catch (error) {
        return { ...failedBy(error), durationMs: clock.now() - startedAt };
      }
    },
  };
};

/** The look-up of the socket itself: what it answers is what is connected to, so a name that changes gains nothing. */
const guardedLookup = (resolve: Resolve, whyRefused: (address: string) => string | undefined): LookupFunction => {
  const find = async (hostname: string) => {
    const found = await resolve(hostname);
    const fit = found.filter(({ address }) => whyRefused(address) === undefined);
    const [first] = found;
    if (first !== undefined && fit.length === 0) {
      // The kind of address, and not the address: it would tell what the names inside lead to.
      throw new OutboundRefused(`The name leads to an address that is ${whyRefused(first.address)}: it is not asked.`);
    }
    return fit;
  };
  return (hostname, { all, family }, answer) => {
    find(hostname).then(
      (found) => {
        const wanted = found.filter((each) => (family !== 4 && family !== 6 ? true : each.family === family));
        const [first] = wanted;
        if (first === undefined) answer(new Error('The name leads to no address.'), '', 0);
        else if (all === true)
          answer(
            null,
            wanted.map(({ address, family: of }) => ({ address, family: of })),
          );
        else answer(null, first.address, first.family);
      },
      (error: unknown) => answer(error instanceof Error ? error : new Error(String(error)), '', 0),
    );
  };
};
