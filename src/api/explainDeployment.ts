import type { StepAnswer, TicketWithSteps } from '../projections/answers.ts';
import type { Explanation } from './explanationModel.ts';
import { isoTimeOrNull } from './models.ts';
import { waysOut } from './waysOut.ts';

/**
 * What was asked, answered and found, what happens next and how to end it. Everything is taken from the ticket's own
 * records, so that two who look at the same ticket read the same story.
 */
export const explainDeployment = (ticket: TicketWithSteps): Explanation => {
  const record = decisive(ticket);
  const words = record ? evidenceOf(ticket.records, record) : nothingYet;
  const attemptsLeft = isLive(ticket) ? Math.max(0, ticket.maxAttempts - ticket.attemptCount) : 0;
  return {
    summary: summaryOf(ticket, record, words),
    step: record?.step ?? null,
    ...words,
    ...nextOf(ticket, attemptsLeft),
    attemptsLeft,
    ways: [...waysOut(ticket)],
  };
};

const isLive = ({ status }: TicketWithSteps): boolean =>
  status === 'pending' || status === 'leased' || status === 'uncertain';

/** The record that says how it stands: the newest of all, for each says more than what was before it. */
const decisive = ({ records }: TicketWithSteps): StepAnswer | undefined => records.at(-1);

type Evidence = Pick<Explanation, 'asked' | 'answered' | 'found'>;
const nothingYet: Evidence = { asked: null, answered: null, found: null };

/** What was asked is the newest doing of the step; what was found, the newest look that came no earlier. */
const evidenceOf = (records: readonly StepAnswer[], { step }: StepAnswer): Evidence => {
  const ofStep = records.filter((each) => each.step === step);
  const doing = ofStep.findLast(isDoing) ?? ofStep.at(-1);
  if (!doing) return nothingYet;
  const look = ofStep.findLast(({ sequence, mode }) => mode === 'probe' && sequence >= doing.sequence);
  return {
    asked: doing.facts['asked'] ?? step,
    answered: doing.facts['answered'] ?? doing.detail ?? 'nothing',
    found: doing.facts['found'] ?? (look && (look.facts['found'] ?? look.detail)) ?? null,
  };
};

/** A look that found nothing goes on to do the step: what came of that is a doing, too. */
const isDoing = ({ mode, facts }: StepAnswer): boolean => mode === 'perform' || facts['answered'] !== undefined;

const summaryOf = (ticket: TicketWithSteps, record: StepAnswer | undefined, evidence: Evidence): string => {
  const what = `Revision ${ticket.revision ?? '?'}`;
  const step = record?.step ?? 'its first step';
  switch (ticket.status) {
    case 'pending':
      return ticket.attemptCount === 0
        ? `${what} waits for its first attempt.`
        : `${what} waits for attempt ${ticket.attemptCount + 1}: step ${step} did not succeed, and nothing came of it outside.`;
    case 'leased':
      return `A runner is at work on ${what.toLowerCase()}, attempt ${ticket.attemptCount}.`;
    case 'uncertain':
      return evidence.found === null
        ? `It is not known whether step ${step} took effect: it was asked for, and the answer does not tell.`
        : `It is not known whether step ${step} took effect: somebody looked, and could not tell either.`;
    case 'completed':
      return `${what} is on the air since it completed, after ${attempts(ticket.attemptCount)}.`;
    case 'failed':
      // What a step did before another one failed may be outside all the same: nothing is claimed about that here.
      return `The deployment of ${what.toLowerCase()} failed: ${ticket.errorMessage ?? ticket.reasonCode ?? 'no reason was given'}`;
    case 'cancelled':
      return `The deployment of ${what.toLowerCase()} was cancelled${ticket.attemptCount === 0 ? '; nothing was done outside' : ''}.`;
  }
};

const attempts = (count: number): string => (count === 1 ? 'one attempt' : `${count} attempts`);

const nextOf = (ticket: TicketWithSteps, attemptsLeft: number): Pick<Explanation, 'next' | 'at'> => {
  const left = attemptsLeft === 0 ? 'This is the last attempt.' : `${attempts(attemptsLeft)} may follow.`;
  const cancel = ticket.cancelRequested
    ? ' A cancellation was asked for and is confirmed if the world saw nothing.'
    : '';
  switch (ticket.status) {
    case 'pending':
      return {
        next: `A runner takes it up. ${remaining(attemptsLeft)}${cancel}`,
        at: isoTimeOrNull(ticket.nextAttemptAt),
      };
    case 'leased':
      return {
        next: `The runner reports, or another takes over if it is silent until then. ${left}${cancel}`,
        at: isoTimeOrNull(ticket.leasedUntil),
      };
    case 'uncertain':
      return {
        next:
          'A runner looks whether it happened. If so the deployment goes on; if not, the step is done again. ' +
          `It is looked at, less and less often, until that is known. ${remaining(attemptsLeft)}${cancel}`,
        at: isoTimeOrNull(ticket.nextAttemptAt),
      };
    case 'completed':
    case 'failed':
    case 'cancelled':
      return { next: 'Nothing: it has settled.', at: null };
  }
};

const remaining = (left: number): string =>
  left === 0 ? 'No attempt is left should a step fail now.' : `${attempts(left)} left.`;
