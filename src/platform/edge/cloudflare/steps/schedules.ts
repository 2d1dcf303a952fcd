import type { StepOutcome } from '../../port.ts';
import type { Step, StepInput } from '../context.ts';
import { toCloudflareCrons } from '../cron.ts';
import { type Looked, lookFor } from '../look.ts';
import { done, refused, settle, unseen } from '../outcome.ts';

const asked = 'GET schedules';

const list = (crons: readonly string[]): string => (crons.length === 0 ? 'none' : crons.join('; '));

const read = async ({ context, spec, signal }: StepInput): Promise<Looked<readonly string[]>> => {
  const found = await context.api.readSchedules(signal, spec.scriptName);
  if (found.verdict !== 'done') return found;
  return { seen: 'yes', value: found.result.schedules.map(({ cron }) => cron) };
};

const same = (wanted: readonly string[], found: readonly string[]): boolean =>
  wanted.length === found.length && wanted.every((cron) => found.some((each) => each.toUpperCase() === cron));

const replace = async (
  { context, spec, attempt, signal }: StepInput,
  crons: readonly string[],
): Promise<StepOutcome> => {
  const put = await context.api.replaceSchedules(signal, spec.scriptName, crons);
  if (put.verdict !== 'done') return settle(put, 'PUT schedules', attempt);
  return done(`schedules: ${list(crons)}`, { asked: 'PUT schedules', answered: list(crons) });
};

/** All schedules are replaced at once, so that those of an earlier revision go. */
export const schedulesStep: Step = {
  perform: async (input) => {
    const wanted = toCloudflareCrons(input.spec.schedules);
    if (!wanted.ok) return refused(wanted.code, wanted.detail);
    const found = await read(input);
    if (!('seen' in found)) return settle(found, asked, input.attempt);
    const isSo = found.seen === 'yes' && same(wanted.crons, found.value);
    return isSo ? done(`schedules: ${list(wanted.crons)}`) : replace(input, wanted.crons);
  },
  probe: async (input) => {
    const wanted = toCloudflareCrons(input.spec.schedules);
    if (!wanted.ok) return refused(wanted.code, wanted.detail);
    const found = await lookFor(input.context, input.signal, () => read(input));
    if (!('seen' in found)) return unseen(found, asked);
    const crons = found.seen === 'yes' ? found.value : [];
    const facts = { asked, found: list(crons) };
    if (same(wanted.crons, crons)) return done(`schedules: ${list(crons)}`, facts);
    return { outcome: 'retry', detail: `the schedules are others: ${list(crons)}`, facts };
  },
};
