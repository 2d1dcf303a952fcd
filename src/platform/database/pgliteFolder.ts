import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseInUse } from './errors.ts';

/** Held while a folder is open. `afterPowerLoss`: the machine went down before the last owner closed it. */
export type FolderClaim = { readonly afterPowerLoss: boolean; release(): void };

type Owner = { readonly pid: number; readonly startedAt: string; readonly bootId: string };

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

/** A pid comes back after a restart, in a container most of all; with its start time it does not. */
const startTimeOf = (pid: number): string => {
  const stat = readText(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
};

const bootId = (): string => readText('/proc/sys/kernel/random/boot_id').trim();

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

const isAlive = (owner: Owner): boolean =>
  owner.bootId === bootId() && exists(owner.pid) && startTimeOf(owner.pid) === owner.startedAt;

const parseOwner = (text: string): Owner | undefined => {
  const [pid, startedAt, boot] = text.split('\n');
  return pid !== undefined && startedAt !== undefined && boot !== undefined && /^\d+$/.test(pid)
    ? { pid: Number(pid), startedAt, bootId: boot }
    : undefined;
};

/** Claims the folder for this process. Throws DatabaseInUse when its owner is alive. */
export const claimFolder = (folder: string): FolderClaim => {
  const path = `${folder}.owner`;
  mkdirSync(dirname(folder), { recursive: true });
  const left = parseOwner(readText(path));
  if (left !== undefined && isAlive(left)) {
    throw new DatabaseInUse(`The database folder ${folder} is open in process ${left.pid}`);
  }
  rmSync(path, { force: true });
  const mine = [process.pid, startTimeOf(process.pid), bootId()].join('\n');
  try {
    writeFileSync(path, mine, { flag: 'wx' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new DatabaseInUse(`The database folder ${folder} was just opened by another process`);
    }
    rmSync(path, { force: true });
    throw error;
  }
  return {
    afterPowerLoss: left !== undefined && left.bootId !== bootId(),
    release: () => rmSync(path, { force: true }),
  };
};

/** Answers the new name. */
export const moveAside = async (folder: string, now: number): Promise<string> => {
  const aside = `${folder}.broken-${now}`;
  await rename(folder, aside);
  return aside;
};
