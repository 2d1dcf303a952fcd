import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { letOthersGoFirst } from '../../platform/node/precedence.ts';
import { residentBytes } from '../../platform/node/processMemory.ts';
import { HistoryTooLong, PastLost } from '../../projections/past/errors.ts';
import { type PastAsked, pastSaid } from './protocol.ts';

export type PastProcessLimits = {
  /** For a whole replay, and for one question to its tables. */
  readonly replayMs: number;
  readonly queryMs: number;
  /** Resident, where the system tells. */
  readonly memoryBytes: number;
};

export const pastProcessLimits: PastProcessLimits = {
  replayMs: 60_000,
  queryMs: 10_000,
  memoryBytes: 768 * 1024 ** 2,
};

/** A process that is asked one thing or several at once. Whatever it goes over ends it, and everything asked with it. */
export type PastProcess = {
  readonly pid: number | undefined;
  /** Throws PastLost and HistoryTooLong, and what the process says went wrong. */
  replay(eventStoreUrl: string, position: number): Promise<unknown>;
  query(name: string, args: unknown): Promise<unknown>;
  streams(names: readonly string[], last: boolean): void;
  end(): void;
  readonly gone: Promise<void>;
};

const memoryCheckMs = 100;

/** Beside this file in the bundled program; in dist/ when the sources run as they are. */
const childFile = (): string => {
  const beside = fileURLToPath(new URL('./pastChild.js', import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL('../../../dist/pastChild.js', import.meta.url));
};

/** What the connection to the event store may need; nothing else of the environment, which has secrets in it. */
const passedOn = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'SystemRoot', 'TZ'];

const start = (): ChildProcess => {
  const child = fork(childFile(), [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: Object.fromEntries(passedOn.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    execArgv: ['--max-old-space-size=256'],
  });
  // Requests that wait for an answer keep the program alive; a process that is idle does not.
  child.unref();
  child.channel?.unref();
  letOthersGoFirst(child);
  return child;
};

type Asked = { resolve(value: unknown): void; reject(error: Error): void; readonly timer: NodeJS.Timeout };

export const startPastProcess = (limits: PastProcessLimits): PastProcess => {
  const child = start();
  const asked = new Map<number, Asked>();
  let last = 0;
  let over: Error | undefined;
  let tellGone = (): void => {};
  const gone = new Promise<void>((resolve) => {
    tellGone = resolve;
  });

  const settle = (id: number): Asked | undefined => {
    const each = asked.get(id);
    if (each) clearTimeout(each.timer);
    asked.delete(id);
    return each;
  };

  const end = (why: Error): void => {
    if (over) return;
    over = why;
    clearInterval(watch);
    child.kill('SIGKILL');
    for (const id of [...asked.keys()]) settle(id)?.reject(why);
    tellGone();
  };

  const watch = setInterval(() => {
    const resident = child.pid === undefined ? undefined : residentBytes(child.pid);
    if (resident !== undefined && resident > limits.memoryBytes) end(new HistoryTooLong('It takes too much memory.'));
  }, memoryCheckMs);
  watch.unref();

  child.on('message', (message: unknown) => {
    const { data: said } = pastSaid.safeParse(message);
    if (!said) return end(new PastLost('The process of a look back says what nobody understands.'));
    const each = settle(said.id);
    if (said.ok) each?.resolve(said.value);
    else each?.reject(new Error(`A look back failed. ${said.reason}`));
  });
  child.on('error', () => end(new PastLost('The process of a look back failed.')));
  child.on('exit', (code, signal) => end(new PastLost(`The process of a look back ended: ${signal ?? code}.`)));

  const send = (message: PastAsked): void => {
    if (over) throw over;
    child.send(message, (error) => error && end(new PastLost('The process of a look back does not listen.')));
  };

  const ask = (message: (id: number) => PastAsked, ms: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      last += 1;
      const id = last;
      const timer = setTimeout(() => end(new PastLost(`A look back took more than ${ms} ms.`)), ms);
      asked.set(id, { resolve, reject, timer });
      try {
        send(message(id));
      } catch (error) {
        settle(id);
        reject(error);
      }
    });

  return {
    pid: child.pid,
    replay: (eventStoreUrl, position) =>
      ask((id) => ({ kind: 'replay', id, eventStoreUrl, position }), limits.replayMs),
    query: (name, args) => ask((id) => ({ kind: 'query', id, name, args }), limits.queryMs),
    streams: (names, isLast) => send({ kind: 'streams', names: [...names], last: isLast }),
    end: () => end(new PastLost('The look back is closed.')),
    gone,
  };
};
