import { fromBase64 } from './encoding.ts';
import { type MasterKey, toMasterKey } from './masterKeys.ts';

const shape = 'must be <version>:<32 bytes in base64>, several separated by commas, for example 2:…,1:…';

/** Master keys from a setting like `2:<base64>,1:<base64>`. A problem is told without a piece of what was given. */
export const parseMasterKeys = (
  text: string,
): { readonly ok: true; readonly keys: readonly MasterKey[] } | { readonly ok: false; readonly problem: string } => {
  const keys: MasterKey[] = [];
  for (const each of text.split(',')) {
    const [, version, encoded] = /^([1-9]\d{0,8}):([A-Za-z0-9+/=]+)$/.exec(each.trim()) ?? [];
    const bytes = encoded === undefined ? undefined : fromBase64(encoded);
    const isGuessable = bytes?.every((byte) => byte === bytes[0]) ?? false;
    const key = bytes && toMasterKey(Number(version), bytes);
    if (!key) return { ok: false, problem: shape };
    if (isGuessable)
      return { ok: false, problem: `version ${key.version} is not random: make it with openssl rand -base64 32` };
    if (keys.some((other) => other.version === key.version)) {
      return { ok: false, problem: `names version ${key.version} twice` };
    }
    keys.push(key);
  }
  return { ok: true, keys };
};
