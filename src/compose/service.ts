import type { RequestListener } from 'node:http';
import { createApi } from '../api/app.ts';
import { apiLimits } from '../api/deps.ts';
import { createFeedWatch } from '../api/feedWatch.ts';
import { administratorId } from '../commands/seed.ts';
import type { Parts } from '../parts.ts';
import { createBuilder } from '../platform/builder/builder.ts';
import { readArchive } from '../platform/builder/readArchive.ts';
import { readFiles } from '../platform/builder/readFiles.ts';
import { systemClock, systemRandom } from '../platform/clock/system.ts';
import { toCsv } from '../platform/csv/stringify.ts';
import { sealHead } from '../platform/evidence/auditHead.ts';
import { createRequestObserver } from '../platform/metrics/http.ts';
import { createLoadGauges } from '../platform/metrics/load.ts';
import { createPasswords } from '../platform/password/argon2.ts';
import { createScheduleRules } from '../platform/schedule/croner.ts';
import { createSshKeys } from '../platform/ssh/keys.ts';
import { version } from '../version.ts';
import { createRefusals } from './controlAudit.ts';
import { edgePlaces, edgeUrlOf } from './edgeProviders.ts';
import { createImportedCost } from './importedPasswords.ts';
import type { Metrics } from './metrics.ts';
import { startPast } from './past/past.ts';
import type { ReadinessPart } from './readiness.ts';
import type { ReadTablesPart } from './readTables.ts';
import { throttle } from './throttle.ts';
import { workerLogReader } from './workerLogs.ts';
import { workerTail } from './workerTail.ts';

export type Service = {
  readonly handler: RequestListener;
  /** Streams would stay open for ever, and looks back for a minute: they end before the server does. */
  readonly endLongAnswers: () => Promise<void>;
  close(): Promise<void>;
};

const maxAttempts = 8;
/** Commits of the projector come faster than anybody reads. */
const feedLookMs = 20;

/** The HTTP API over the parts of this process. */
export const createService = (
  parts: Parts,
  reads: ReadTablesPart,
  readiness: ReadinessPart,
  metrics: Metrics,
  edgeUrl: (scriptName: string) => string,
  tlsPort: () => number | undefined,
): Service => {
  const { aggregates, log, queries, artifacts, config, folder, logger, scope } = parts;
  const builder = createBuilder({ signer: parts.buildKey, builderVersion: version });
  const { requestsPerSecond: perSecond, workspaceRequestsPerSecond: perWorkspace } = config;
  const schedules = createScheduleRules();
  const passwords = createPasswords({ imported: createImportedCost(queries.importedPasswordCosts, systemClock.now) });
  const streamsEnding = new AbortController();
  const openTail = workerTail(parts);
  const feed = createFeedWatch(queries);
  const feedChanged = throttle(feed.changed, feedLookMs);
  reads.onChange(feedChanged.call);
  const past = startPast(parts);
  const refusals = createRefusals(parts, metrics.registry);
  const handler = createApi({
    ...{ version, aggregates, log, queries, past, artifacts, builder, logger },
    isUnavailable: (error) => parts.database.classify(error) === 'unavailable',
    waitFor: async (position, wait) => ((await reads.waitFor(position, wait)) === 'reached' ? 'reached' : 'timeout'),
    schedules,
    reader: { schedules, readFiles: (files) => readFiles(files), readArchive: (bytes) => readArchive(bytes) },
    mayCreateWorkspace: (userId) => config.workspaceCreation === 'anyone' || userId === administratorId,
    ...{ refusals, passwords, vault: parts.vault, sshKeys: createSshKeys() },
    outbound: parts.outbound,
    ...{ workerLogs: workerLogReader(parts), streamsEnding: streamsEnding.signal, feed },
    ...{ signHead: (head) => sealHead(head, parts.buildKey), csv: toCsv },
    ...(openTail && { openTail }),
    edge: {
      places: edgePlaces(config, scope),
      maxAttempts,
      url: edgeUrlOf(config, edgeUrl),
      tlsPort,
    },
    clock: systemClock,
    random: systemRandom,
    secretKey: folder.secretKey,
    trustForwarded: config.trustProxy,
    metrics: metrics.registry,
    observe: createRequestObserver(metrics.registry),
    showLoad: (read) => createLoadGauges(metrics.registry, read),
    readiness: readiness.read,
    limits: {
      ...apiLimits,
      perToken: { perSecond, burst: perSecond * 4 },
      perWorkspace: { perSecond: perWorkspace, burst: perWorkspace * 2 },
    },
  });
  return {
    handler,
    endLongAnswers: () => {
      streamsEnding.abort();
      return past.close();
    },
    close: () => {
      feedChanged.stop();
      return Promise.all([refusals.close(), builder.close(), past.close()]).then(() => undefined);
    },
  };
};
