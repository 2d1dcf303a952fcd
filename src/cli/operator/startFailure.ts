import { exitCodes } from '../exitCodes.ts';
import { Failure } from '../failure.ts';
import { messageOf } from '../messageOf.ts';

const cannotReach = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH']);

/** Why the stores or the server could not be opened, with what to do; anything unforeseen passes as it is. */
export const startFailure = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  const code = codeOf(error);
  // The second is what the embedded event store's server says of its own port.
  if (code === 'EADDRINUSE' || /\[listen EADDRINUSE: /.test(error.message)) {
    return new Failure(`A port is taken: ${error.message}`, {
      code: 'port_taken',
      hint: 'Choose another with --port, --edge-port or OPSLOG_EVENTSTORE_PORT; 0 takes any.',
    });
  }
  if (error.name === 'DataFolderInUse' || error.name === 'DatabaseInUse') {
    return new Failure(error.message, {
      code: 'folder_in_use',
      hint: 'Another Opslog runs on this folder. Stop it, or choose another folder with --data.',
    });
  }
  if (error.name === 'DatabaseDiskFull' || code === 'ENOSPC' || code === 'EDQUOT') {
    return new Failure(error.message, {
      code: 'storage_full',
      hint: 'Make room on the disk of the data folder, then start again. Nothing that was acknowledged is lost.',
    });
  }
  if (error.name === 'RestoreUnfinished') return new Failure(error.message, { code: 'restore_unfinished' });
  if (error.name === 'EpochStale') return new Failure(error.message, { code: 'epoch_stale' });
  if (error.name === 'EventStoreCorrupt') return new Failure(error.message, { code: 'event_store_corrupt' });
  if (['VaultUnusable', 'MasterKeyUnusable', 'MasterKeyMissing'].includes(error.name)) {
    return new Failure(error.message, { code: 'keys_unusable' });
  }
  if (cannotReach.has(code) || error.name === 'EventLogUnavailable' || error.name === 'ArtifactStoreUnavailable') {
    return new Failure(messageOf(error), {
      code: 'unreachable',
      exitCode: exitCodes.unreachable,
      hint: 'Run "opslog doctor" to see what is configured and what answers.',
    });
  }
  return error;
};

const codeOf = (error: Error): string => {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return codeOf(error.errors[0]);
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
};
