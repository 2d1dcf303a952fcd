import { Gauge, type Registry } from 'prom-client';
import type { Parts } from '../parts.ts';
import { systemClock } from '../platform/clock/system.ts';
import type { EdgeProvider } from '../platform/edge/port.ts';
import { readCheckpoints } from '../projections/engine/checkpoints.ts';
import { outdatedTables } from '../projections/engine/createTables.ts';
import { edgeDomainJobs } from '../sagas/edgeDomainJobs.ts';
import { destroyReplacedCertificates, detachDomainsOfGoneWorkers, workOnDomains } from '../sagas/edgeDomains.ts';
import { type NodeHostnames, startNodeDomains } from '../sagas/edgeNodeDomains.ts';
import type { JobKinds } from '../sagas/jobs/effect.ts';
import type { Reactor } from '../sagas/reactor.ts';
import type { Closing } from './closing.ts';
import type { ReadTablesPart } from './readTables.ts';

export const domainJobKinds = ({ aggregates }: Parts, providers: readonly EdgeProvider[]): JobKinds =>
  Object.assign({}, ...providers.map((provider) => edgeDomainJobs({ aggregates, provider })));

export const domainReactors = ({ aggregates, queries, vault }: Parts, reads: ReadTablesPart): readonly Reactor[] => [
  workOnDomains({ aggregates }),
  detachDomainsOfGoneWorkers({
    aggregates,
    domainsOfWorker: async (worker, position) => {
      if ((await reads.waitFor(position, { timeoutMs: 30_000, tables: ['edge_domains'] })) !== 'reached') {
        throw new Error('The read tables are behind.');
      }
      return queries.domainsOfWorker(worker);
    },
  }),
  destroyReplacedCertificates({ vault }),
];

/** Gives this node the host names and certificates that the log says, from now until it closes. */
export const startDomains = async (parts: Parts, hostnames: NodeHostnames, closing: Closing): Promise<void> => {
  const { log, logger, aggregates, vault } = parts;
  const domains = await startNodeDomains({
    ...{ log, logger, vault, hostnames, domains: aggregates.edgeDomain, clock: systemClock },
    knownDomains: () => knownDomains(parts),
  });
  closing.add(() => domains.stop());
};

/** What the table knows, and up to where; nothing from a table of another version. */
const knownDomains = async ({ database, queries, tables }: Parts) => {
  const checkpoints = await readCheckpoints(database.session);
  if (outdatedTables(tables, checkpoints).includes('edge_domains')) return { ids: [], position: 0n };
  // The position first: what comes into the table meanwhile is read twice, which is harmless.
  const position = checkpoints.get('edge_domains')?.position ?? 0n;
  return { ids: await queries.domainsAt({ provider: 'workerd' }), position };
};

const warnDays = [0, 30] as const;
const dayMs = 86_400_000;

/** Counted when somebody asks; 0 days: expired. No name is told, as whoever reads figures may be no member. */
export const createDomainMetrics = (registry: Registry, { queries }: Pick<Parts, 'queries'>): void => {
  new Gauge({
    name: 'opslog_edge_domain_certificates_ending',
    help: 'Certificates of host names that end within so many days, in the whole installation; 0: that have ended.',
    labelNames: ['days'] as const,
    registers: [registry],
    async collect() {
      this.reset();
      for (const days of warnDays) {
        const endBefore = systemClock.now() + days * dayMs;
        // A database that is away must not take the other figures with it.
        const count = await queries.certificatesEndingBefore({ endBefore }).catch(() => undefined);
        if (count !== undefined) this.set({ days: String(days) }, count);
      }
    },
  });
};
