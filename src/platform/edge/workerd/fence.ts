import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { FencingToken } from '../port.ts';

/**
 * Who may act on a script. Attempts of one ticket rise; a ticket never seen before is newer than all seen before, because
 * a worker has one live deployment at a time. Kept on disk, so that a late holder is refused after a restart too.
 */
export type Fences = {
  /** Claims the script for this token. False when a newer attempt or a newer ticket has been here. */
  readonly claim: (scriptName: string, token: FencingToken) => boolean;
  /** True while nobody newer has claimed the script. */
  readonly holds: (scriptName: string, token: FencingToken) => boolean;
};

const remembered = 64;
const stored = z.object({ ticketId: z.string(), attempt: z.number(), superseded: z.array(z.string()) });
type Fence = z.infer<typeof stored>;

const load = (file: string): Fence | undefined => {
  try {
    return stored.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data;
  } catch {
    return undefined;
  }
};

export const openFences = (folder: string): Fences => {
  const fences = new Map<string, Fence>();
  for (const name of readdirSync(folder)) {
    const fence = name.endsWith('.json') ? load(join(folder, name)) : undefined;
    if (fence !== undefined) fences.set(name.slice(0, -'.json'.length), fence);
  }

  const keep = (scriptName: string, fence: Fence): void => {
    const file = join(folder, `${scriptName}.json`);
    writeFileSync(`${file}.part`, JSON.stringify(fence), { mode: 0o600 });
    renameSync(`${file}.part`, file);
    fences.set(scriptName, fence);
  };

  return {
    claim: (scriptName, { ticketId, attempt }) => {
      const fence = fences.get(scriptName);
      if (fence === undefined) {
        keep(scriptName, { ticketId, attempt, superseded: [] });
        return true;
      }
      if (fence.superseded.includes(ticketId)) return false;
      if (fence.ticketId !== ticketId) {
        const superseded = [...fence.superseded, fence.ticketId].slice(-remembered);
        keep(scriptName, { ticketId, attempt, superseded });
        return true;
      }
      if (attempt < fence.attempt) return false;
      if (attempt > fence.attempt) keep(scriptName, { ...fence, attempt });
      return true;
    },
    holds: (scriptName, { ticketId, attempt }) => {
      const fence = fences.get(scriptName);
      return fence?.ticketId === ticketId && fence.attempt === attempt;
    },
  };
};
