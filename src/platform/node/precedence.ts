import type { ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/** Gives what answers and projects the processor before this process, and before what it starts from now on. */
export const letOthersGoFirst = ({ pid }: Pick<ChildProcess, 'pid'>): void => {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It is gone already, or the system has no such thing: then they share.
  }
};
