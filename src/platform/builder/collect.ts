import type { SubmissionLimits } from './limits.ts';
import { byPath, foldPath, isMacLitter, normalisePath, pathProblem, showPath } from './paths.ts';
import type { Refused, SourceFile, SubmissionRejection } from './port.ts';

/** Gathers the files of one submission; every rule that does not depend on the container is here. */
export type Collector = {
  /** Before the bytes are unpacked: judges name, declared size and count. `skip` means there is nothing to keep. */
  readonly admit: (rawPath: string, bytes: number) => 'keep' | 'skip' | Refused;
  readonly add: (rawPath: string, bytes: Uint8Array) => Refused | undefined;
  /** A folder keeps nothing, but its name must be as harmless as any. */
  readonly folder: (rawPath: string) => Refused | undefined;
  readonly finish: () => SourceFile[] | Refused;
};

export const refuse = (
  rejected: SubmissionRejection,
  entry: string,
  what: string,
  more: Readonly<Record<string, string | number>> = {},
): Refused => ({ rejected, reason: `"${showPath(entry)}" ${what}.`, details: { entry: showPath(entry), ...more } });

const strictText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const decodeText = (bytes: Uint8Array): string | undefined => {
  try {
    return strictText.decode(bytes);
  } catch {
    return undefined;
  }
};

export const createCollector = (limits: SubmissionLimits): Collector => {
  const files: SourceFile[] = [];
  const taken = new Map<string, 'file' | 'folder'>();
  let total = 0;

  const claim = (path: string): Refused | undefined => {
    const folded = foldPath(path);
    if (taken.get(folded) === 'file') return refuse('SubmissionPathDuplicate', path, 'is there twice');
    if (taken.has(folded)) return refuse('SubmissionPathDuplicate', path, 'is both a file and a folder');
    for (let end = folded.indexOf('/'); end !== -1; end = folded.indexOf('/', end + 1)) {
      const parent = folded.slice(0, end);
      if (taken.get(parent) === 'file')
        return refuse('SubmissionPathDuplicate', path, 'lies inside what is also a file');
      taken.set(parent, 'folder');
    }
    taken.set(folded, 'file');
    return undefined;
  };

  const judge = (rawPath: string, bytes: number): Refused | undefined => {
    const path = normalisePath(rawPath);
    const problem = pathProblem(path, limits);
    if (problem !== undefined) return refuse('SubmissionPathRefused', rawPath, problem);
    if (rawPath.endsWith('/')) return refuse('SubmissionPathRefused', rawPath, 'names a folder, not a file');
    if (files.length >= limits.files)
      return refuse('SubmissionTooLarge', rawPath, `is one file more than the ${limits.files} allowed`, {
        limit: limits.files,
      });
    if (bytes > limits.bytesPerFile)
      return refuse('SubmissionTooLarge', rawPath, `is larger than ${limits.bytesPerFile} bytes`, {
        limit: limits.bytesPerFile,
      });
    if (total + bytes > limits.bytes)
      return refuse('SubmissionTooLarge', rawPath, `takes the submission over ${limits.bytes} bytes`, {
        limit: limits.bytes,
      });
    return undefined;
  };

  return {
    admit: (rawPath, bytes) => (isMacLitter(normalisePath(rawPath)) ? 'skip' : (judge(rawPath, bytes) ?? 'keep')),
    add: (rawPath, bytes) => {
      const refused = judge(rawPath, bytes.length) ?? claim(normalisePath(rawPath));
      if (refused !== undefined) return refused;
      if (decodeText(bytes) === undefined) return refuse('SubmissionFileNotText', rawPath, 'is not UTF-8 text');
      files.push({ path: normalisePath(rawPath), bytes });
      total += bytes.length;
      return undefined;
    },
    folder: (rawPath) => {
      const path = normalisePath(rawPath);
      if (path === '' || isMacLitter(path)) return undefined;
      const problem = pathProblem(path, limits);
      if (problem !== undefined) return refuse('SubmissionPathRefused', rawPath, problem);
      const folded = foldPath(path);
      if (taken.get(folded) === 'file')
        return refuse('SubmissionPathDuplicate', rawPath, 'is both a file and a folder');
      taken.set(folded, 'folder');
      return undefined;
    },
    finish: () =>
      files.length === 0
        ? { rejected: 'SubmissionEmpty', reason: 'The submission contains no files.' }
        : files.toSorted(byPath),
  };
};
