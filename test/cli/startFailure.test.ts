import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { startFailure } from '../../src/cli/operator/startFailure.ts';

/** What a driver is given when a name has two addresses and nobody listens at either. */
const refusedTwice = async (): Promise<unknown> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('the server had no port');
  const socket = connect({
    ...{ host: 'twice.example', port: address.port, autoSelectFamily: true },
    lookup: (_name, _options, done) =>
      done(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '127.0.0.2', family: 4 },
      ]),
  });
  return new Promise((resolve) => socket.once('error', resolve));
};

test('A server that answers at no address of its name is told with one that was tried', async () => {
  const error = await refusedTwice();
  expect(error).toMatchObject({ message: '' });
  expect(startFailure(error)).toMatchObject({
    ...{ code: 'unreachable', exitCode: 3, message: expect.stringContaining('ECONNREFUSED 127.0.0.') },
  });
});
