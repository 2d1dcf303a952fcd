import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Core dumps would put a department's memory on the disk; the out-of-memory killer should take a worker before us. */
const settle = 'ulimit -c 0; { echo 500 >/proc/self/oom_score_adj; } 2>/dev/null';
/** Where the kernel has no parent-death signal: a watcher reads our pipe, and its end without a word means we died. */
const watch = 'exec 5<&0; { read -r word <&5 || kill -KILL $$; } >/dev/null 2>&1 3>&- &';

export type Launcher = (
  binary: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
) => Launched;

export type Launched = {
  readonly child: ChildProcess;
  /** To be called once the child has ended, so that a watcher ends in peace. */
  readonly release: () => void;
};

const hasParentDeathSignal = async (): Promise<boolean> => {
  if (process.platform !== 'linux') return false;
  try {
    await run('setpriv', ['--pdeathsig', 'KILL', '--no-new-privs', '--', 'true']);
    return true;
  } catch {
    return false;
  }
};

/**
 * Starts a child that cannot outlive this process, by the kernel's parent-death signal or a watcher on a pipe. Of our
 * environment it gets nothing but what is given; descriptor 1 and 2 are its output, 3 reports what it listens on.
 */
export const createLauncher = async (options: { readonly watcher?: boolean } = {}): Promise<Launcher> => {
  const signalled = options.watcher !== true && (await hasParentDeathSignal());
  const script = signalled ? `${settle}; exec "$@"` : `${settle}; ${watch} exec "$@" 5<&- </dev/null`;
  const prefix = signalled ? ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs', '--'] : [];
  return (binary, args, cwd, env) => {
    const [command = 'sh', ...rest] = [...prefix, 'sh', '-c', script, 'sh', binary, ...args];
    const child = spawn(command, rest, {
      cwd,
      // A group of its own: Ctrl-C is for this program, which then ends its children in order.
      detached: true,
      env: { ...env, PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
      stdio: [signalled ? 'ignore' : 'pipe', 'pipe', 'pipe', 'pipe'],
    });
    child.stdin?.on('error', () => {});
    return { child, release: () => child.stdin?.end('over\n') };
  };
};
