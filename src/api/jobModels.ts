import { z } from 'zod';
import { idField } from '../commands/fields.ts';
import type { JobAnswer } from '../projections/job/answers.ts';
import { isoTime, isoTimeOrNull } from './models.ts';

const time = z.iso.datetime().meta({ description: 'RFC 3339, UTC.' });
const count = z.number().int().min(0);
const data = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

export const jobStatus = z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'DEAD']);

export const job = z
  .strictObject({
    jobId: idField,
    workspaceId: idField,
    departmentId: idField.nullable().meta({ description: 'Null: it is about the whole workspace.' }),
    kind: z.string(),
    subjectId: z.string().meta({ description: 'What it is about.' }),
    payload: data,
    status: jobStatus.meta({ description: 'FAILED: the world outside said no. DEAD: its attempts are spent.' }),
    uncertain: z
      .boolean()
      .meta({ description: 'It may or may not have happened; the next attempt looks before it does anything.' }),
    cancelRequested: z.boolean(),
    priority: count.meta({ description: 'From 0, the most urgent, to 9.' }),
    attempts: count.meta({ description: 'Begun since it was enqueued or redriven.' }),
    failures: count.meta({ description: 'Attempts of which nothing came: so many as `maxAttempts`, and it is dead.' }),
    maxAttempts: count,
    redrives: count,
    steps: count.meta({ description: 'Recorded so far; what is recorded is not done again.' }),
    progress: count.meta({ description: 'Percent.' }),
    note: z.string().nullable(),
    reasonCode: z.string().nullable(),
    lastError: z.string().nullable(),
    detail: z.string().nullable().meta({ description: 'What came of it, in words.' }),
    result: data.nullable(),
    next: z
      .strictObject({
        action: z.enum(['start', 'retry', 'probe', 'report']),
        at: time.nullable().meta({ description: 'Null: at once.' }),
        description: z.string(),
      })
      .nullable()
      .meta({ description: 'What happens next and when; null for a settled job.' }),
    requestId: z.string().nullable(),
    correlationId: z.string().nullable(),
    createdAt: time,
    updatedAt: time,
    startedAt: time.nullable().meta({ description: 'Of the newest attempt.' }),
    completedAt: time.nullable(),
  })
  .meta({ id: 'Job' });

export const cancelledJob = z
  .strictObject({
    jobId: idField,
    cancelled: z
      .boolean()
      .meta({ description: 'False: whoever works on it will confirm, or say that it was too late.' }),
  })
  .meta({ id: 'CancelledJob' });

export const redrivenJob = z.strictObject({ jobId: idField, redrives: count }).meta({ id: 'RedrivenJob' });

export const showJob = ({ runAt, leaseHolder: _, ...row }: JobAnswer) => ({
  ...row,
  next: nextOf({ ...row, runAt }),
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
  startedAt: isoTimeOrNull(row.startedAt),
  completedAt: isoTimeOrNull(row.completedAt),
});

/** In words, because whoever waits for a job asks exactly this. */
const nextOf = (row: Pick<JobAnswer, 'status' | 'uncertain' | 'attempts' | 'runAt'>) => {
  const at = isoTimeOrNull(row.runAt);
  switch (row.status) {
    case 'PENDING':
      if (row.uncertain) return { action: 'probe' as const, at, description: 'A runner looks whether it happened.' };
      return row.attempts === 0
        ? { action: 'start' as const, at, description: 'A runner takes it up.' }
        : { action: 'retry' as const, at, description: 'A runner tries again.' };
    case 'RUNNING':
      return {
        action: 'report' as const,
        at,
        description: 'A runner is at work; another looks at it if it is silent until then.',
      };
    case 'SUCCEEDED':
    case 'FAILED':
    case 'CANCELLED':
    case 'DEAD':
      return null;
  }
};
