import { z } from 'zod';
import type { Random } from '../clock/port.ts';
import { open, seal } from './aesGcm.ts';
import { joinParts } from './encoding.ts';
import type { MasterKey } from './masterKeys.ts';

const wrapped = z.strictObject({ masterVersion: z.int(), iv: z.string(), tag: z.string(), data: z.string() });

/** A wrapped key opens under the id and the version it was made for, and no other. */
const aadOf = (id: string, version: number) => joinParts(['data key', id, String(version)]);

/** The text of a data key's file: JSON, the key under AES-256-GCM of the master key. */
export const wrap = (id: string, key: Uint8Array, master: MasterKey, random: Random): string =>
  `${JSON.stringify({ masterVersion: master.version, ...seal(master.key, key, aadOf(id, master.version), random) })}\n`;

/** Undefined when the file is not whole, was changed, or is another key's. */
export const unwrap = (id: string, file: Uint8Array, master: MasterKey): Buffer | undefined => {
  const parsed = wrapped.safeParse(parseJson(file));
  if (!parsed.success || parsed.data.masterVersion !== master.version) return undefined;
  const key = open(master.key, parsed.data, aadOf(id, master.version));
  return key === 'not authentic' ? undefined : key;
};

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
};
