import { readdirSync, readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';

/** CPU time of the machine and of what belongs to this run, in ticks of 10 ms. */
type Moment = { readonly at: number; readonly busy: number; readonly steal: number; readonly own: number };

export type Disturbance = {
  /** CPU time that this run used, the database servers included. */
  readonly ownSeconds: number;
  /** Cores that something else used meanwhile. */
  readonly foreignCores: number;
  readonly stealShare: number;
  readonly loadAverage: number;
};

const ticksPerSecond = 100;
/** Servers that work for this run. MariaDB and NATS are one process each, so what others ask of them counts as ours. */
const services = new Set(['postgres', 'mariadbd', 'mysqld', 'nats-server']);
/** "postgres: [cluster: ]user database host(port) …": a process that serves another database works for others. */
const backend = /^postgres: (?:\S+: )?\S+ (\S+) \S+\(\d+\)/;
const isForeignBackend = (pid: number): boolean => {
  const [, database] = backend.exec(readText(`/proc/${pid}/cmdline`)) ?? [];
  return database !== undefined && !database.startsWith('opslog_bench_');
};

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

type ProcessTime = { readonly pid: number; readonly parent: number; readonly name: string; readonly ticks: number };

/** Time of a process with that of its children that have ended. */
const timeOf = (pid: number): ProcessTime | undefined => {
  const stat = readText(`/proc/${pid}/stat`);
  const end = stat.lastIndexOf(')');
  if (end === -1) return undefined;
  const fields = stat.slice(end + 2).split(' ');
  const number = (index: number): number => Number(fields[index] ?? 0);
  const ticks = number(11) + number(12) + number(13) + number(14);
  return { pid, parent: number(1), name: stat.slice(stat.indexOf('(') + 1, end), ticks };
};

const ownTicks = (): number => {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => timeOf(Number(name)) ?? []);
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]));
  const isOurs = (pid: number): boolean => {
    for (let each: number | undefined = pid; each !== undefined && each > 1; each = parents.get(each)) {
      if (each === process.pid) return true;
    }
    return false;
  };
  return all
    .filter(({ pid, name }) => (services.has(name) && !isForeignBackend(pid)) || isOurs(pid))
    .reduce((sum, { ticks }) => sum + ticks, 0);
};

const now = (): Moment => {
  const [, ...fields] = (readText('/proc/stat').split('\n')[0] ?? '').split(/\s+/);
  const number = (index: number): number => Number(fields[index] ?? 0);
  // user, nice, system, irq, softirq; idle and iowait are left out.
  const busy = number(0) + number(1) + number(2) + number(5) + number(6);
  return { at: performance.now(), busy, steal: number(7), own: ownTicks() };
};

/** Starts watching; the answered function says what disturbed the machine since. */
export const watchMachine = (): (() => Disturbance) => {
  const before = now();
  return () => {
    const after = now();
    const ticks = ((after.at - before.at) / 1_000) * ticksPerSecond;
    const own = after.own - before.own;
    const foreign = after.busy - before.busy - own;
    return {
      ownSeconds: own / ticksPerSecond,
      foreignCores: Math.max(0, foreign / ticks),
      stealShare: Math.max(0, (after.steal - before.steal) / (ticks * cpus().length)),
      loadAverage: loadavg()[0] ?? 0,
    };
  };
};

/** More than this and a figure counts as disturbed. */
export const tolerated = { foreignCores: 0.3, stealShare: 0.05 } as const;

export const isDisturbed = ({ foreignCores, stealShare }: Disturbance): boolean =>
  foreignCores > tolerated.foreignCores || stealShare > tolerated.stealShare;

export const describeMachine = () => ({
  cores: cpus().length,
  processor: cpus()[0]?.model ?? 'unknown',
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  kernel: readText('/proc/sys/kernel/osrelease').trim(),
});
