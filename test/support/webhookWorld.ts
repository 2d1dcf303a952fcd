import { randomUUID } from 'node:crypto';
import { createAggregates } from '../../src/commands/aggregates.ts';
import type { Envelope } from '../../src/commands/envelope.ts';
import { createWebhook } from '../../src/commands/webhook.ts';
import { deliverKind, replayKind, testKind } from '../../src/commands/webhookDelivery.ts';
import type { Clock } from '../../src/platform/clock/port.ts';
import { systemClock, systemRandom } from '../../src/platform/clock/system.ts';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { parseRange } from '../../src/platform/outbound/addresses.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import type { Outbound } from '../../src/platform/outbound/port.ts';
import { carryOutJob } from '../../src/sagas/jobs/carryOutJob.ts';
import type { JobKinds } from '../../src/sagas/jobs/effect.ts';
import { startReactors } from '../../src/sagas/reactor.ts';
import { deliver } from '../../src/sagas/webhooks/deliver.ts';
import { shredKind, webhookReactor } from '../../src/sagas/webhooks/react.ts';
import { replayDeliveries } from '../../src/sagas/webhooks/replay.ts';
import { shredWebhookKeys } from '../../src/sagas/webhooks/shred.ts';
import { createMemoryLog } from './memoryLog.ts';
import { createMemoryVault } from './memoryVault.ts';
import { watchLog } from './watched.ts';

const loopback = parseRange('127.0.0.1');

