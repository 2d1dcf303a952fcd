import { createHash, randomUUID } from 'node:crypto';
import type { Binding, Sealed, Vault } from '../../src/platform/vault/port.ts';

/** Keeps the plaintext beside the key's name, so that nothing of it is in what `seal` answers; not for use outside tests. */
export const createMemoryVault = (): Vault & {
  /** Names of the keys that still open something. */
  living(): readonly string[];
} => {
  const kept = new Map<
    string,
    { readonly plaintext: string; readonly aad: string; readonly data: string } | 'destroyed'
  >();
  const bind = (parts: Binding) => JSON.stringify(parts);
  return {
    seal: async (plaintext, aad) => {
      const keyId = randomUUID().replaceAll('-', '');
      const encryptedData: Sealed = { iv: 'aXYtaXYtaXYtaXYt', tag: 'dGFnLXRhZy10YWctdGFnIQ==', data: randomUUID() };
      kept.set(keyId, { plaintext, aad: bind(aad), data: encryptedData.data });
      return { keyId, encryptedData };
    },
    open: async ({ keyId, encryptedData }, aad) => {
      const found = kept.get(keyId);
      if (found === undefined) return { ok: false, code: 'missing' };
      if (found === 'destroyed') return { ok: false, code: 'destroyed' };
      const isAuthentic = found.aad === bind(aad) && found.data === encryptedData.data;
      return isAuthentic ? { ok: true, plaintext: found.plaintext } : { ok: false, code: 'not_authentic' };
    },
    destroy: async (keyId) => {
      kept.set(keyId, 'destroyed');
    },
    digest: (plaintext, parts) =>
      createHash('sha256')
        .update(bind([...parts, plaintext]))
        .digest('hex')
        .slice(0, 32),
    living: () => [...kept].flatMap(([keyId, found]) => (found === 'destroyed' ? [] : [keyId])),
  };
};
