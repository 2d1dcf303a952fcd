import { type Rejection, reject } from '../kernel.ts';
import { maskSecrets } from '../masking.ts';
import type { JobData, JobFacts } from './events.ts';
import type { LiveJob } from './state.ts';

/** A lease without renewals ends after this time at the latest, so that what a dead process held comes back. */
export const maxLeaseMs = 15 * 60_000;
const maxPayloadCharacters = 16_384;
const maxSteps = 100;
const maxStepResultCharacters = 4_096;

const kindShape = /^[a-z][a-zA-Z0-9.]{0,63}$/;

type Malformed = Rejection<'JobMalformed'>;
const malformed = (field: keyof JobFacts | 'step' | 'result', reason: string): Malformed =>
  reject('JobMalformed', reason, { field });

const isWithin = (value: number, low: number, high: number): boolean =>
  Number.isInteger(value) && value >= low && value <= high;

/** What keeps this from being a job; undefined for a sound one. Lengths are those that the read table holds. */
export const whyMalformed = (job: JobFacts): Malformed | undefined => {
  if (!kindShape.test(job.kind)) return malformed('kind', 'A kind is a camel-case word of 64 characters at most.');
  if (job.workspaceId === '' || job.workspaceId.length > 64) {
    return malformed('workspaceId', 'A job belongs to a workspace.');
  }
  if (job.departmentId.length > 64) return malformed('departmentId', 'This is no id of a department.');
  if (job.subjectId.length > 128) return malformed('subjectId', 'A subject has 128 characters at most.');
  if (job.dedupeKey.length > 400) return malformed('dedupeKey', 'A dedupe key has 400 characters at most.');
  if (!isWithin(job.priority, 0, 9)) return malformed('priority', 'A priority is a whole number from 0 to 9.');
  if (!isWithin(job.maxAttempts, 1, 1_000)) return malformed('maxAttempts', 'From 1 to 1000 attempts are allowed.');
  if (!isWithin(job.runAt, 0, 8_640_000_000_000)) return malformed('runAt', 'This is no time.');
  return whyPayloadMalformed(job);
};

/** What keeps this from being a step of the job. Steps are kept in memory with the job: few, with short results. */
export const whyStepMalformed = (
  step: string,
  result: JobData,
  { steps }: Pick<LiveJob, 'steps'>,
): Malformed | undefined => {
  if (!kindShape.test(step)) return malformed('step', 'A step is a camel-case word of 64 characters at most.');
  if (steps.size >= maxSteps) return malformed('step', `A job has ${maxSteps} steps at most.`);
  if (JSON.stringify(result).length > maxStepResultCharacters) {
    const limit = `A result of a step has ${maxStepResultCharacters} characters at most`;
    return malformed('result', `${limit}: store it and refer to it.`);
  }
  return undefined;
};

const whyPayloadMalformed = ({ payload }: JobFacts): Malformed | undefined => {
  const text = JSON.stringify(payload);
  if (text.length > maxPayloadCharacters) {
    return malformed('payload', `A payload has ${maxPayloadCharacters} characters at most: store it and refer to it.`);
  }
  // What masking would hide is not fit for the log, where it would stay for ever.
  if (JSON.stringify(maskSecrets(payload)) !== text) {
    return malformed('payload', 'The payload holds what looks like a secret: refer to where it is kept instead.');
  }
  return undefined;
};
