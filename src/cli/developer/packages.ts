import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const manifest = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });

/**
 * Folders under node_modules that the worker's own "dependencies" reach, for the bundler to resolve; none when there
 * are none. Development tools stay behind. Packages that are named but not installed come back as `missing`.
 */
export const neededPackages = async (
  folder: string,
): Promise<{ readonly folders: ReadonlySet<string>; readonly missing: readonly string[] }> => {
  const folders = new Set<string>();
  const missing: string[] = [];
  const visit = async (owner: string, required: boolean): Promise<void> => {
    const { dependencies } = await readManifest(join(folder, owner, 'package.json'));
    for (const name of Object.keys(dependencies).toSorted()) {
      const found = await locate(folder, owner, name);
      if (found === undefined) {
        if (required) missing.push(name);
      } else if (!folders.has(found)) {
        folders.add(found);
        await visit(found, false);
      }
    }
  };
  await visit('', true);
  return { folders, missing };
};

/** As Node looks for it: beside the owner first, then further up, never outside the folder. */
const locate = async (folder: string, owner: string, name: string): Promise<string | undefined> => {
  if (!/^(@[^/\\]+\/)?[^/\\.][^/\\]*$/.test(name)) return undefined;
  for (let base = owner; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/')))) {
    const candidate = `${base ? `${base}/` : ''}node_modules/${name}`;
    const isThere = await readFile(join(folder, candidate, 'package.json')).then(
      () => true,
      () => false,
    );
    if (isThere) return candidate;
    if (base === '') return undefined;
  }
};

const readManifest = async (path: string): Promise<z.infer<typeof manifest>> => {
  const text = await readFile(path, 'utf8').catch(() => '{}');
  try {
    return manifest.parse(JSON.parse(text));
  } catch {
    return { dependencies: {} };
  }
};
