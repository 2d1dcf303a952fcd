import type { EdgeWorkerCommand, EdgeWorkerEvent, LiveWorker, Ticket } from '../../src/domain/edgeWorker/index.ts';
import { isRejection } from '../../src/domain/kernel.ts';
import type { StepOutcome } from '../../src/platform/edge/port.ts';
import type { Bug, EdgeWorkerDecider } from './bug.ts';
import { outsideBugs } from './outsideBugs.ts';

type Decide = EdgeWorkerDecider['decide'];
type State = Parameters<Decide>[1];

/** Commands of one kind are decided otherwise. */
const deciding = <Type extends EdgeWorkerCommand['type']>(
  type: Type,
  decide: (command: Extract<EdgeWorkerCommand, { type: Type }>, state: State, right: Decide) => ReturnType<Decide>,
) => {
  const isMeant = (command: EdgeWorkerCommand): command is Extract<EdgeWorkerCommand, { type: Type }> =>
    command.type === type;
  return (decider: EdgeWorkerDecider): EdgeWorkerDecider => ({
    ...decider,
    decide: (command, state) =>
      isMeant(command) ? decide(command, state, decider.decide) : decider.decide(command, state),
  });
};

/** What is decided on is not as it is. */
const withTicket = (state: State, change: (ticket: Ticket) => Partial<Ticket>): State =>
  state.status === 'absent' || !state.ticket
    ? state
    : { ...state, ticket: { ...state.ticket, ...change(state.ticket) } };

/** Facts are recorded otherwise. */
const recording =
  (change: (event: EdgeWorkerEvent, state: LiveWorker) => readonly EdgeWorkerEvent[]) =>
  (decider: EdgeWorkerDecider): EdgeWorkerDecider => ({
    ...decider,
    decide: (command, state) => {
      const decision = decider.decide(command, state);
      return isRejection(decision) || state.status === 'absent'
        ? decision
        : decision.flatMap((event) => change(event, state));
    },
  });

const scheduling = (nextAttemptAt: number) =>
  recording((event) =>
    event.type === 'DeploymentRetryScheduled'
      ? [{ ...event, data: { ...event.data, nextAttemptAt } }]
      : event.type === 'DeploymentBecameUncertain'
        ? [{ ...event, data: { ...event.data, nextAttemptAt } }]
        : [event],
  );

const taking =
  (uncertain: StepOutcome): NonNullable<Bug['provider']> =>
  (provider) => ({
    ...provider,
    perform: async (step, spec, attempt, signal) => {
      const outcome = await provider.perform(step, spec, attempt, signal);
      return outcome.outcome === 'uncertain' ? uncertain : outcome;
    },
  });

