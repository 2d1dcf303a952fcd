import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that wait behind the one that is worked on. */
const mostBehind = 32;

type Connection = { behind: number; last: Promise<void> };

/**
 * The requests of a connection are begun one by one. Node hands over all that a client sent ahead at once, and an answer
 * behind another one has no connection yet: it would pile up in memory, and never hear that the client is gone.
 */
export const createOneByOne = () => {
  const connections = new WeakMap<Socket, Connection>();

  /**
   * Undefined when the request is the only one; else resolves, once those before it are answered, to whether anybody is there
   * who wants it. Who sends more ahead than may wait is cut off.
   */
  return ({ socket }: IncomingMessage, response: ServerResponse): Promise<boolean> | undefined => {
    const known = connections.get(socket);
    if (known && known.behind >= mostBehind) {
      socket.destroy();
      return Promise.resolve(false);
    }
    let over = (): void => {};
    const answered = new Promise<void>((resolve) => {
      over = resolve;
    });
    const connection = known ?? { behind: 0, last: answered };
    const before = known?.last;
    connection.last = answered;
    connections.set(socket, connection);
    response.once('close', () => {
      if (connection.last === answered) connections.delete(socket);
      over();
    });
    if (!before) return undefined;
    connection.behind += 1;
    return before.then(() => {
      connection.behind -= 1;
      if (!socket.destroyed) return true;
      // Nobody ever tells an answer without a connection that it is over.
      over();
      return false;
    });
  };
};
