export { canonicalJson } from './canonicalJson.ts';
export { type ChainHead, type ChainVerdict, chainHash, verifyChain } from './chain.ts';
export { type Checkpoint, readCheckpoints } from './checkpoints.ts';
export { type CreatedTables, createTables } from './createTables.ts';
export { hasTables } from './ddl.ts';
export { digest, digestTables, rowsOf, type TableDigest } from './digest.ts';
export type { Decode } from './fold.ts';
export {
  type CommittedBatch,
  type Projector,
  type ProjectorLogger,
  type ProjectorOptions,
  startProjector,
} from './projector.ts';
export { visitChain } from './readChain.ts';
export { type RebuildOptions, type RebuildProgress, type Rebuilt, rebuild } from './rebuild.ts';
export { type ReplayProgress, replayInto, type Until } from './replay.ts';
export { TableFailure } from './tableFailure.ts';
export type { TableStatus } from './tableState.ts';
export type { WaitOptions, WaitOutcome } from './waiters.ts';
export { type CheckpointWatch, watchCheckpoints } from './watch.ts';
