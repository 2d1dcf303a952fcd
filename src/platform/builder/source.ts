import { z } from 'zod';
import { decodeText } from './collect.ts';
import { byPath } from './paths.ts';
import type { Project } from './port.ts';

/** Stored source that this program did not write, or that was changed since. */
export class SourceNotCanonical extends Error {
  override readonly name = 'SourceNotCanonical';
}

const FORMAT = 'opslog-source-1';

const sourceForm = z.strictObject({
  format: z.literal(FORMAT),
  language: z.enum(['javascript', 'typescript']),
  entryPoint: z.string(),
  compatibilityDate: z.string(),
  compatibilityFlags: z.array(z.string()),
  files: z.array(z.strictObject({ path: z.string(), text: z.string() })),
});

/**
 * The canonical form of a project: one line of JSON, keys in the order below, files sorted by path, flags sorted without
 * repeats, and a newline. Every file is text by then, so the form is readable as it is and exact to the byte.
 */
export const writeSource = (project: Project): Uint8Array => {
  const form: z.infer<typeof sourceForm> = {
    format: FORMAT,
    language: project.language,
    entryPoint: project.entryPoint,
    compatibilityDate: project.compatibilityDate,
    compatibilityFlags: [...new Set(project.compatibilityFlags)].toSorted(),
    files: project.files.toSorted(byPath).map(({ path, bytes }) => ({ path, text: textOf(path, bytes) })),
  };
  return new TextEncoder().encode(`${JSON.stringify(form)}\n`);
};

/** The way back. Throws SourceNotCanonical unless these are exactly the bytes that writeSource would write. */
export const readSource = (bytes: Uint8Array): Project => {
  const parsed = sourceForm.safeParse(parseJson(decodeText(bytes) ?? ''));
  if (!parsed.success) throw new SourceNotCanonical('The source is not in the form that this program stores.');
  const { files, format: _, ...settings } = parsed.data;
  const project = {
    ...settings,
    files: files.map(({ path, text }) => ({ path, bytes: new TextEncoder().encode(text) })),
  };
  if (Buffer.compare(writeSource(project), bytes) !== 0)
    throw new SourceNotCanonical('The source has the right form, but its bytes are not the canonical ones.');
  return project;
};

const textOf = (path: string, bytes: Uint8Array): string => {
  const text = decodeText(bytes);
  if (text === undefined)
    throw new TypeError(`${path} is not UTF-8 text; reading the submission should have refused it`);
  return text;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
