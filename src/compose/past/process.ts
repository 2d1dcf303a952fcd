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
  /** How long it waits for a log that does not answer. */
  readonly logPatienceMs: number;
  /** Resident, where the system tells. */
  readonly memoryBytes: number;
};

export const pastProcessLimits: PastProcessLimits = {
  replayMs: 60_000,
  queryMs: 10_000,
  logPatienceMs: 15_000,
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

/** Questions that wait for their answers, by number. */
const createAsked = (onLate: (ms: number) => void) => {
  const asked = new Map<number, Asked>();
  let last = 0;
  const settle = (id: number): Asked | undefined => {
    const each = asked.get(id);
    clearTimeout(each?.timer);
    asked.delete(id);
    return each;
  };
  return {
    settle,
    begin: (ms: number, send: (id: number) => void): Promise<unknown> =>
      new Promise((resolve, reject) => {
        last += 1;
        asked.set(last, { resolve, reject, timer: setTimeout(() => onLate(ms), ms) });
        send(last);
      }),
    failAll: (why: Error): void => {
      for (const id of [...asked.keys()]) settle(id)?.reject(why);
    },
  };
};

/** As it was thrown over there: what a log that is away leads to is the same wherever it is noticed. */
const rebuilt = ({ name, reason }: { readonly name: string; readonly reason: string }): Error =>
  Object.assign(new Error(`A look back failed. ${reason}`), { name });

export const startPastProcess = (limits: PastProcessLimits): PastProcess => {
  const child = start();
  let over: Error | undefined;
  let tellGone = (): void => {};
  const gone = new Promise<void>((resolve) => {
    tellGone = resolve;
  });

  const end = (why: Error): void => {
    over ??= why;
    clearInterval(watch);
    child.kill('SIGKILL');
    asked.failAll(over);
    tellGone();
  };
  const asked = createAsked((ms) => end(new PastLost(`A look back took more than ${ms} ms.`)));

  const watch = setInterval(() => {
    const resident = child.pid === undefined ? undefined : residentBytes(child.pid);
    if (resident !== undefined && resident > limits.memoryBytes) end(new HistoryTooLong('It takes too much memory.'));
  }, memoryCheckMs);
  watch.unref();

  child.on('message', (message: unknown) => {
    const { data: said } = pastSaid.safeParse(message);
    if (!said) return end(new PastLost('The process of a look back says what nobody understands.'));
    const each = asked.settle(said.id);
    if (said.ok) each?.resolve(said.value);
    else each?.reject(rebuilt(said));
  });
  child.on('error', () => end(new PastLost('The process of a look back failed.')));
  child.on('exit', (code, signal) => end(new PastLost(`The process of a look back ended: ${signal ?? code}.`)));

  /** To one that has ended: those who asked hear of it at once. */
  const send = (message: PastAsked): void => {
    if (over) end(over);
    else child.send(message, (error) => error && end(new PastLost('The process of a look back does not listen.')));
  };

  return {
    pid: child.pid,
    replay: (eventStoreUrl, position) =>
      asked.begin(limits.replayMs, (id) =>
        send({ kind: 'replay', id, eventStoreUrl, logPatienceMs: limits.logPatienceMs, position }),
      ),
    query: (name, args) => asked.begin(limits.queryMs, (id) => send({ kind: 'query', id, name, args })),
    streams: (names, isLast) => send({ kind: 'streams', names: [...names], last: isLast }),
    end: () => end(new PastLost('The look back is closed.')),
    gone,
  };
};
