import { join } from 'node:path';
import { isShard, type Survey, surveyOf } from './dataKeyNames.ts';
import type { DataKeys } from './dataKeys.ts';
import type { KeyFiles } from './files.ts';
import { someAtOnce } from './someAtOnce.ts';

/** The folders that data keys are in, by path. */
export const shardsOf = async (files: KeyFiles, folder: string): Promise<readonly string[]> =>
  (await files.list(folder))
    .filter(isShard)
    .toSorted()
    .map((name) => join(folder, name));

const removalsAtOnce = 8;

type Sweeping = { readonly files: KeyFiles; readonly dataKeys: DataKeys };

/** Removes the files of one folder that no reader needs, and answers what was there. */
export const sweep = async ({ files, dataKeys }: Sweeping, shard: string): Promise<Survey> => {
  const survey = surveyOf(await files.list(shard));
  // What supersedes must be durable, whoever renamed it, before the superseded go.
  await files.sync(shard);
  await eraseUndead(dataKeys, survey);
  await someAtOnce(removalsAtOnce, survey.superseded, (name) => files.unlink(join(shard, name)));
  return survey;
};

export const eraseUndead = async (dataKeys: DataKeys, { undead }: Survey): Promise<void> => {
  for (const id of new Set(undead.map((name) => name.slice(0, 32)))) await dataKeys.erase(id);
};
