import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpslogProblem } from '../../client/index.ts';
import { Failure } from '../failure.ts';
import { type Paint, plain } from '../paint.ts';

/** A fault in the source, shown with its place and its line; undefined when the problem names no place. */
export const sourceFailure = async (
  { problem }: OpslogProblem,
  folder: string,
  paint: Paint,
): Promise<Failure | undefined> => {
  const { details = {}, code, detail } = problem;
  const { file, line, column, text } = details;
  if (typeof file !== 'string' || typeof line !== 'number' || typeof column !== 'number') return undefined;
  const message = typeof text === 'string' ? text : detail;
  const shown = (await lineOf(join(folder, file), line)) ?? [];
  const gutter = String(line).length;
  const frame = shown.flatMap((source) => [
    `  ${line} | ${plain(source.replaceAll('\t', ' '))}`,
    `  ${' '.repeat(gutter)} | ${' '.repeat(Math.max(0, column - 1))}${paint.red('^')}`,
  ]);
  const { hint, others } = details;
  const more = typeof others === 'number' && others > 0 ? [`and ${others} more like it`] : [];
  return new Failure([`${file}:${line}:${column}: ${message}`, ...frame, ...more].join('\n'), {
    code,
    more: { problem },
    ...(typeof hint === 'string' && hint !== '' && { hint }),
  });
};

/** The line of a file, as a list of one; undefined when it cannot be read. */
const lineOf = async (path: string, line: number): Promise<readonly string[] | undefined> => {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  const found = text?.split(/\r?\n/)[line - 1];
  return found === undefined ? undefined : [found.slice(0, 200)];
};
