import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Another program, or another part of this one, has the data folder open. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse';
}

/** A socket path may have about 100 bytes; a longer folder gets a socket named after its digest. */
const socketPath = (folder: string): string => {
  const real = realpathSync(folder);
  const digest = createHash('sha256').update(real).digest('hex').slice(0, 32);
  if (process.platform === 'win32') return `\\\\.\\pipe\\opslog-${digest}`;
  const inside = join(real, 'owner.sock');
  return Buffer.byteLength(inside) <= 90 ? inside : join(tmpdir(), `opslog-${digest}.sock`);
};

/** The process id of whoever answers, or undefined when nobody listens. */
const ownerOf = (path: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    let answer = '';
    const socket = connect(path);
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      answer += text;
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' || error.code === 'ENOENT' ? undefined : answer),
    );
  });

const listen = (path: string): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.end(String(process.pid)));
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(path, () => resolve(server.unref()));
  });

/** Moves a dead owner's socket out of the way. What was moved is asked again: it may have come alive in between. */
const removeStale = async (path: string): Promise<void> => {
  const aside = `${path}.${process.pid}.${Math.floor(performance.now())}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if ((await ownerOf(aside)) === undefined) rmSync(aside, { force: true });
  else renameSync(aside, path);
};

/**
 * Holds the folder for this process until the answered function is called or the process ends, however it ends: the
 * lock is a listening socket, so the operating system drops it. Throws DataFolderInUse.
 */
export const lockFolder = async (folder: string): Promise<() => Promise<void>> => {
  mkdirSync(folder, { recursive: true });
  const path = socketPath(folder);
  let server = await listen(path);
  if (server === undefined && (await ownerOf(path)) === undefined) {
    await removeStale(path);
    server = await listen(path);
  }
  if (server === undefined) {
    const pid = await ownerOf(path);
    throw new DataFolderInUse(`The data folder ${folder} is in use by process ${pid || 'unknown'}`);
  }
  const held = server;
  return () => new Promise((resolve) => held.close(() => resolve()));
};
