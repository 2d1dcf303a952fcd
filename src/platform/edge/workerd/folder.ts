import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { killLeftover, processStart } from './leftovers.ts';

/** The place of one process: its configuration while it starts, its pid file, its two sockets. */
export type RunFolder = {
  readonly path: string;
  readonly pidFile: string;
  readonly publicSocket: string;
  readonly controlSocket: string;
  readonly remove: () => void;
};

export type NodeFolder = {
  readonly path: string;
  readonly bundles: string;
  readonly fences: string;
  readonly newRun: () => RunFolder;
  /** How many processes of an earlier run were found and killed. */
  readonly killedLeftovers: number;
  readonly close: () => void;
};

/** Linux allows 107 bytes, macOS 103, in the path of a socket. */
const socketPathLimit = 100;

/** Takes the folder for this process. Throws when a living process has it: two supervisors would kill each other's workers. */
const takeOwnership = (path: string): (() => void) => {
  const file = join(path, 'owner');
  const mine = `${process.pid} ${processStart(process.pid) ?? ''}`.trim();
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      const fd = openSync(file, 'wx', 0o600);
      writeSync(fd, mine);
      closeSync(fd);
      return () => rmSync(file, { force: true });
    } catch {
      const [pid = '', started = ''] = (existsSync(file) ? readFileSync(file, 'utf8') : '').split(' ');
      const living = pid === '' ? undefined : processStart(Number(pid));
      if (living !== undefined && living === started)
        throw new Error(`The folder of the edge node is in use by process ${pid}`);
      rmSync(file, { force: true });
    }
  }
  throw new Error('The folder of the edge node cannot be taken');
};

/** Opens the node's folder, after an earlier run that may have been killed: its processes end, its sockets go. */
export const openNodeFolder = async (dataDir: string): Promise<NodeFolder> => {
  const path = resolve(dataDir);
  const [bundles, fences, runs] = [join(path, 'bundles'), join(path, 'fences'), join(path, 'run')];
  for (const folder of [path, bundles, fences, runs]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const release = takeOwnership(path);
  let killedLeftovers = 0;
  for (const name of readdirSync(runs)) {
    const run = join(runs, name);
    if (await killLeftover(join(run, 'pid'), run)) killedLeftovers += 1;
    rmSync(run, { recursive: true, force: true });
  }
  // Sockets live beside the pid file unless the path is too long for the kernel.
  const short = Buffer.byteLength(join(runs, '00000000', 'p.sock')) <= socketPathLimit;
  const sockets = short ? undefined : mkdtempSync(join(tmpdir(), 'edge-'));
  return {
    path,
    bundles,
    fences,
    killedLeftovers,
    newRun: () => {
      const id = randomBytes(4).toString('hex');
      const run = join(runs, id);
      const prefix = sockets === undefined ? `${run}/` : `${sockets}/${id}`;
      const [publicSocket, controlSocket] = [`${prefix}p.sock`, `${prefix}c.sock`];
      return {
        path: run,
        pidFile: join(run, 'pid'),
        publicSocket,
        controlSocket,
        remove: () => {
          for (const file of [publicSocket, controlSocket]) rmSync(file, { force: true });
          rmSync(run, { recursive: true, force: true });
        },
      };
    },
    close: () => {
      if (sockets !== undefined) rmSync(sockets, { recursive: true, force: true });
      release();
    },
  };
};
