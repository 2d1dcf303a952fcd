import type { CloudflareContext } from './context.ts';
import type { Looked } from './look.ts';
import type { Zone } from './schemas.ts';

/** From the whole name down to its last two labels. */
const candidates = (hostname: string): readonly string[] => {
  const labels = hostname.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
};

/** The zone of this account with the longest name that the host lies in. */
export const findZone = async (
  { api }: CloudflareContext,
  signal: AbortSignal,
  hostname: string,
): Promise<Looked<Zone>> => {
  for (const name of candidates(hostname)) {
    const found = await api.findZone(signal, name);
    if (found.verdict !== 'done') return found;
    // One that was moved away, or is set up twice, may be listed beside the one that serves.
    const zones = found.result.filter((zone) => zone.name === name);
    const value = zones.find(({ status }) => status === 'active') ?? zones[0];
    if (value) return { seen: 'yes', value };
  }
  return { seen: 'no' };
};
