import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { open } from '../../src/platform/vault/aesGcm.ts';
import { joinParts } from '../../src/platform/vault/encoding.ts';
import { toMasterKey } from '../../src/platform/vault/masterKeys.ts';
import type { Sealed } from '../../src/platform/vault/port.ts';
import { unwrap } from '../../src/platform/vault/wrapping.ts';

/** Contents by path, of every file below the folder. */
export const filesBelow = async (folder: string): Promise<ReadonlyMap<string, Buffer>> => {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((each) => each.isFile());
  const read = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [path, await readFile(path).catch(() => Buffer.alloc(0))] as const;
  });
  return new Map(await Promise.all(read));
};

const backedUpKeys = z.object({ files: z.record(z.string(), z.base64()) });

/** The keys of a file that `opslog backup --with-keys` wrote, by path. */
export const keysOfBackup = async (path: string): Promise<ReadonlyMap<string, Buffer>> => {
  const { files } = backedUpKeys.parse(JSON.parse(await readFile(path, 'utf8')));
  return new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text, 'base64')]));
};

const bytesOfKey = (contents: Buffer): Buffer =>
  contents.length === 32 ? Buffer.from(contents) : Buffer.from(contents.toString('latin1').trim(), 'base64');

/** Every AES key that these files give to somebody who has all of them: master keys, and whatever those unwrap. */
const keysIn = (files: ReadonlyMap<string, Buffer>): readonly Buffer[] => {
  const masters = [...files].flatMap(([path, contents]) => {
    const [, version] = /master\/(\d+)\.(?:key|retiring)$/.exec(path) ?? [];
    const bytes = bytesOfKey(contents);
    const key = version === undefined ? undefined : toMasterKey(Number(version), Buffer.from(bytes));
    return key ? [{ key, bytes }] : [];
  });
  const dataKeys = [...files].flatMap(([path, contents]) => {
    const [, id] = /\/([0-9a-f]{32})\.[^/]+$/.exec(path) ?? [];
    if (id === undefined) return [];
    return masters.flatMap(({ key }) => unwrap(id, contents, key) ?? []);
  });
  return [...masters.map(({ bytes }) => bytes), ...dataKeys];
};

const field = '"(?:iv|tag|data)"\\s*:\\s*"[A-Za-z0-9+/=]*"';
const sealedShape = new RegExp(`\\{\\s*${field}\\s*,\\s*${field}\\s*,\\s*${field}\\s*\\}`, 'g');
const sealed = z.object({ iv: z.string(), tag: z.string(), data: z.string() });

/** Everything in these texts and files that has the shape of a sealed value. */
export const sealedIn = (texts: Iterable<string | Buffer>): readonly Sealed[] => {
  const found = new Map<string, Sealed>();
  for (const each of texts) {
    const text = typeof each === 'string' ? each : each.toString('latin1');
    for (const [match] of text.replaceAll('\\"', '"').matchAll(sealedShape)) {
      const parsed = sealed.safeParse(JSON.parse(match));
      if (parsed.success) found.set(parsed.data.data + parsed.data.tag, parsed.data);
    }
  }
  return [...found.values()];
};

/** What somebody reads who tries every key on every sealed value, knowing what values are bound to. */
export const openEverything = (
  sealedValues: readonly Sealed[],
  keyFiles: ReadonlyMap<string, Buffer>,
  workspaceId: string,
): readonly string[] => {
  const keys = keysIn(keyFiles);
  const bindings = [Buffer.from(workspaceId), joinParts([workspaceId]), Buffer.alloc(0)];
  return sealedValues.flatMap((each) =>
    keys.flatMap((key) =>
      bindings.flatMap((aad) => {
        const opened = open(key, each, aad);
        return opened === 'not authentic' ? [] : [opened.toString('utf8')];
      }),
    ),
  );
};
