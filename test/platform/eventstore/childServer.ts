import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The event store in a process of its own, to be killed: the thread of the bundle under a few lines of host. */
const HOST = `
import { Worker } from 'node:worker_threads';
const worker = new Worker(process.argv[1], { workerData: JSON.parse(process.argv[2]), execArgv: [] });
worker.on('message', (message) => console.log(JSON.stringify(message)));
worker.on('error', (error) => { console.error(error); process.exit(1); });
`;

const WORKER = fileURLToPath(new URL('../../../dist/eventstoreWorker.js', import.meta.url));

export type ChildServer = {
  readonly pid: number;
  readonly port: number;
  readonly connectionString: string;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
};

const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      if (text.includes('\n')) resolve(text);
    });
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}`)));
  });

const LIMITED = 'ulimit -f "$0"; exec "$@"';

/**
 * Rejects with what the server said when it does not start. With `largestFileBytes` writing beyond that fails, as it
 * does on a full disk.
 */
export const startChildServer = async (
  dataDir: string,
  { port = 0, largestFileBytes }: { port?: number; largestFileBytes?: number } = {},
): Promise<ChildServer> => {
  const node = [process.execPath, '--input-type=module', '-e', HOST, WORKER, JSON.stringify({ dataDir, port })];
  const blocks = largestFileBytes === undefined ? 'unlimited' : String(Math.ceil(largestFileBytes / 512));
  const child = spawn('sh', ['-c', LIMITED, blocks, ...node], {
    // The database itself complains about a full disk, at length.
    stdio: ['ignore', 'pipe', largestFileBytes === undefined ? 'inherit' : 'ignore'],
  });
  const exited = once(child, 'exit');
  // A test that fails before it kills leaves nothing running.
  const killNow = (): void => void child.kill('SIGKILL');
  process.once('exit', killNow);
  child.once('exit', () => process.off('exit', killNow));
  const message: unknown = JSON.parse(await firstLine(child));
  const given = typeof message === 'object' && message !== null ? new Map(Object.entries(message)) : new Map();
  if (given.get('kind') !== 'started') throw new Error(String(given.get('message')));
  const boundPort = Number(given.get('port'));
  return {
    pid: child.pid ?? 0,
    port: boundPort,
    connectionString: `esdb://127.0.0.1:${boundPort}?tls=false`,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
};
