import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';

/** The runtime closes an idle connection after 15 s; ours go first, so that none is used while it closes. */
const idleConnectionMs = 8_000;

type Done = (error?: Error | null) => void;

const closedByPeer = (error: Error): boolean =>
  'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET');

const tolerant =
  (done: Done): Done =>
  (error) =>
    done(error && closedByPeer(error) ? null : error);

/**
 * A worker may answer and close before it has read the whole body. A socket that fails at writing is destroyed with the
 * answer still unread in it; so a write that the other side no longer takes counts as done, and reading goes on to the
 * end, where a connection without an answer shows.
 */
export const openLingering = (socketPath: string): Socket => {
  const socket = connect({ path: socketPath });
  const write = socket._write.bind(socket);
  const writeMany = socket._writev?.bind(socket);
  socket._write = (chunk, encoding, done) => write(chunk, encoding, tolerant(done));
  if (writeMany !== undefined) socket._writev = (chunks, done) => writeMany(chunks, tolerant(done));
  return socket;
};

/** Connections to one worker process, kept open between requests. */
export const createPool = (socketPath: string): Agent => {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64, timeout: idleConnectionMs });
  agent.createConnection = () => openLingering(socketPath);
  return agent;
};
