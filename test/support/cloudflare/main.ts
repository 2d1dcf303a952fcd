import { parseArgs } from 'node:util';
import { startCloudflare } from './server.ts';

/**
 * The server by itself, for a demonstration:
 * `--port`, `--front-door-port` (0 is a free one), `--zone` (repeatable), `--account`, `--token`.
 * Prints one line of JSON once it listens, and ends with SIGTERM or SIGINT.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'front-door-port': { type: 'string', default: '0' },
    zone: { type: 'string', multiple: true, default: ['example.com'] },
    account: { type: 'string' },
    token: { type: 'string' },
  },
});

const cloudflare = await startCloudflare({
  port: Number(values.port),
  zones: values.zone.map((name) => ({ name })),
  ...(values.account === undefined ? {} : { accounts: [{ id: values.account }] }),
  ...(values.token === undefined ? {} : { tokens: [{ value: values.token, email: 'robot@opslog.test' }] }),
});
const door = await cloudflare.startFrontDoor(Number(values['front-door-port']));
const { baseUrl, token, accountId } = cloudflare;
const zones = [...cloudflare.state.zones.values()].map(({ id, name }) => ({ id, name }));
process.stdout.write(`${JSON.stringify({ baseUrl, token, accountId, frontDoorUrl: door.url, zones })}\n`);

const end = (): void => {
  void cloudflare.close().then(() => process.exit(0));
};
process.once('SIGTERM', end);
process.once('SIGINT', end);
