import { resolve4, resolve6 } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';

export type Dns = {
  /** Addresses of a name, none when it has none. Throws when nobody can tell. */
  resolve(hostname: string): Promise<readonly string[]>;
  /** Addresses of this machine. */
  own(): readonly string[];
};

const noAddress = new Set(['ENOTFOUND', 'ENODATA']);

const orNone = async (asked: Promise<string[]>): Promise<readonly string[]> => {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Error && 'code' in error && noAddress.has(String(error.code))) return [];
    throw error;
  }
};

export const systemDns: Dns = {
  resolve: async (hostname) => (await Promise.all([orNone(resolve4(hostname)), orNone(resolve6(hostname))])).flat(),
  own: () => Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)),
};

const shown = 8;

type DnsFacts = { readonly dns: string; readonly pointsHere: 'yes' | 'no' | 'not known' };

const noneShown = 'no address';

/** What DNS says of a name, as facts. A proxy or a balancer in front has other addresses, so "no" is no error. Never throws. */
export const pointsHere = async (dns: Dns, hostname: string, signal: AbortSignal): Promise<DnsFacts> => {
  const late = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const addresses = await Promise.race([dns.resolve(hostname).catch(() => undefined), late]);
  if (addresses === undefined) return { dns: 'not known', pointsHere: 'not known' };
  const own = new Set(dns.own());
  const here = addresses.some((address) => own.has(address));
  return { dns: addresses.slice(0, shown).join(', ') || noneShown, pointsHere: here ? 'yes' : 'no' };
};

/** For people: whether callers from elsewhere come here is not known by asking one's own router. */
export const dnsSays = ({ dns, pointsHere: answer }: DnsFacts): string => {
  switch (answer) {
    case 'yes':
      return 'DNS leads to this machine.';
    case 'not known':
      return 'DNS did not answer.';
    case 'no':
      return dns === noneShown ? 'DNS has no address for it.' : `DNS leads to ${dns}, not to this machine.`;
  }
};
