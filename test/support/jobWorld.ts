import { createAggregate } from '../../src/commands/send.ts';
import { type JobCommand, job } from '../../src/domain/job/index.ts';
import type { Clock } from '../../src/platform/clock/port.ts';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import { type Alarms, createAlarms } from '../../src/sagas/alarms.ts';
import { systemEnvelope } from '../../src/sagas/envelope.ts';
import { carryOutJob } from '../../src/sagas/jobs/carryOutJob.ts';
import type { AttemptSeen } from '../../src/sagas/jobs/deps.ts';
import type { JobEffect, JobInHand, JobKind, JobOutcome } from '../../src/sagas/jobs/effect.ts';
import { createMemoryLog } from './memoryLog.ts';

export const jobId = 'job-1';
const context = { workspaceId: 'company-1', departmentId: '', requestId: 'r1', correlationId: 'c1', causationId: 'e1' };

/** Time that moves only when the test says so; `pass` also ends the sleeps that are over by then. */
export const createManualClock = () => {
  let now = 1_000;
  const sleepers = new Map<() => void, number>();
  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) => sleepCounted(sleepers, ms, signal),
  };
  // Those who wait for alarms are counted, not the one sleep that all of them share.
  const shared = new Map<() => void, number>();
  const { after } = createAlarms({ now: clock.now, sleep: (ms, signal) => sleepCounted(shared, ms, signal) });
  let waiting = 0;
  const alarms: Alarms = {
    after: (ms, ring) => {
      let over = false;
      const end = (): void => {
        if (!over) waiting -= 1;
        over = true;
      };
      waiting += 1;
      const callOff = after(ms, () => {
        end();
        ring();
      });
      return () => {
        end();
        callOff();
      };
    },
  };
  const sleepCounted = (sleepers: Map<() => void, number>, ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        sleepers.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      sleepers.set(wake, now + ms);
      if (signal?.aborted) wake();
      else signal?.addEventListener('abort', wake, { once: true });
    });
  return {
    clock,
    alarms,
    pass: (ms: number): void => {
      now += ms;
      for (const [wake, until] of [...sleepers, ...shared]) if (until <= now) wake();
    },
    /** Without waking anybody: as for a process that stands still. */
    skip: (ms: number): void => {
      now += ms;
    },
    sleeping: () => sleepers.size + waiting,
  };
};

type Answer = JobOutcome | ((job: JobInHand, signal: AbortSignal) => Promise<JobOutcome>);

/** An effect that answers as it was told, in order, then `done`; it keeps what it was asked. */
export const createScriptedEffect = () => {
  const asked: string[] = [];
  const answers: Answer[] = [];
  const effect: JobEffect = async (inHand, signal) => {
    asked.push(`${inHand.mode}#${inHand.attempt}`);
    const answer = answers.shift() ?? { outcome: 'done', detail: 'done' };
    return typeof answer === 'function' ? answer(inHand, signal) : answer;
  };
  return { effect, asked, answer: (...more: readonly Answer[]) => void answers.push(...more) };
};

export const leaseMs = 9_000;
export const timeoutMs = 30_000;

/** One job's log with as many nodes as a test asks for; each has its own view of the log, as processes have. */
export const startJobWorld = (options: { readonly log?: EventLog } = {}) => {
  const log = options.log ?? createMemoryLog();
  const time = createManualClock();
  const script = createScriptedEffect();
  const observed: AttemptSeen[] = [];
  let ids = 0;
  const random = { uuid: () => `lease-${++ids}`, bytes: () => new Uint8Array(), fraction: () => 1 };
  const kind: JobKind = { effect: script.effect, timeoutMs, backoff: { firstMs: 1_000, ceilingMs: 60_000 } };
  const jobs = createAggregate(job, { log, now: time.clock.now });
  const never = new AbortController().signal;
  const node = (holder: string, kinds: Readonly<Record<string, JobKind>> = { 'domain.verify': kind }) => {
    const own = createAggregate(job, { log, now: time.clock.now });
    const observe = (attempt: AttemptSeen): void => void observed.push(attempt);
    return ({ takeover = false, stop = never }: { takeover?: boolean; stop?: AbortSignal } = {}) =>
      carryOutJob(
        { jobs: own, kinds, clock: time.clock, alarms: time.alarms, random, holder, leaseMs, observe },
        { jobId, context, takeover },
        stop,
      );
  };
  const tell = async (key: string, command: JobCommand) => {
    const sent = await jobs.send(jobId, command, systemEnvelope('test', context, key));
    if (!sent.ok) throw new Error(sent.rejection.rejected);
  };
  const facts = async () => {
    const types: string[] = [];
    for await (const event of log.readStream(`job-${jobId}`)) types.push(event.type);
    return types;
  };
  const state = async () => (await jobs.load(jobId)).state;
  return {
    ...time,
    ...script,
    log,
    kind,
    node,
    run: node('node-1/1'),
    other: node('node-2/1'),
    tell,
    facts,
    state,
    observed,
  };
};

export type JobWorld = ReturnType<typeof startJobWorld>;
