import { readFileSync } from 'node:fs';

/**
 * Resident bytes of a process and its children, or undefined where the system has no /proc. Synchronous on purpose: a few
 * reads of memory, far cheaper than as many round trips through the thread pool.
 */
export const residentBytes = (pid: number): number | undefined => {
  const own = residentOf(pid);
  if (own === undefined) return undefined;
  return childrenOf(pid).reduce((total, child) => total + (residentOf(child) ?? 0), own);
};

const residentOf = (pid: number): number | undefined => {
  const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
};

const childrenOf = (pid: number): readonly number[] =>
  read(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter((text) => text !== '')
    .map(Number);

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};
