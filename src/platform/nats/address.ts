export type NatsAddress = {
  readonly servers: readonly string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  readonly tls: boolean;
};

/**
 * Reads `nats://user:password@host:4222`, `nats://token@host`, `tls://host`, or several servers with commas. The
 * credentials go into options of their own, so that no address that is shown or logged has them.
 */
export const parseNatsUrl = (url: string): NatsAddress => {
  const urls = url.split(',').map((each) => new URL(each.includes('://') ? each.trim() : `nats://${each.trim()}`));
  const named = urls.find((each) => each.username !== '');
  const user = named && decodeURIComponent(named.username);
  const pass = named && decodeURIComponent(named.password);
  return {
    servers: urls.map((each) => `${each.hostname}:${each.port === '' ? 4222 : each.port}`),
    ...(user !== undefined && (pass ? { user, pass } : { token: user })),
    tls: urls.some((each) => each.protocol === 'tls:'),
  };
};
