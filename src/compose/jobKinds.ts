import type { Parts } from '../parts.ts';
import type { EdgeProvider, NodeProvider } from '../platform/edge/port.ts';
import type { JobKinds } from '../sagas/jobs/effect.ts';
import { credentialJobKinds } from './credentials.ts';
import { domainJobKinds } from './edgeDomains.ts';
import type { JobMetrics } from './jobMetrics.ts';
import { lifecycleJobKinds } from './lifecycle.ts';
import type { ReadTablesPart } from './readTables.ts';
import { scheduleJobKinds } from './scheduling.ts';
import { secretJobKinds } from './secrets.ts';
import { webhookJobKinds } from './webhooks.ts';

/** Every kind of job that this program can do, one line each. */
export const createJobKinds = (
  parts: Parts,
  reads: ReadTablesPart,
  providers: readonly EdgeProvider[],
  node: NodeProvider,
  metrics: Pick<JobMetrics, 'delivered'>,
): JobKinds => ({
  ...domainJobKinds(parts, providers),
  ...lifecycleJobKinds(parts, reads, providers),
  ...secretJobKinds(parts),
  ...credentialJobKinds(parts),
  ...scheduleJobKinds(parts, node),
  ...webhookJobKinds(parts, reads, metrics),
});
