import type { Aggregates } from '../../src/commands/aggregates.ts';
import type { Aggregate } from '../../src/commands/send.ts';
import type { JobDeps } from '../../src/sagas/jobs/deps.ts';
import type { Bug } from './bug.ts';

/** Reads of a worker answer what this process saw first, however long ago. */
const stale = <Command, Event, State, Code extends string>(
  workers: Aggregate<Command, Event, State, Code>,
): Aggregate<Command, Event, State, Code> => {
  const first = new Map<string, ReturnType<typeof workers.load>>();
  return {
    ...workers,
    load: (id) => {
      const seen = first.get(id) ?? workers.load(id);
      first.set(id, seen);
      return seen;
    },
  };
};

const asIfRenewed = async <Command, Event, State, Code extends string>(
  workers: Aggregate<Command, Event, State, Code>,
  id: string,
) => {
  const loaded = await workers.load(id, { maxAgeMs: Number.POSITIVE_INFINITY });
  return { ...loaded, ok: true, events: [], replayed: false } as const;
};

const leasesOfJobsThatNeverEnd = ({ jobs, ...deps }: JobDeps): JobDeps => ({
  ...deps,
  jobs: {
    ...jobs,
    send: async (id, command, envelope) => {
      const sent = await jobs.send(id, command, envelope);
      if (!sent.ok || command.type !== 'LeaseJob' || sent.state.status === 'absent') return sent;
      return { ...sent, state: { ...sent.state, leasedUntil: Number.MAX_SAFE_INTEGER } };
    },
  },
});

/** Bugs in the adapter, in the runner, and in what stands between callers and the program. */
export const outsideBugs: readonly Bug[] = [
  {
    name: 'done-steps-not-recognised',
    about: 'A step is performed again though an earlier attempt has done it: a second version.',
    adapter: (provider, cloud) => ({
      ...provider,
      perform: async (step, spec, attempt, signal) => {
        if (step !== 'upload' || attempt.attempt === 1) return provider.perform(step, spec, attempt, signal);
        cloud.upload(spec.scriptName, attempt.ticketId, spec.revision);
        return { outcome: 'done', detail: 'uploaded' };
      },
    }),
  },
  {
    name: 'look-without-patience',
    about: 'A step is performed again before what an earlier attempt began could show.',
    windowMs: 0,
  },
  {
    name: 'too-many-requests-is-uncertain',
    about: 'A 429 is taken for an answer that says nothing, though it says that nothing was done.',
    adapter: (provider) => ({
      ...provider,
      perform: async (step, spec, attempt, signal) => {
        const outcome = await provider.perform(step, spec, attempt, signal);
        const isLimit = outcome.outcome === 'retry' && outcome.afterMs !== undefined;
        return isLimit ? { outcome: 'uncertain', detail: outcome.detail } : outcome;
      },
    }),
  },
  {
    name: 'retry-after-ignored',
    about: 'Whoever was told to come later comes at once.',
    provider: (provider) => ({
      ...provider,
      perform: async (step, spec, attempt, signal) => {
        const outcome = await provider.perform(step, spec, attempt, signal);
        return outcome.outcome === 'retry' ? { outcome: 'retry', detail: outcome.detail } : outcome;
      },
    }),
  },
  {
    name: 'lease-never-renewed',
    about: 'A lease runs out while its holder is at work.',
    deps: (deps) => ({
      ...deps,
      workers: {
        ...deps.workers,
        send: (id, command, envelope) =>
          command.type === 'RenewDeploymentLease'
            ? asIfRenewed(deps.workers, id)
            : deps.workers.send(id, command, envelope),
      },
    }),
  },
  {
    name: 'silent-renewal-counts',
    about: 'A lease counts as renewed though the log has not answered, so its holder goes on after its end.',
    deps: (deps) => ({
      ...deps,
      workers: {
        ...deps.workers,
        send: (id, command, envelope) => {
          const sent = deps.workers.send(id, command, envelope);
          return command.type === 'RenewDeploymentLease' ? sent.catch(() => asIfRenewed(deps.workers, id)) : sent;
        },
      },
    }),
  },
  {
    name: 'lease-loss-ignored',
    about: 'Whoever lost its lease, or was told to stop, goes on.',
    provider: (provider) => ({
      ...provider,
      perform: (step, spec, attempt) => provider.perform(step, spec, attempt, new AbortController().signal),
    }),
  },
  {
    name: 'lease-ahead-kept',
    about: 'A job that was leased ahead and got no hand is not given back.',
    hand: (hand) => ({
      ...hand,
      take: async () => {
        if (await hand.take()) return true;
        throw new Error('There is no hand.');
      },
    }),
  },
  {
    name: 'lease-ahead-begun-without-a-hand',
    about: 'A job that was leased ahead is begun while all hands are busy.',
    hand: (hand) => ({
      ...hand,
      take: async () => {
        void hand.take();
        return true;
      },
    }),
  },
  {
    name: 'lease-ahead-begun-after-its-end',
    about: 'A job is begun though its lease ran out before its turn came.',
    jobs: leasesOfJobsThatNeverEnd,
  },
  {
    name: 'idempotency-key-ignored',
    about: 'A request that comes again is carried out again.',
    clients: (aggregates): Aggregates => ({
      ...aggregates,
      edgeWorker: {
        ...aggregates.edgeWorker,
        send: (id, command, envelope) => aggregates.edgeWorker.send(id, command, { ...envelope, commandDigest: '' }),
      },
    }),
  },
  {
    name: 'stale-state-trusted',
    about: 'What follows from a fact is decided on what was known before it.',
    reactions: (aggregates) => ({ ...aggregates, edgeWorker: stale(aggregates.edgeWorker) }),
  },
  {
    name: 'restart-forgets-the-pause',
    about: 'A node that starts puts paused workers on the air.',
    node: (provider) => ({
      ...provider,
      converge: (desired) => provider.converge(desired.map((each) => ({ ...each, paused: false }))),
    }),
  },
];
