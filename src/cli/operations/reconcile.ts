import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { everyCompany, installation, requestReconciliation } from '../../commands/reconciliation.ts';
import type { LiveJob } from '../../domain/job/index.ts';
import type { Parts } from '../../parts.ts';
import { systemClock } from '../../platform/clock/system.ts';
import { type Operation, OperationRefused } from './operation.ts';

const args = z.strictObject({ provider: z.string(), apply: z.boolean() });

const finding = z.object({
  ...{ kind: z.string(), action: z.string(), scriptName: z.string(), companyId: z.string() },
  ...{ departmentId: z.string(), expected: z.string(), found: z.string(), by: z.string(), did: z.string() },
});
export type ReconciledFinding = z.infer<typeof finding>;

const looked = z.object({
  provider: z.string(),
  jobId: z.string(),
  status: z.string(),
  detail: z.string(),
  found: z.number(),
  /** The first of them: the result of a job is short. */
  findings: z.array(finding),
});
const result = z.object({ providers: z.array(looked) });
export type Reconciled = z.infer<typeof result>;

const jobResult = z.object({
  found: z.number().default(0),
  findings: z.string().default('[]'),
});

const patienceMs = 5 * 60_000;
const lookMs = 200;

/**
 * Compares what providers run with what should run, across the installation. A runner does it, since only that touches the
 * outside; this asks and waits. Throws OperationRefused when none does it in time.
 */
export const reconcile: Operation<z.infer<typeof args>, string, Reconciled> = {
  name: 'reconcile',
  args,
  progress: z.string(),
  result,
  run: async (parts, { provider, apply }, onProgress, signal) => {
    if (nobodyElse(parts)) {
      throw new OperationRefused(
        'no_runner',
        'No server with the runner role has this folder open, and nobody else can reach its log. Start "opslog serve" first.',
      );
    }
    const providers = provider === '' ? await providersOf(parts) : [provider];
    const missing = providers.find((kind) => outOfReach(parts, kind));
    if (missing !== undefined) {
      throw new OperationRefused(
        'provider_not_configured',
        `No node can ask ${missing}: no account is configured. Set CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN and start the server again, or name another provider.`,
      );
    }
    const wanted = { providers, companyId: everyCompany, mode: apply ? 'apply' : 'look', key: randomUUID() } as const;
    const requested = await requestReconciliation(parts, wanted, envelopeOf(wanted.key));
    if (!requested.ok) throw new OperationRefused(requested.rejection.rejected, requested.rejection.reason);
    const looks: z.infer<typeof looked>[] = [];
    for (const { jobId, provider: kind } of requested.value.jobs) {
      await onProgress(`Asking ${kind} …`);
      const job = await settled(parts, jobId, kind, signal);
      looks.push(await whatCameOf(parts, jobId, kind, job));
    }
    return { providers: looks };
  },
};

/** The log is embedded at a port that nobody knows, and no runner is at work in this process. */
const nobodyElse = (parts: Parts): boolean => isAlone(parts) && parts.running.resync === undefined;

const isAlone = ({ config }: Parts): boolean => config.eventStoreUrl === undefined && config.eventStorePort === 0;

/** This process alone has the log, and it has no account there. */
const outOfReach = (parts: Parts, provider: string): boolean =>
  provider === 'cloudflare' && isAlone(parts) && parts.config.cloudflare === undefined;

/** Those that this installation has, or once had: something may be left there. */
const providersOf = async ({ queries }: Parts): Promise<readonly string[]> => {
  const scripts = await queries.scripts({ companyId: '' });
  return [...new Set(['workerd', ...scripts.map(({ provider }) => provider)])].filter((name) => name !== '').sort();
};

const envelopeOf = (key: string) => ({
  ...({ commandId: key, commandDigest: '', actor: { kind: 'system', id: 'operator' }, authMethod: 'system' } as const),
  ...{ workspaceId: installation, departmentId: '', requestId: '', correlationId: key, causationId: '' },
});

const settled = async ({ aggregates }: Parts, jobId: string, kind: string, signal: AbortSignal): Promise<LiveJob> => {
  const until = systemClock.now() + patienceMs;
  while (!signal.aborted && systemClock.now() < until) {
    const { state } = await aggregates.job.load(jobId);
    if (state.status !== 'absent' && state.status !== 'pending' && state.status !== 'running') return state;
    await systemClock.sleep(lookMs, signal);
  }
  await aggregates.job.send(jobId, { type: 'RequestJobCancel', data: {} }, envelopeOf(randomUUID()));
  throw new OperationRefused(
    'no_runner',
    `Nobody has asked ${kind} within ${patienceMs / 60_000} minutes. Start a node with the runner role that can reach it.`,
  );
};

const whatCameOf = async (
  { log }: Parts,
  jobId: string,
  provider: string,
  job: LiveJob,
): Promise<z.infer<typeof looked>> => {
  let told: { readonly detail: string; readonly result: unknown } = { detail: '', result: {} };
  for await (const { type, data } of log.readStream(`job-${jobId}`)) {
    if (type === 'JobSucceeded') told = { detail: String(data['detail']), result: data['result'] };
    else if (type === 'JobFailed' || type === 'JobDied') told = { detail: String(data['reason']), result: {} };
  }
  const { found, findings } = jobResult.parse(told.result);
  const lines: unknown = JSON.parse(findings);
  return { provider, jobId, status: job.status, detail: told.detail, found, findings: z.array(finding).parse(lines) };
};
