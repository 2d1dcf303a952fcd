import type { CloudflareContext } from './context.ts';
import type { Looked } from './look.ts';
import type { Version } from './schemas.ts';

/** The oldest of those with this tag: a late duplicate of an upload must not change which one a ticket means. */
export const findTagged = async (
  { api }: CloudflareContext,
  signal: AbortSignal,
  scriptName: string,
  tag: string,
): Promise<Looked<Version>> => {
  const listed = await api.listVersions(signal, scriptName);
  if (listed.verdict === 'absent') return { seen: 'no' };
  if (listed.verdict !== 'done') return listed;
  const value = listed.result.items.findLast(({ annotations }) => annotations.tag === tag);
  return value ? { seen: 'yes', value } : { seen: 'no' };
};
