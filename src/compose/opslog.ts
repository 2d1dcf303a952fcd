import { startControl } from '../cli/control/server.ts';
import type { Config } from '../config.ts';
import { openParts, type Parts } from '../parts.ts';
import type { Log } from '../platform/log/port.ts';
import { createClosing } from './closing.ts';
import { type EdgePart, type Extras, startEdge } from './edge.ts';
import { createDomainMetrics } from './edgeDomains.ts';
import { type Front, startFront } from './front.ts';
import { createJobMetrics } from './jobMetrics.ts';
import { createGate, enterEpoch, markEpoch, offerResync } from './maintenance.ts';
import { createMetrics } from './metrics.ts';
import { startPublishing } from './publishing.ts';
import { startReactions } from './reactions.ts';
import { createReadiness } from './readiness.ts';
import { startReadTables } from './readTables.ts';
import { seedInstallation } from './seeding.ts';
import { createService } from './service.ts';
import { createWebhookMetrics } from './webhooks.ts';

export type RunningOpslog = {
  /** Where the API answers. */
  readonly url: string;
  /** Where the edge router answers; '' in a process without the runner role. */
  readonly edgeUrl: string;
  /** Only when a fresh store was seeded with a password that was made up: show it once. */
  readonly adminPassword?: string;
  readonly parts: Parts;
  close(): Promise<void>;
};

/**
 * Starts one process of Opslog with the roles of its configuration. The API port answers `/health/live` first of all and
 * everything else once it is there. Throws what keeps a part from starting, after closing what had been started.
 */
export const startOpslog = async (
  config: Config,
  { logger, ...extras }: { readonly logger: Log } & Extras,
): Promise<RunningOpslog> => {
  const closing = createClosing();
  try {
    const metrics = createMetrics();
    const front = config.roles.has('api') ? await startFront(config) : undefined;
    if (front) closing.add(front.close);
    const parts = await openParts(config, { logger });
    closing.add(parts.close);
    if (config.roles.has('api') || config.roles.has('runner')) await parts.checkArtifacts();
    await enterEpoch(parts);
    const reads = await startReadTables(parts, metrics);
    closing.add(reads.stop);
    createDomainMetrics(metrics.registry, parts);
    createWebhookMetrics(metrics.registry, parts);
    const jobMetrics = createJobMetrics(metrics.registry, parts.queries.jobCounts);
    const seeded = front && (await seedInstallation(parts));
    await markEpoch(parts);
    const readiness = createReadiness(parts, reads);
    // Another process may run the workers; then the configured port says where.
    let edge: EdgePart | undefined;
    const edgeUrl = (scriptName: string): string =>
      edge?.provider.url(scriptName) ?? `http://${scriptName}.${config.edge.baseDomain}:${config.edge.port}`;
    const service =
      front && createService(parts, reads, readiness, metrics, edgeUrl, () => edge?.tlsPort ?? config.edge.tlsPort);
    if (service) closing.add(service.close);
    if (front && service) front.serve(service.handler);

    const gate = createGate(parts, readiness);
    edge = config.roles.has('runner') ? await startEdge(parts, reads, jobMetrics, gate, closing, extras) : undefined;
    const { runner } = edge ?? {};
    if (runner) readiness.add('runner', () => ({ ok: true, detail: `${runner.inFlight()} in flight` }));
    if (config.roles.has('runner')) startReactions(parts, reads, closing);
    if (config.roles.has('publisher')) startPublishing(parts, metrics, closing);
    if (edge) await offerResync(parts, edge);
    const control = await startControl(parts, { logger });
    closing.add(control.close);
    // Last to come, first to go: what is being answered still needs everything else.
    if (front) closing.add(front.close);
    if (service) closing.add(service.endLongAnswers);
    readiness.started();
    logger.info({ url: urlOf(front), roles: [...config.roles] }, 'opslog is ready');
    return {
      url: urlOf(front),
      edgeUrl: edge?.url ?? '',
      parts,
      ...(seeded?.generatedPassword !== undefined && { adminPassword: seeded.generatedPassword }),
      close: closing.close,
    };
  } catch (error) {
    await closing.close().catch(() => undefined);
    throw error;
  }
};

const urlOf = (front: Front | undefined): string => front?.url ?? '';
