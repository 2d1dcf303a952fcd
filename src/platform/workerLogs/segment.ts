import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { hasCode } from '../artifacts/durable.ts';
import type { LogLine } from './port.ts';

// <folder>/<script>/<node>/<first sequence>.jsonl: one node writes, anybody reads.
const segmentName = /^(\d{15})\.jsonl$/;
const scriptShape = /^[a-z0-9][a-z0-9-]{0,62}$/;
const nodeShape = /^[0-9a-f]{8}$/;

/** Throws for what is no script name: nothing else may become a path. */
export const scriptFolder = (folder: string, scriptName: string): string => {
  if (!scriptShape.test(scriptName)) throw new Error('This is not the name of a script.');
  return join(folder, scriptName);
};

export const segmentPath = (nodeFolder: string, first: number): string =>
  join(nodeFolder, `${String(first).padStart(15, '0')}.jsonl`);

const namesIn = async (path: string): Promise<readonly string[]> => {
  try {
    return await readdir(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
};

/** First sequences of the segments that are there, oldest first. */
export const listSegments = async (nodeFolder: string): Promise<readonly number[]> =>
  (await namesIn(nodeFolder)).flatMap((name) => Number(segmentName.exec(name)?.[1] ?? []) || []).sort((a, b) => a - b);

export const listNodes = async (folder: string, scriptName: string): Promise<readonly string[]> =>
  (await namesIn(scriptFolder(folder, scriptName))).filter((name) => nodeShape.test(name)).sort();

const origins = ['console', 'runtime', 'platform'] as const;
const stored = z.tuple([z.number(), z.number(), z.number(), z.enum(origins), z.string(), z.string()]);

export type StoredLine = LogLine & { readonly sequence: number };

export const formatLine = (sequence: number, { at, revision, origin, level, message }: LogLine): string =>
  `${JSON.stringify([sequence, at, revision, origin, level, message])}\n`;

/** Undefined for a line that was torn or is none of ours. */
export const parseLine = (text: string): StoredLine | undefined => {
  try {
    const [sequence, at, revision, origin, level, message] = stored.parse(JSON.parse(text));
    return { sequence, at, revision, origin, level, message };
  } catch {
    return undefined;
  }
};
