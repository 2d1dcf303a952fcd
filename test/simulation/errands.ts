import { enqueueJob, jobIdOf } from '../../src/commands/job.ts';
import type { OpslogEvent } from '../../src/domain/catalog.ts';
import type { Recorded } from '../../src/domain/kernel.ts';
import type { JobKinds } from '../../src/sagas/jobs/effect.ts';
import { companyId, envelopeOf, type Request } from './clients.ts';
import type { Faults } from './faults.ts';
import type { Process } from './process.ts';
import type { Draws } from './random.ts';
import { settings } from './settings.ts';
import type { Surroundings } from './surroundings.ts';

const errandKind = 'simulated.errand';
/** Errands that one process does at once, at most. */
export const errandHands = 2;

type Lease = { readonly holder: string; readonly attempt: number; leasedUntil: number };
type Around = Pick<Surroundings, 'now' | 'violate' | 'isHealthy'>;

/** Jobs that are over in milliseconds, so that the next are leased ahead: what they change outside, and whoever checks it. */
export const createErrands = ({ now, violate, isHealthy }: Around) => {
  const leases = new Map<string, Lease>();
  const fences = new Map<string, number>();
  const happened = new Set<string>();
  const underWay = new Map<string, number>();

  /** Leases of jobs, of whatever kind, as the facts tell them. */
  const take = ({ type, data, meta }: Recorded<OpslogEvent>): void => {
    const { subjectId: jobId } = meta;
    switch (type) {
      case 'JobAttemptRecorded': {
        const holder = leases.get(jobId)?.holder ?? '';
        if (data.outcome === 'lost' && isHealthy(holder))
          violate('jobLease', `${holder} let its lease of ${jobId} run out though nothing had befallen it`);
        leases.delete(jobId);
        return;
      }
      case 'JobSucceeded':
        leases.delete(jobId);
        return;
      case 'JobLeased':
        leases.set(jobId, { holder: data.holder, attempt: data.attempt, leasedUntil: data.leasedUntil });
        return;
      case 'JobLeaseRenewed': {
        const lease = leases.get(jobId);
        if (lease) lease.leasedUntil = data.leasedUntil;
      }
    }
  };
  const checkBegun = (process: string, jobId: string, attempt: number): void => {
    const lease = leases.get(jobId);
    const what = `${process} begins ${jobId}#${attempt}`;
    if (lease?.holder !== process || lease.attempt !== attempt) violate('jobFencing', `${what} without its lease`);
    else if (now() > lease.leasedUntil + settings.skewMs)
      violate('jobFencing', `${what}, whose lease ran out ${now() - lease.leasedUntil} ms ago`);
    if ((underWay.get(process) ?? 0) > errandHands) violate('hands', `${what}, which is one too many at once`);
  };

  const kinds = (process: Process, draws: Draws, faults: Faults): JobKinds => ({
    [errandKind]: {
      timeoutMs: 10_000,
      effect: async ({ jobId, attempt, mode }, signal) => {
        const others = underWay.get(process.name) ?? 0;
        underWay.set(process.name, others + 1);
        try {
          checkBegun(process.name, jobId, attempt);
          const fault = faults.machine();
          await process.clock.sleep(fault === 'slow' ? draws.between(1_000, 8_000) : draws.between(1, 30), signal);
          if (signal.aborted) return { outcome: 'retry', detail: 'stopped before it took effect' };
          if (attempt < (fences.get(jobId) ?? 0)) return { outcome: 'retry', detail: 'fenced' };
          fences.set(jobId, attempt);
          if (mode === 'probe')
            return happened.has(jobId)
              ? { outcome: 'done', detail: 'it is so' }
              : { outcome: 'retry', detail: 'it is not so' };
          if (fault === 'retry') return { outcome: 'retry', detail: 'no room' };
          if (happened.has(jobId)) violate('effectOnce', `${jobId} is done a second time, in attempt ${attempt}`);
          happened.add(jobId);
          if (fault === 'throws') throw new Error('the socket hung up');
          return { outcome: 'done', detail: 'done' };
        } finally {
          underWay.set(process.name, (underWay.get(process.name) ?? 1) - 1);
        }
      },
    },
  });
  return { take, kinds };
};

export type Errands = ReturnType<typeof createErrands>;

const envelopeFor = (key: string, what: string) => envelopeOf(key, what, '');

const errandId = (key: string): string => jobIdOf({ workspaceId: companyId, kind: errandKind, dedupeKey: key });

/** Puts an errand into the queue; answered with the id of the job. */
export const errand = (key: string): Request => {
  const what = `errand ${key}`;
  const job = { kind: errandKind, workspaceId: companyId, subjectId: '', dedupeKey: key };
  const jobId = errandId(key);
  return {
    ...{ key, what, stream: `job-${jobId}` },
    send: async (aggregates) => {
      const sent = await enqueueJob({ aggregates }, job, envelopeFor(key, what));
      return sent.ok ? { ok: true, text: sent.value.jobId } : { ok: false, text: sent.rejection.rejected };
    },
  };
};

export const cancelErrand = (key: string): Request => {
  const what = `cancel errand ${key}`;
  const jobId = errandId(key);
  return {
    ...{ key: `cancel-${key}`, what, stream: `job-${jobId}` },
    send: async ({ job }) => {
      const sent = await job.send(jobId, { type: 'RequestJobCancel', data: {} }, envelopeFor(`cancel-${key}`, what));
      return sent.ok
        ? { ok: true, text: sent.events.map(({ type }) => type).join(',') }
        : { ok: false, text: sent.rejection.rejected };
    },
  };
};
