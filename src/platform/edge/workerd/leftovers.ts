import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

/** Where there is no /proc. */
const askPs = (pid: number, column: string): string | undefined => {
  try {
    return execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
};

const onLinux = process.platform === 'linux';

/** When a process started, as the system counts it: with the pid it names one process for good. Undefined when it is gone. */
export const processStart = (pid: number): string | undefined => {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  if (!onLinux) return askPs(pid, 'lstart');
  const stat = readText(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields?.[0] === 'Z' ? undefined : fields?.[19];
};

const commandLine = (pid: number): string | undefined =>
  onLinux ? readText(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ') : askPs(pid, 'command');

/** Resident memory in bytes; undefined when the process is gone. */
export const residentBytes = (pid: number): number | undefined => {
  const kib = onLinux ? /VmRSS:\s+(\d+) kB/.exec(readText(`/proc/${pid}/status`) ?? '')?.[1] : askPs(pid, 'rss');
  return kib === undefined ? undefined : Number(kib) * 1024;
};

/** Kills the process a pid file names if it is still ours, that is, if it was started on this very folder. */
export const killLeftover = async (pidFile: string, runPath: string): Promise<boolean> => {
  const pid = Number(readText(pidFile)?.trim() ?? '');
  if (!Number.isInteger(pid) || pid <= 0 || !commandLine(pid)?.includes(runPath)) return false;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
  while (processStart(pid) !== undefined && commandLine(pid)?.includes(runPath)) await delay(10);
  return true;
};
