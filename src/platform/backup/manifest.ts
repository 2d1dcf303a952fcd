import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { hasCode } from '../artifacts/durable.ts';
import { filesBelow, hashFile } from './files.ts';

export const manifestName = 'manifest.json';
export const formatVersion = 1;

const digest = z.string().regex(/^[0-9a-f]{64}$/);
/** Stays below the folder of the backup, whatever somebody wrote into the manifest. */
const path = z.string().regex(/^(?!\/)(?!.*(^|\/)\.\.?(\/|$))[0-9A-Za-z._/-]{1,300}$/);

export const manifestSchema = z.strictObject({
  format: z.literal(formatVersion),
  backupId: z.string().min(1),
  /** RFC 3339. */
  createdAt: z.iso.datetime(),
  /** Of the program that wrote it. */
  opslog: z.string(),
  nodeId: z.string(),
  scope: z.string(),
  epoch: z.number().int(),
  /** The last event in it. */
  position: z.string().regex(/^\d{1,19}$/),
  events: z.number().int(),
  /** `folder`: they are in here; otherwise the bucket that has them. */
  artifactsIn: z.string(),
  artifacts: z.number().int(),
  /** Digests that revisions refer to and that were not there, or not whole, when the backup was made. */
  missingArtifacts: z.array(digest),
  files: z.array(z.strictObject({ path, bytes: z.number().int().min(0), sha256: digest })),
});
export type Manifest = z.infer<typeof manifestSchema>;

export const encodeManifest = (manifest: Manifest): Buffer => Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** What is not as the manifest says; each list in the order of paths. */
export type Difference = {
  readonly changed: readonly string[];
  readonly missing: readonly string[];
  readonly extra: readonly string[];
};

export type ReadManifest =
  | { readonly ok: true; readonly manifest: Manifest; readonly digest: string }
  /** `unfinished`: there is no manifest, which is written last. */
  | { readonly ok: false; readonly code: 'unfinished' | 'unreadable' | 'newer'; readonly message: string };

export const readManifest = async (backup: string): Promise<ReadManifest> => {
  const bytes = await readFile(join(backup, manifestName)).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  });
  if (bytes === undefined) {
    return {
      ok: false,
      code: 'unfinished',
      message: `${backup} has no ${manifestName}: it is no backup, or half of one.`,
    };
  }
  const unreadable = (message: string): ReadManifest => ({ ok: false, code: 'unreadable', message });
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return unreadable(`${manifestName} is not JSON.`);
  }
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) return { ok: true, manifest: parsed.data, digest: digestOf(bytes) };
  const format = z.looseObject({ format: z.number() }).safeParse(value).data?.format ?? 0;
  if (format > formatVersion) {
    return {
      ok: false,
      code: 'newer',
      message: `The backup has format ${format}; this program reads ${formatVersion}.`,
    };
  }
  const [issue] = parsed.error.issues;
  return unreadable(`${manifestName} is not as it should be at ${issue?.path.join('.')}: ${issue?.message}.`);
};

/** Reads every byte of the backup. Links and folders in place of files count as changed. */
export const compareWithManifest = async (
  backup: string,
  manifest: Manifest,
  onFile: (done: number, of: number) => void = () => {},
): Promise<Difference> => {
  const expected = new Map(manifest.files.map((file) => [file.path, file]));
  const present = new Set(await filesBelow(backup));
  const changed: string[] = [];
  const missing: string[] = [];
  let done = 0;
  for (const file of expected.values()) {
    if (!present.has(file.path)) missing.push(file.path);
    else if (!(await isSame(join(backup, file.path), file))) changed.push(file.path);
    done += 1;
    onFile(done, expected.size);
  }
  const extra = [...present].filter((each) => each !== manifestName && !expected.has(each));
  return { changed, missing, extra };
};

const isSame = async (file: string, { bytes, sha256 }: Manifest['files'][number]): Promise<boolean> => {
  if (!(await lstat(file)).isFile()) return false;
  const found = await hashFile(file);
  return found.bytes === bytes && found.sha256 === sha256;
};
