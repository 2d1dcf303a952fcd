import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Another program, or another part of this one, has the data folder open. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse';
}

const SOCKET_NAME = /^owner-.*\.sock$/;
/** A socket path may have about 100 bytes. */
const LONGEST_FOLDER = 60;
const CLAIM_MS = 5;
const CLAIM_TRIES = 400;
/** An owner too busy to answer is an owner. */
const SILENT_MS = 3_000;

/** Where the sockets of a folder are: in it, or for a long path in a folder named after its digest. */
const socketFolder = (folder: string): string => {
  const real = realpathSync(folder);
  if (Buffer.byteLength(real) <= LONGEST_FOLDER) return real;
  const digest = createHash('sha256').update(real).digest('hex').slice(0, 24);
  const short = join(tmpdir(), `opslog-${digest}`);
  mkdirSync(short, { recursive: true, mode: 0o700 });
  return short;
};

type Claim = { readonly name: string; readonly pid: string; readonly holds: boolean };

/** What whoever listens there says of itself, or undefined when nobody does: its process is gone. */
const ask = (folder: string, name: string): Promise<Claim | undefined> =>
  new Promise((resolve) => {
    let answer = '';
    // Cut off in the midst of an answer: the next look will tell.
    const leaving = { name: '~', pid: 'unknown', holds: false };
    const socket = connect(join(folder, name));
    socket.setEncoding('utf8');
    socket.setTimeout(SILENT_MS, () => {
      resolve({ name, pid: name.split('-')[1] ?? 'unknown', holds: true });
      socket.destroy();
    });
    socket.on('data', (text: string) => {
      answer += text;
    });
    socket.on('end', () => {
      const [pid = '', state] = answer.split(' ');
      resolve(state === undefined ? leaving : { name, pid, holds: state === 'holds' });
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const isGone = error.code === 'ECONNREFUSED' || error.code === 'ENOENT';
      resolve(isGone ? undefined : leaving);
    });
  });

/** The living claims of others. Sockets of the dead are removed: their names never come again. */
const otherClaims = async (folder: string, own: string): Promise<Claim[]> => {
  const names = readdirSync(folder).filter((name) => SOCKET_NAME.test(name) && name !== own);
  const claims = await Promise.all(names.map((name) => ask(folder, name)));
  for (const [index, name] of names.entries()) {
    if (claims[index] === undefined) rmSync(join(folder, name), { force: true });
  }
  return claims.filter((claim) => claim !== undefined);
};

const listen = (path: string, say: () => string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.end(say());
    });
    server.once('error', reject);
    server.listen(path, () => resolve(server.unref()));
  });

/** The last owner to leave takes the folder of sockets away, perhaps just as the next one is about to listen in it. */
const claim = async (folder: string, own: string, say: () => string): Promise<{ server: Server; path: string }> => {
  for (let tries = 1; ; tries += 1) {
    const path = socketFolder(folder);
    try {
      return { server: await listen(join(path, own), say), path };
    } catch (error) {
      if (tries === 10 || existsSync(path)) throw error;
    }
  }
};

const removeWhenEmpty = (path: string): void => {
  try {
    rmdirSync(path);
  } catch {
    // Others have their sockets in it.
  }
};

const close = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

/** Throws DataFolderInUse when another claim has won. */
const win = async (folder: string, path: string, own: string): Promise<void> => {
  for (let tries = 0; tries < CLAIM_TRIES; tries++) {
    const others = await otherClaims(path, own);
    if (others.length === 0) return;
    const winner = others.find(({ holds, name }) => holds || name < own);
    if (winner !== undefined) {
      throw new DataFolderInUse(`The data folder ${folder} is in use by process ${winner.pid}`);
    }
    await pause(CLAIM_MS);
  }
  throw new DataFolderInUse(`The data folder ${folder} is wanted by others who do not decide`);
};

/**
 * Holds the folder for this process until the answered function is called or the process ends, however it ends: a claim
 * is a listening socket, which the operating system drops. Everybody listens before looking for others, so of two who
 * come at the same time at least one sees the other; while both still claim, the smaller name goes first.
 * Throws DataFolderInUse.
 */
export const lockFolder = async (folder: string): Promise<() => Promise<void>> => {
  mkdirSync(folder, { recursive: true });
  const inside = realpathSync(folder);
  const own = `owner-${process.pid}-${randomBytes(6).toString('hex')}.sock`;
  let holds = false;
  const { server, path } = await claim(folder, own, () => `${process.pid} ${holds ? 'holds' : 'claims'}`);
  try {
    await win(folder, path, own);
    holds = true;
  } catch (error) {
    await close(server);
    throw error;
  }
  return async () => {
    await close(server);
    if (path !== inside) removeWhenEmpty(path);
  };
};
