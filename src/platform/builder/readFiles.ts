import { createCollector, refuse } from './collect.ts';
import { type SubmissionLimits, submissionLimits } from './limits.ts';
import { isRefused, type Refused, type SourceFile } from './port.ts';

/** One file of a JSON submission: text, or bytes in standard base64 with padding. */
export type JsonFile =
  | { readonly path: string; readonly content: string }
  | { readonly path: string; readonly contentBase64: string };

/** Files of a JSON body, sorted by path, or why not, with the file and the field named. */
export const readFiles = (
  json: readonly JsonFile[],
  limits: SubmissionLimits = submissionLimits,
): SourceFile[] | Refused => {
  const collector = createCollector(limits);
  for (const [index, file] of json.entries()) {
    const bytes = bytesOf(file);
    const refused = isRefused(bytes) ? bytes : collector.add(file.path, bytes);
    if (refused !== undefined) return { ...refused, field: fieldOf(refused, file, index) };
  }
  const files = collector.finish();
  return isRefused(files) ? { ...files, field: 'files' } : files;
};

const bytesOf = (file: JsonFile): Uint8Array | Refused => {
  if ('content' in file)
    return /\p{Surrogate}/u.test(file.content)
      ? refuse('SubmissionFileNotText', file.path, 'holds half a surrogate pair, which is no text')
      : new TextEncoder().encode(file.content);
  const bytes = Buffer.from(file.contentBase64, 'base64');
  // Buffer.from skips what it does not understand; writing the bytes out again shows whether it did.
  return bytes.toString('base64') === file.contentBase64
    ? new Uint8Array(bytes)
    : refuse('SubmissionFileNotText', file.path, 'is not standard base64');
};

const fieldOf = (refused: Refused, file: JsonFile, index: number): string => {
  const inContent = refused.rejected === 'SubmissionFileNotText' || refused.rejected === 'SubmissionTooLarge';
  return `files[${index}].${inContent ? ('content' in file ? 'content' : 'contentBase64') : 'path'}`;
};
