import type { Aggregates } from '../../src/commands/aggregates.ts';
import type { Envelope } from '../../src/commands/envelope.ts';
import { enqueueJob } from '../../src/commands/job.ts';
import type { JobCommand } from '../../src/domain/job/index.ts';

/** The part of a random history that is about jobs. */
export const jobSteps = [
  ...(['enqueueJob', 'enqueueJob', 'leaseJob', 'leaseJob', 'leaseJob', 'renewJob', 'progressJob', 'stepJob'] as const),
  ...(['reportJob', 'reportJob', 'reportJob', 'cancelJob', 'confirmJobCancel', 'redriveJob'] as const),
] as const;
export type JobStep = (typeof jobSteps)[number];

export const isJobStep = (what: string): what is JobStep => jobSteps.some((each) => each === what);

type KnownJob = { readonly id: string; readonly workspaceId: string; leaseId: string };
export type JobWorld = KnownJob[];

type Step = { readonly what: JobStep; readonly pick: number; readonly choice: number };
type Now = { readonly index: number; readonly now: number; readonly text: string };

const outcomes = ['done', 'refused', 'retry', 'retry', 'uncertain'] as const;

export const performJobStep = async (
  aggregates: Aggregates,
  known: JobWorld,
  { what, pick, choice }: Step,
  { index, now, text }: Now,
  workspaceId: string,
  envelope: Envelope,
): Promise<void> => {
  if (what === 'enqueueJob') {
    const job = {
      ...{ kind: choice % 2 ? 'domain.verify' : 'server.patch', workspaceId, subjectId: `subject-${choice % 3}` },
      ...{
        payload: { text, index, urgent: choice % 2 === 0 },
        dedupeKey: `intent-${choice % 20}`,
        priority: choice % 10,
      },
      ...{ runAt: now, maxAttempts: 2 },
    };
    const sent = await enqueueJob({ aggregates }, job, { ...envelope, workspaceId });
    if (sent.ok && !known.some(({ id }) => id === sent.value.jobId)) {
      known.push({ id: sent.value.jobId, workspaceId, leaseId: 'none' });
    }
    return;
  }
  const job = known[pick % known.length];
  if (!job) return;
  if (what === 'leaseJob') job.leaseId = `lease-${index}`;
  const command = commandOf(what, choice, { index, now, text }, job.leaseId);
  await aggregates.job.send(job.id, command, { ...envelope, workspaceId: job.workspaceId });
};

const commandOf = (what: Exclude<JobStep, 'enqueueJob'>, choice: number, at: Now, leaseId: string): JobCommand => {
  const { index, now, text } = at;
  const timing = { startedAt: now - 5, durationMs: 5 };
  switch (what) {
    case 'leaseJob': {
      const holder = `node-${choice % 2}/${index}`;
      const data = { leaseId, holder, now, leasedUntil: now + 5_000, takeover: choice % 3 === 0 };
      return { type: 'LeaseJob', data };
    }
    case 'renewJob':
      return { type: 'RenewJobLease', data: { leaseId, now, leasedUntil: now + 9_000 } };
    case 'progressJob':
      return { type: 'RecordJobProgress', data: { leaseId, percent: choice % 101, note: text } };
    case 'stepJob':
      return { type: 'RecordJobStep', data: { leaseId, step: `step${choice % 3}`, result: { text } } };
    case 'reportJob': {
      const detail = `saw ${text} Bearer abcdefghijkl`;
      const outcome = outcomes[choice % outcomes.length] ?? 'done';
      const later = { detail, nextAttemptAt: now + 500 };
      switch (outcome) {
        case 'done':
          return { type: 'ReportJob', data: { leaseId, ...timing, outcome: { outcome, detail, result: { text } } } };
        case 'refused':
          return { type: 'ReportJob', data: { leaseId, ...timing, outcome: { outcome, detail, code: 'said_no' } } };
        default:
          return { type: 'ReportJob', data: { leaseId, ...timing, outcome: { outcome, ...later } } };
      }
    }
    case 'cancelJob':
      return { type: 'RequestJobCancel', data: {} };
    case 'confirmJobCancel':
      return { type: 'ConfirmJobCancel', data: { leaseId, detail: text, ...timing } };
    case 'redriveJob':
      return { type: 'RedriveJob', data: { now } };
  }
};