/** One workspace with its webhooks over a log in memory; reactions, jobs and messages are the real ones. */
export const startWebhookWorld = async () => {
  const time = { ahead: 0 };
  const now = (): number => Date.now() + time.ahead;
  const log = createMemoryLog(now);
  const watch = watchLog(log);
  const vault = createMemoryVault();
  /** Its pauses are a hundred times shorter than they say, and its time can be moved on. */
  const clock: Clock = { now, sleep: (ms, signal) => systemClock.sleep(ms / 100, signal) };
  const aggregates = createAggregates({ log, now });
  const outbound: Outbound = createOutbound({
    ...{ clock, allow: loopback ? [loopback] : [], allowHttp: true },
  });
  const workspaceId = randomUUID();
  const envelope = (more: Partial<Envelope> = {}): Envelope => ({
    ...{ commandId: randomUUID(), commandDigest: '', actor: { kind: 'user', id: 'user-1' }, authMethod: 'session' },
    ...{ workspaceId, departmentId: '', requestId: 'r1', correlationId: 'c1', causationId: '', ...more },
  });
  const owner = { userId: 'user-1', email: 'ada@example.com', displayName: 'Ada' };
  const made = { type: 'CreateWorkspace', data: { name: 'W', slug: 'w', owner } } as const;
  await aggregates.workspace.send(workspaceId, made, envelope());

  const deps = { aggregates, vault, outbound, clock, random: systemRandom };
  const create = async (url: string, more: { eventTypes?: string[]; departmentIds?: string[] } = {}) => {
    const settings = { url, description: '', eventTypes: ['department.*'], departmentIds: [], ...more };
    const created = await createWebhook(deps, workspaceId, settings, envelope());
    if (!created.ok) throw new Error(created.rejection.rejected);
    const { webhookId, secret } = created.value;
    watch(secret ?? '', 'the secret of a webhook');
    return { webhookId, secret: secret ?? '' };
  };
  /** From where a replay read the log. */
  const readFrom: bigint[] = [];
  const reading: Pick<EventLog, 'readAllBatches'> = {
    readAllBatches: (options) => {
      readFrom.push(options?.after ?? -1n);
      return log.readAllBatches(options);
    },
  };
  const sending = deliver({ webhooks: aggregates.webhook, log, vault, outbound, clock, userAgent: 'Opslog/test' });
  const kinds: JobKinds = {
    ...{ [deliverKind]: sending, [testKind]: sending },
    [replayKind]: replayDeliveries({
      ...{ aggregates, log: reading },
      positions: async ({ workspaceId: of, fromMs, toMs }) => {
        const own = log.events.filter(
          ({ metadata, recordedAt }) => metadata['workspaceId'] === of && recordedAt >= fromMs && recordedAt < toMs,
        );
        const [first, last] = [own[0]?.position, own.at(-1)?.position];
        if (first === undefined || last === undefined) return undefined;
        return { after: log.events.findLast(({ position }) => position < first)?.position ?? 0n, last };
      },
    }),
    [shredKind]: shredWebhookKeys({ webhooks: aggregates.webhook, vault, clock }),
  };
  const react = () =>
    startReactors({
      ...{ log, logger: silentLog, clock },
      checkpoints: { load: async () => 0n, save: async () => {} },
      reactors: [webhookReactor({ aggregates, subscriptions: async () => [] })],
    });
  let reactors = react();
  const jobIds = (): readonly string[] =>
    log.events.flatMap(({ type, stream }) => (type === 'JobEnqueued' ? [stream.slice('job-'.length)] : []));
  const reacted = async (): Promise<void> => {
    for (let head = -1n; head !== (log.events.at(-1)?.position ?? 0n); ) {
      head = log.events.at(-1)?.position ?? 0n;
      while (reactors.position() < head) await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  /** `silent`: the process dies between the message and its report. */
  const carryOut = async (jobId: string, { holder = 'node/1', silent = false } = {}): Promise<string> => {
    const context = { workspaceId, departmentId: '', requestId: 'r1', correlationId: 'c1', causationId: 'e1' };
    const stopping = new AbortController();
    const dying: typeof aggregates.job = {
      ...aggregates.job,
      send: async (id, command, request) => {
        if (command.type !== 'ReportJob') return aggregates.job.send(id, command, request);
        stopping.abort();
        throw new Error('the process is dead');
      },
    };
    const jobs = silent ? dying : aggregates.job;
    const deps = { jobs, kinds, clock, random: systemRandom, holder, leaseMs: 60_000 };
    return carryOutJob(deps, { jobId, context, takeover: false }, stopping.signal).catch(() => 'died');
  };
  const state = async (jobId: string) => (await aggregates.job.load(jobId)).state;
  /** Carries out what is due now, until nothing is; answers what became of each. */
  const work = async (): Promise<readonly string[]> => {
    const became: string[] = [];
    for (;;) {
      await reacted();
      const due: string[] = [];
      for (const jobId of jobIds()) {
        const job = await state(jobId);
        if (job.status === 'pending' && job.nextAttemptAt <= now()) due.push(jobId);
      }
      if (due.length === 0) return became;
      for (const jobId of due) became.push(await carryOut(jobId));
    }
  };
  let departments = 0;
  return {
    ...{
      log,
      vault,
      aggregates,
      deps,
      workspaceId,
      envelope,
      create,
      work,
      carryOut,
      state,
      jobIds,
      reacted,
      now,
      readFrom,
      watch,
    },
    travel: (ms: number) => {
      time.ahead += ms;
    },
    /** Something that happens in the workspace. */
    happen: async (departmentId: string = randomUUID()) => {
      departments += 1;
      const data = { workspaceId, name: `D${departments}`, slug: `d${departments}` };
      const command = { type: 'CreateDepartment', data } as const;
      const sent = await aggregates.department.send(departmentId, command, envelope({ departmentId }));
      if (!sent.ok) throw new Error(sent.rejection.rejected);
      const last = log.events.at(-1);
      return last?.id ?? '';
    },
    webhook: async (webhookId: string) => (await aggregates.webhook.load(webhookId)).state,
    /** The reactions begin again from the first event, as without their checkpoint. */
    restart: async () => {
      await reactors.stop();
      reactors = react();
      await reacted();
    },
    stop: () => reactors.stop(),
  };
};

export type WebhookWorld = Awaited<ReturnType<typeof startWebhookWorld>>;
