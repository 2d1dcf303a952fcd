import type { Parts } from '../parts.ts';
import type { JobKinds } from '../sagas/jobs/effect.ts';
import type { ReadTablesPart } from './readTables.ts';
import { secretJobKinds } from './secrets.ts';

/** Every kind of job that this program can do, one line each. */
export const createJobKinds = (parts: Parts, _reads: ReadTablesPart): JobKinds => ({
  ...secretJobKinds(parts),
});
