import { createSecureContext, type SecureContext, type SecureContextOptions, TLSSocket } from 'node:tls';

/** Certificate chain and private key, PEM. */
export type TlsMaterial = { readonly certificate: string; readonly privateKey: string };

export type TlsNames = {
  /** Takes effect with the next handshake. Undefined serves none. Throws for what is no certificate with its key. */
  certify(hostname: string, material: TlsMaterial | undefined): void;
  contextOf(servername: string): SecureContext | undefined;
};

const policy = { minVersion: 'TLSv1.2' } as const satisfies SecureContextOptions;

/**
 * One certificate per name, in memory only. One that has expired is served all the same: its callers refuse it and say
 * why, while a handshake that fails tells them nothing.
 */
export const createTlsNames = (): TlsNames => {
  const contexts = new Map<string, SecureContext>();
  return {
    certify: (hostname, material) => {
      if (!material) contexts.delete(hostname);
      else {
        const { certificate: cert, privateKey: key } = material;
        contexts.set(hostname, createSecureContext({ ...policy, cert, key }));
      }
    },
    contextOf: (servername) => contexts.get(servername.toLowerCase().replace(/\.$/, '')),
  };
};

/** There is no certificate but those of known names: who asks for another one, or for none, is refused in the handshake. */
export const tlsOptions = ({ contextOf }: TlsNames) => ({
  ...policy,
  handshakeTimeout: 10_000,
  ALPNProtocols: ['http/1.1'],
  SNICallback: (servername: string, answer: (error: Error | null, context?: SecureContext) => void): void => {
    answer(null, contextOf(servername));
  },
});

/** The name that the caller asked a certificate for; undefined on a connection without TLS. */
export const servernameOf = (socket: object): string | undefined => {
  if (!(socket instanceof TLSSocket)) return undefined;
  const { servername } = socket;
  return typeof servername === 'string' ? servername.toLowerCase() : '';
};
