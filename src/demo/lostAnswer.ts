import type { EdgeProvider, StepOutcome } from '../platform/edge/port.ts';

/** The step at which the world sees a new revision. */
const publicStep = { workerd: 'switch', cloudflare: 'deployment' } as const;

const lost: StepOutcome = {
  outcome: 'uncertain',
  detail: 'The step was carried out, but its answer was dropped on the way: this demonstration did that on purpose.',
  facts: { answered: 'nothing' },
};

export type LostAnswer = {
  /** The next public step takes effect, and nobody hears of it. */
  arm(): void;
  around(provider: EdgeProvider): EdgeProvider;
};

/** A fault to watch: what happens outside happens, only its answer is lost once. */
export const createLostAnswer = (): LostAnswer => {
  let armed = false;
  return {
    arm: () => {
      armed = true;
    },
    around: (provider) => ({
      ...provider,
      perform: async (step, spec, attempt, signal) => {
        const outcome = await provider.perform(step, spec, attempt, signal);
        if (!armed || step !== publicStep[provider.kind] || outcome.outcome !== 'done') return outcome;
        armed = false;
        return lost;
      },
    }),
  };
};
