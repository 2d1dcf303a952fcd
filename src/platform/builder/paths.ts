import { caseless } from '../../domain/caseless.ts';
import { clip } from '../../domain/kernel.ts';
import type { SubmissionLimits } from './limits.ts';

const encoder = new TextEncoder();

/**
 * The one spelling of a path that the rest of the system sees: Unicode NFC (macOS packs NFD), without a leading `./`
 * or a trailing slash. `''` is the root folder.
 */
export const normalisePath = (path: string): string => {
  let start = 0;
  while (path.startsWith('./', start)) start += 2;
  const end = path.endsWith('/') && path.length > start ? path.length - 1 : path.length;
  const rest = path.slice(start, end);
  return rest === '.' ? '' : rest.normalize('NFC');
};

/** Why a normalised path is refused, as the end of a sentence; undefined when it is fine. */
export const pathProblem = (path: string, limits: SubmissionLimits): string | undefined => {
  if (path === '') return 'is empty';
  if (path.includes('\0')) return 'contains a NUL character';
  if (/\p{Cc}/u.test(path)) return 'contains a control character';
  if (/\p{Surrogate}/u.test(path) || path.includes('\uFFFD')) return 'is not valid Unicode';
  if (path.includes('\\')) return 'contains a backslash';
  if (path.startsWith('/')) return 'is absolute';
  if (/^[A-Za-z]:/.test(path)) return 'starts with a drive letter';
  const segments = path.split('/');
  if (segments.includes('..')) return 'leads out of the submission';
  if (segments.includes('.') || segments.includes('')) return 'has an empty or "." segment';
  if (segments.length > limits.pathDepth) return `is more than ${limits.pathDepth} segments deep`;
  if (encoder.encode(path).length > limits.pathBytes) return `is longer than ${limits.pathBytes} bytes`;
  return undefined;
};

/** Equal for two paths that a file system somewhere would take for one: case and Unicode spelling folded. */
export const foldPath = caseless;

/** Files that macOS adds to archives by itself; they are not source and never text. */
export const isMacLitter = (path: string): boolean => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return path.startsWith('__MACOSX/') || path === '__MACOSX' || name === '.DS_Store' || name.startsWith('._');
};

/** A path as it may be shown in a message: printable and short. */
export const showPath = (path: string): string => {
  const printable = path.replace(/[\p{Cc}\p{Surrogate}]/gu, '\uFFFD');
  return printable.length > 200 ? `${clip(printable, 200)}…` : printable;
};

export const byPath = (a: { readonly path: string }, b: { readonly path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