const inRules: readonly Bug[] = [
  {
    name: 'admit-ignores-live-ticket',
    about: 'A deployment is admitted while another is on its way.',
    decider: deciding('AdmitDeployment', (command, state, right) =>
      right(command, state.status === 'absent' ? state : { ...state, ticket: undefined }),
    ),
  },
  {
    name: 'supersede-leaves-two-alive',
    about: 'What makes way for a newer deployment is not cancelled.',
    decider: deciding('AdmitDeployment', (command, state, right) => {
      const decision = right(command, state);
      return isRejection(decision) ? decision : decision.filter(({ type }) => type !== 'DeploymentCancelled');
    }),
  },
  {
    name: 'lease-ignores-expiry',
    about: 'A lease in force keeps nobody out.',
    decider: deciding('LeaseDeployment', (command, state, right) =>
      right(
        command,
        withTicket(state, () => ({ leasedUntil: 0 })),
      ),
    ),
  },
  {
    name: 'takeover-of-any-holder',
    about: 'A node takes back its own lease, which another node has held since.',
    decider: deciding('LeaseDeployment', (command, state, right) =>
      right(
        command,
        withTicket(state, ({ holder }) => ({ holder: command.data.takeover ? `${command.data.holder}+` : holder })),
      ),
    ),
  },
  {
    name: 'lost-lease-reports',
    about: 'A report is taken from whoever sends it.',
    decider: deciding('ReportDeploymentStep', (command, state, right) => {
      const leaseId = state.status === 'absent' ? '' : (state.ticket?.leaseId ?? '');
      return right({ ...command, data: { ...command.data, leaseId } }, state);
    }),
  },
  {
    name: 'attempts-not-counted',
    about: 'Attempts never use up their budget.',
    decider: deciding('ReportDeploymentStep', (command, state, right) =>
      right(
        command,
        withTicket(state, () => ({ maxAttempts: 1_000_000 })),
      ),
    ),
  },
  {
    name: 'next-attempt-in-the-past',
    about: 'The next attempt is due at once, again and again.',
    decider: scheduling(0),
  },
  {
    name: 'next-attempt-never',
    about: 'The next attempt is never due.',
    decider: scheduling(Number.MAX_SAFE_INTEGER),
  },
  {
    name: 'completed-twice',
    about: 'The completion of a deployment is recorded two times.',
    decider: recording((event) => (event.type === 'DeploymentCompleted' ? [event, event] : [event])),
  },
  {
    name: 'superseded-version-wrong',
    about: 'The revision that was live first counts as replaced, not the one that was live last.',
    decider: recording((event, { history, revisions }) => {
      const first = revisions.find(({ revision }) => revision === history[0]);
      if (event.type !== 'DeploymentCompleted' || !event.data.supersededVersionId || !first) return [event];
      return [{ ...event, data: { ...event.data, supersededVersionId: first.versionId } }];
    }),
  },
  {
    name: 'rollback-off-by-one',
    about: 'A rollback goes to the revision with the next lower number, not to the one that was live before.',
    decider: deciding('AdmitDeployment', (command, state, right) => {
      const { kind, revision } = command.data;
      if (state.status === 'absent' || kind !== 'rollback' || revision !== 0) return right(command, state);
      const history = state.history.flatMap((each) => (each > 1 ? [each - 1, each] : [each]));
      return right(command, { ...state, history });
    }),
  },
  {
    name: 'completion-forgets-the-pause',
    about: 'A deployment that ends while its worker is paused makes it active.',
    decider: recording((event) =>
      event.type === 'DeploymentCompleted' ? [{ ...event, data: { ...event.data, workerStatus: 'active' } }] : [event],
    ),
  },
  {
    name: 'deleted-worker-keeps-its-deployment',
    about: 'The deployment of a worker that is deleted stays alive.',
    decider: deciding('DeleteEdgeWorker', (command, state, right) => {
      const decision = right(command, state);
      return isRejection(decision) ? decision : decision.filter(({ type }) => type !== 'DeploymentFailed');
    }),
  },
  {
    name: 'cancelled-without-a-look',
    about: 'What waits for its next attempt is cancelled at once, though the last one may have put it on the air.',
    decider: deciding('RequestDeploymentCancel', (command, state, right) =>
      right(
        command,
        withTicket(state, () => ({ attempt: 0 })),
      ),
    ),
  },
];

const inTaking: readonly Bug[] = [
  {
    name: 'uncertain-is-done',
    about: 'What may have happened is taken for done.',
    provider: taking({ outcome: 'done', detail: 'probably' }),
  },
  {
    name: 'uncertain-is-retry',
    about: 'What may have happened is taken for what did not, and done again without a look.',
    provider: taking({ outcome: 'retry', detail: 'probably not' }),
  },
  {
    name: 'uncertain-is-failed',
    about: 'What may have happened is taken for a refusal.',
    provider: taking({ outcome: 'refused', code: 'gateway', detail: 'it failed' }),
  },
  {
    name: 'look-skipped',
    about: 'Nobody looks whether an uncertain step has happened.',
    provider: (provider) => ({ ...provider, probe: async () => ({ outcome: 'retry', detail: 'not looked at' }) }),
  },
  {
    name: 'public-is-cancelled',
    about: 'A cancellation is confirmed whatever is on the air.',
    provider: (provider) => ({
      ...provider,
      isPublic: () => false,
    }),
  },
];

/** All of them, each to be switched on alone. */
export const bugs: readonly Bug[] = [...inRules, ...inTaking, ...outsideBugs];
