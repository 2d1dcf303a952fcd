import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { compareWithManifest, type Manifest, readManifest } from '../../platform/backup/manifest.ts';
import { obstacleIn, restoreInto } from '../../platform/backup/restore.ts';
import { unpackInto } from '../../platform/backup/tar.ts';
import { readVaultKeys, type VaultKeys } from '../../platform/backup/vaultKeys.ts';
import { lockFolder } from '../../platform/eventstore/folderLock.ts';
import type { Cli } from '../cli.ts';
import { command } from '../command.ts';
import { exitCodes } from '../exitCodes.ts';
import { Failure } from '../failure.ts';
import { configOf } from './node.ts';
import { keepFilesPrivate } from './privacy.ts';
import { startFailure } from './startFailure.ts';

const args = z.object({
  backup: z.string().min(1),
  keys: z.string().optional(),
  force: z.boolean().default(false),
  check: z.boolean().default(false),
  data: z.string().optional(),
});

export const run = command(args, async ({ backup, keys, force, check, data }, cli) => {
  keepFilesPrivate();
  const config = configOf(cli, { OPSLOG_DATA_DIR: data });
  if (config.eventStoreUrl !== undefined && !check) {
    throw new Failure('EVENTSTORE_URL names a server that keeps the log: restore that server by its own means.', {
      code: 'log_elsewhere',
    });
  }
  const dataDir = resolve(cli.cwd, config.dataDir);
  const folders = { dataDir, sharedDir: config.sharedDir ? resolve(cli.cwd, config.sharedDir) : dataDir };
  await withFolder(resolve(cli.cwd, backup), dirname(dataDir), async (source) => {
    const manifest = await checked(cli, source);
    if (check) return answer(cli, manifest, `The backup is whole.`, {});
    const vaultKeys = keys === undefined ? undefined : await keysOf(resolve(cli.cwd, keys), manifest);
    const movedTo = await makeRoom(folders, force);
    const unlock = await lockFolder(dataDir).catch((error: unknown) => {
      throw startFailure(error);
    });
    try {
      const onFile = (done: number) => cli.status(`Restoring: ${done} of ${manifest.files.length} files`);
      await restoreInto(folders, source, manifest, { restoreId: randomUUID(), keys: vaultKeys, onFile });
    } finally {
      await unlock();
    }
    const note = [
      `Restored into ${dataDir}.`,
      ...(movedTo === '' ? [] : [`What was there is in ${movedTo}.`]),
      ...(vaultKeys ? [] : ['Without the keys of secrets no secret opens.']),
      'The next "opslog serve" begins a new epoch. Do not start the installation that the backup came from again.',
    ];
    answer(cli, manifest, note.join('\n'), { dataDir, movedTo, keys: vaultKeys !== undefined });
  });
});

const answer = (cli: Cli, manifest: Manifest, text: string, more: object): void => {
  const { backupId, createdAt, position, epoch, events, artifacts, scope } = manifest;
  const facts = `Backup of ${createdAt}: ${events} events up to position ${position}, ${artifacts} artifacts.`;
  cli.answer(
    { ok: true, backupId, createdAt, scope, position, epoch, events, artifacts, ...more },
    `${facts}\n${text}`,
  );
};

/** A folder is read where it is; an archive is unpacked beside the data folder and taken away again. */
const withFolder = async (path: string, scratchIn: string, work: (folder: string) => Promise<void>): Promise<void> => {
  const there = await stat(path).catch(() => undefined);
  if (there === undefined) throw new Failure(`There is no ${path}.`, { code: 'backup_missing' });
  if (there.isDirectory()) return work(path);
  await mkdir(scratchIn, { recursive: true });
  const folder = await mkdtemp(join(scratchIn, '.opslog-restore-'));
  try {
    await unpackInto(path, folder).catch((error: unknown) => {
      throw new Failure(error instanceof Error ? error.message : String(error), { code: 'backup_unreadable' });
    });
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const checked = async (cli: Cli, source: string): Promise<Manifest> => {
  const read = await readManifest(source);
  if (!read.ok) {
    const hint =
      read.code === 'newer' ? 'Use the version of Opslog that wrote it, or a newer one.' : 'Take another backup.';
    throw new Failure(read.message, { code: `backup_${read.code}`, hint, exitCode: exitCodes.unverified });
  }
  const found = await compareWithManifest(source, read.manifest, (done, of) =>
    cli.status(`Checking: ${done} of ${of}`),
  );
  const { changed, missing, extra } = found;
  if (changed.length + missing.length + extra.length === 0) return read.manifest;
  const parts = Object.entries(found).flatMap(([what, paths]) =>
    paths.length === 0 ? [] : [`${what}: ${paths.slice(0, 10).join(', ')}${paths.length > 10 ? ', …' : ''}`],
  );
  throw new Failure(`The backup is not what its manifest says. Nothing was written. ${parts.join('; ')}.`, {
    ...{ code: 'backup_damaged', exitCode: exitCodes.unverified, more: found },
    hint: 'Take another backup.',
  });
};

const keysOf = async (path: string, { backupId }: Manifest): Promise<VaultKeys> => {
  const keys = await readVaultKeys(path).catch((error: unknown) => {
    throw new Failure(error instanceof Error ? error.message : String(error), { code: 'keys_missing' });
  });
  if (keys === undefined) throw new Failure(`${path} is no file of keys, or not whole.`, { code: 'keys_unreadable' });
  if (keys.backupId !== backupId) {
    throw new Failure(`${path} belongs to another backup, ${keys.backupId}.`, {
      code: 'keys_of_another',
      hint: 'Name the file that --with-keys wrote together with this backup.',
    });
  }
  return keys;
};

/** Answers where what was there is now; '' when nothing was. */
const makeRoom = async (folders: { dataDir: string; sharedDir: string }, force: boolean): Promise<string> => {
  const { dataDir } = folders;
  const obstacle = await obstacleIn(folders);
  if (obstacle === undefined) return '';
  if (!force) {
    throw new Failure(`${dataDir} is not empty: ${obstacle}.`, {
      code: 'folder_not_empty',
      hint: 'Name an empty folder with --data, or add --force to move what is there aside.',
    });
  }
  // Nobody may be at work in what is moved.
  const unlock = await lockFolder(dataDir).catch((error: unknown) => {
    throw startFailure(error);
  });
  await unlock();
  const aside = `${dataDir}.before-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  if (existsSync(aside)) throw new Failure(`${aside} exists.`, { code: 'target_exists' });
  await rename(dataDir, aside);
  return aside;
};
