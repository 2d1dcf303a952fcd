import type { TicketAnswer } from '../projections/answers.ts';
import type { Explanation, WayOut } from './explanationModel.ts';

type Ways = Explanation['ways'];
const way = (action: WayOut, description: string) => ({ action, description });

const cancel = way('cancel', 'Cancel it: POST …/cancel. It is confirmed once it is sure that the world saw nothing.');
const giveUp = way(
  'giveUp',
  'End it as failed without knowing: POST …/cancel with giveUp. Reconcile afterwards, to learn what runs.',
);
const supersede = way('supersede', 'Deploy another revision in its place: POST a deployment with supersede.');
const reconcile = way('reconcile', 'Reconcile: it compares what runs with what should, and proposes what to do.');
const deployAgain = way('deploy', 'Deploy again: a new ticket with attempts of its own.');

/** How a deployment can be ended, or what to do after it has ended. What its status does not allow is not offered. */
export const waysOut = ({ status, reasonCode }: Pick<TicketAnswer, 'status' | 'reasonCode'>): Ways => {
  switch (status) {
    case 'pending':
      return [cancel, supersede];
    case 'leased':
      return [cancel];
    case 'uncertain':
      return [way('wait', 'Wait: looking settles it as soon as the provider can tell.'), cancel, giveUp];
    case 'completed':
      return [way('rollback', 'Roll back to put the revision back that was live before.')];
    case 'cancelled':
      return [deployAgain];
    case 'failed':
      return afterFailure(reasonCode ?? '');
  }
};

/** Codes of a provider or of a step's own making that are not listed here ask for a change of what is deployed. */
const afterFailure = (reasonCode: string): Ways => {
  switch (reasonCode) {
    case 'given_up':
    case 'overtaken':
      return [reconcile, deployAgain];
    case 'attempts_exhausted':
      return [way('repair', 'See in the steps what the outside answered, and repair that.'), deployAgain];
    case 'worker_retired':
    case 'worker_deleted':
      return [way('repair', 'Its department or company was removed. Deploy from another department.')];
    case 'revision_missing':
      return [way('repair', 'Submit the revision again, and deploy that.')];
    case 'secret_gone':
    case 'secret_unreadable':
      return [way('repair', 'Store the secret again, submit a new revision that reads it, and deploy that.')];
    case 'provider_unauthorized':
      return [
        way('repair', 'The provider does not accept the credentials of this Opslog: its operator mends that.'),
        deployAgain,
      ];
    default:
      return [way('repair', 'Mend what the reason names, submit a new revision if need be.'), deployAgain];
  }
};
