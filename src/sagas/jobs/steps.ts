import type { JobData, JobStep } from '../../domain/job/index.ts';
import type { Clock } from '../../platform/clock/port.ts';
import type { JobInHand } from './effect.ts';
import { plainResult } from './report.ts';

/** The steps of one attempt. */
export type Steps = {
  readonly step: JobInHand['step'];
  /** No step begins any more. Answers the one that is not in the log yet: it goes there with the report. */
  end(): Promise<JobStep | undefined>;
};

type StepsOptions = {
  readonly clock: Clock;
  /** What earlier attempts have done. */
  readonly known: ReadonlyMap<string, JobData>;
  /** The first step that is not recorded may have happened. */
  readonly inDoubt: boolean;
  readonly isOver: () => boolean;
  /** The lease ended by the clock, though nobody may have noticed yet: a process that stood still. */
  readonly ranOut: () => boolean;
  /** Answers why it was refused, '' when it is in the log. */
  readonly record: (step: JobStep) => Promise<string>;
};

/**
 * A result is recorded before the next step begins. It waits for one turn of the event loop, no longer: when the report
 * follows at once, which it does after the last step, both go into the log together.
 */
export const createSteps = ({ clock, known, inDoubt, isOver, ranOut, record }: StepsOptions): Steps => {
  const results = new Map(known);
  let doubtful = inDoubt;
  let ended = false;
  let under: string | undefined;
  let unrecorded: JobStep | undefined;
  let writing: Promise<void> | undefined;

  const recorded = async (step: JobStep): Promise<void> => {
    const refused = await record(step);
    if (refused !== '') throw new Error(`The step ${step.step} could not be recorded: ${refused}`);
    unrecorded = undefined;
  };
  const write = (): Promise<void> => {
    if (!unrecorded) return Promise.resolve();
    writing ??= recorded(unrecorded).finally(() => {
      writing = undefined;
    });
    return writing;
  };
  const writeSoon = async (): Promise<void> => {
    await clock.sleep(0);
    if (!ended && !isOver()) await write();
  };
  const mayBegin = (name: string): void => {
    if (ended || isOver() || ranOut()) throw new Error(`The step ${name} is not begun: this attempt is over.`);
  };
  const find = async (
    name: string,
    perform: () => Promise<JobData>,
    look: (() => Promise<JobData | undefined>) | undefined,
  ) => {
    const found = doubtful ? await look?.() : undefined;
    doubtful = false;
    if (found === undefined) mayBegin(name);
    // Masked for the effect, too: a later attempt is answered with what the log has.
    return plainResult(found ?? (await perform()));
  };

  return {
    step: async (name, perform, look) => {
      if (under !== undefined) throw new Error(`The step ${name} must wait for ${under}: one after the other.`);
      under = name;
      try {
        await write();
        mayBegin(name);
        const earlier = results.get(name);
        if (earlier) return earlier;
        const result = await find(name, perform, look);
        results.set(name, result);
        unrecorded = { step: name, result };
        // A failure is met by whoever needs the record: the next step, or the report, which takes it along.
        writeSoon().catch(() => undefined);
        return result;
      } finally {
        under = undefined;
      }
    },
    end: async () => {
      ended = true;
      await writing?.catch(() => undefined);
      return unrecorded;
    },
  };
};
