import type { Attempt, Facts, StepOutcome } from '../port.ts';
import { hasDeployed } from './ledger.ts';
import type { Failure } from './verdict.ts';

export const done = (detail: string, facts?: Facts): StepOutcome => ({
  outcome: 'done',
  detail,
  ...(facts && { facts }),
});

export const refused = (code: string, detail: string, facts?: Facts): StepOutcome => ({
  outcome: 'refused',
  code,
  detail,
  ...(facts && { facts }),
});

const factsOf = ({ apiCode, detail }: Failure, asked: string): Facts => ({
  asked,
  answered: detail,
  ...(apiCode !== 0 && { code: String(apiCode) }),
});

/** Nothing has happened now. What is on the air is never given up for want of an answer, only looked at again. */
export const notYet = (detail: string, facts: Facts, attempt?: Attempt): StepOutcome => ({
  outcome: attempt && hasDeployed(attempt) ? 'uncertain' : 'retry',
  detail,
  facts,
});

/** What a failed request means for the step that made it. */
export const settle = (failure: Failure, asked: string, attempt?: Attempt): StepOutcome => {
  const { detail } = failure;
  const facts = factsOf(failure, asked);
  switch (failure.verdict) {
    case 'refused':
    case 'conflict':
      return refused(failure.code, detail, facts);
    case 'uncertain':
      return { outcome: 'uncertain', detail, facts };
    case 'retry':
      return { ...notYet(detail, facts, attempt), ...(failure.afterMs !== undefined && { afterMs: failure.afterMs }) };
    case 'absent':
    case 'exists':
    case 'lagging':
      return notYet(detail, facts, attempt);
    default:
      return failure satisfies never;
  }
};

/** The same for a look: whoever cannot see knows nothing, and a refusal to show is no verdict on what happened. */
export const unseen = (failure: Failure, asked: string): StepOutcome => ({
  outcome: 'uncertain',
  detail: failure.detail,
  facts: factsOf(failure, asked),
});
