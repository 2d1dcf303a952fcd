import { createHash, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArtifactStore } from '../../artifacts/port.ts';

export type BundleFetch =
  | { readonly ok: true; readonly fetched: boolean }
  | { readonly ok: false; readonly code: 'BundleMissing' | 'BundleCorrupt'; readonly detail: string };

export type Bundles = {
  /** The bundle is in the node's folder and intact when this answers ok. Throws when the store cannot be reached. */
  readonly ensure: (digest: string) => Promise<BundleFetch>;
  /** Only looks at the node's folder. */
  readonly intact: (digest: string) => Promise<boolean>;
  /** While the work goes on, no sweep removes the bundle, though no process uses it yet. */
  readonly holding: <T>(digest: string, work: () => Promise<T>) => Promise<T>;
  /** Removes what is not among the digests in use. */
  readonly sweep: (inUse: () => ReadonlySet<string>) => Promise<void>;
};

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const openBundles = (folder: string, artifacts: ArtifactStore): Bundles => {
  const fileOf = (digest: string): string => join(folder, `${digest}.mjs`);
  const held = new Map<string, number>();

  const intact = async (digest: string): Promise<boolean> => {
    try {
      return digestOf(await readFile(fileOf(digest))) === digest;
    } catch {
      return false;
    }
  };

  const fetchInto = async (digest: string): Promise<BundleFetch> => {
    if (await intact(digest)) return { ok: true, fetched: false };
    const corrupt: BundleFetch = {
      ok: false,
      code: 'BundleCorrupt',
      detail: `The bytes of bundle ${digest} do not have this digest`,
    };
    const bytes = await artifacts.get(digest).catch((error: unknown) => {
      if (error instanceof Error && error.name === 'ArtifactCorrupt') return 'corrupt' as const;
      throw error;
    });
    if (bytes === 'corrupt') return corrupt;
    if (bytes === undefined) {
      return { ok: false, code: 'BundleMissing', detail: `The artifact store has no bundle ${digest}` };
    }
    if (digestOf(bytes) !== digest) return corrupt;
    const part = join(folder, `${digest}.${randomUUID()}.part`);
    await writeFile(part, bytes, { mode: 0o600 });
    await rename(part, fileOf(digest));
    return { ok: true, fetched: true };
  };

  const holding = async <T>(digest: string, work: () => Promise<T>): Promise<T> => {
    held.set(digest, (held.get(digest) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (held.get(digest) ?? 1) - 1;
      if (left === 0) held.delete(digest);
      else held.set(digest, left);
    }
  };

  return {
    intact,
    holding,
    ensure: (digest) => holding(digest, () => fetchInto(digest)),
    sweep: async (inUse) => {
      const names = await readdir(folder);
      // No turn of the event loop between the look and the removal: nobody can begin to use a bundle in between.
      const used = inUse();
      for (const name of names) {
        const digest = name.slice(0, 64);
        if (!used.has(digest) && !held.has(digest)) rmSync(join(folder, name), { force: true });
      }
    },
  };
};
