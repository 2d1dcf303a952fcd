import { type Envelope, sha256, streamOf, toNewEvents } from '../../src/commands/envelope.ts';
import { catalog } from '../../src/domain/catalog.ts';
import type { EdgeWorker, EdgeWorkerCommand } from '../../src/domain/edgeWorker/index.ts';
import { derivedId, edgeWorkerId, scriptNameOf } from '../../src/domain/identifiers.ts';
import { isRejection, type Message } from '../../src/domain/kernel.ts';
import type { EventLog, NewEvent } from '../../src/platform/eventLog/port.ts';
import { type Random, seeded, zipf } from './random.ts';

export type Plan = {
  /** The history ends at the first turn that reaches this many. */
  readonly events: number;
  readonly workers: number;
  /** Characters of free text in what has some: the step of a deployment, the evidence of a revision. */
  readonly textLength: number;
  /** False: revisions are only submitted, so that no node wants to bring them on the air. */
  readonly deployed: boolean;
  readonly seed: number;
};

export type Written = {
  readonly events: number /** Of an event, on average. */;
  readonly dataBytes: number;
  readonly metadataBytes: number;
  readonly workers: readonly WorkerIds[];
};
export type WorkerIds = { readonly departmentId: string; readonly workerId: string; readonly paused: boolean };

type Turn = { readonly stream: string; readonly events: readonly NewEvent[]; readonly after: number };
type Worker = Pick<WorkerIds, 'departmentId' | 'workerId'> & {
  readonly name: string;
  state: EdgeWorker;
  revision: number;
  commands: number;
};

/** Events of a department and its worker until it is on the air. */
export const eventsToBegin = 10;
const steps = ['artifact', 'process', 'health', 'switch'] as const;
const inFlight = 128;
const turnsPerBatch = 500;

/**
 * Writes a history that the deciders themselves bring forth: departments of one workspace, then submissions, deployments,
 * pauses and resumptions of workers, some far busier than others. The same plan is the same content of every stream.
 */
export const writeHistory = async (log: EventLog, workspaceId: string, plan: Plan): Promise<Written> => {
  const random = seeded(plan.seed);
  const workers = Array.from({ length: plan.workers }, (_, index) => newWorker(workspaceId, plan.seed, index));
  const founded = workers.map((worker) => department(workspaceId, worker));
  await appendAll(log, founded);
  let events = founded.length;
  const sizes = createSizes();
  sizes.add(founded);
  const pick = zipf(workers.length, 1.1, random);
  // Everybody submits and deploys once; after that chance decides whose turn it is.
  const order = [...workers.keys(), ...workers.keys()];
  while (events < plan.events) {
    const turns = new Map<string, Turn>();
    for (let count = 0; count < turnsPerBatch && events < plan.events; count += 1) {
      const worker = workers[order.shift() ?? pick()];
      if (worker === undefined) throw new Error('There is no such worker.');
      const turn = takeTurn(workspaceId, worker, plan, random);
      const earlier = turns.get(turn.stream);
      turns.set(turn.stream, earlier ? { ...earlier, events: [...earlier.events, ...turn.events] } : turn);
      events += turn.events.length;
    }
    sizes.add([...turns.values()]);
    await appendAll(log, [...turns.values()]);
  }
  return { events, ...sizes.perEvent(events), workers: workers.map(idsOf) };
};

const idsOf = ({ departmentId, workerId, state }: Worker): WorkerIds => ({
  departmentId,
  workerId,
  paused: state.status === 'paused',
});

const newWorker = (workspaceId: string, seed: number, index: number): Worker => {
  const departmentId = derivedId(sha256, 'bench', workspaceId, String(seed), String(index));
  const workerId = edgeWorkerId(sha256, departmentId);
  return { departmentId, workerId, name: `d${seed}-${index}`, state: { status: 'absent' }, revision: -1, commands: 0 };
};

const envelopeOf = (
  workspaceId: string,
  { departmentId }: Pick<WorkerIds, 'departmentId'>,
  command: number,
): Envelope => {
  const commandId = derivedId(sha256, 'bench', departmentId, String(command));
  return {
    ...{ commandId, commandDigest: sha256(commandId), workspaceId, departmentId, causationId: commandId },
    ...{ actor: { kind: 'user', id: 'bench' }, authMethod: 'session' },
    ...{ requestId: `bench-${command}`, correlationId: commandId },
  };
};

const department = (workspaceId: string, worker: Worker): Turn => {
  const stream = streamOf('department', worker.departmentId);
  const data = { workspaceId, name: `Department ${worker.name}`, slug: worker.name };
  const envelope = envelopeOf(workspaceId, worker, -1);
  return { stream, events: toNewEvents(stream, [{ type: 'DepartmentCreated', data }], envelope), after: -1 };
};

/** What this worker does next, as one append. */
const takeTurn = (workspaceId: string, worker: Worker, plan: Plan, random: Random): Turn => {
  const stream = streamOf('edgeWorker', worker.workerId);
  const after = worker.revision;
  const events: NewEvent[] = [];
  const perform = (command: EdgeWorkerCommand): void => {
    const decision = catalog.edgeWorker.decide(command, worker.state);
    if (isRejection(decision)) throw new Error(`${command.type} was rejected: ${decision.reason}`);
    for (const event of decision) worker.state = catalog.edgeWorker.evolve(worker.state, event);
    worker.revision += decision.length;
    events.push(...toNewEvents(stream, decision, envelopeOf(workspaceId, worker, worker.commands)));
    worker.commands += 1;
  };
  const chance = random();
  const { state } = worker;
  const submit = (): void => perform(submission(workspaceId, worker, plan.textLength));
  if (state.status === 'absent' || !plan.deployed) submit();
  else if (state.status === 'paused') perform({ type: 'ResumeEdgeWorker', data: {} });
  else if (state.status === 'active' && chance < 0.05 && state.revisions.length < 20) submit();
  else if (state.status === 'active' && chance < 0.4) perform({ type: 'PauseEdgeWorker', data: {} });
  else for (const command of deployment(worker, plan.textLength)) perform(command);
  return { stream, events, after };
};

const text = (length: number): string =>
  'the quick brown fox jumps over the lazy dog '.repeat(length / 44 + 1).slice(0, length);

const submission = (workspaceId: string, worker: Worker, textLength: number): EdgeWorkerCommand => {
  const version = `${worker.name}-${worker.commands}`;
  const data = {
    ...{ versionId: derivedId(sha256, 'version', version), language: 'typescript' as const },
    ...{ entryPoint: 'src/index.ts', compatibilityDate: '2026-01-01', compatibilityFlags: [] },
    ...{ variables: { GREETING: 'Hello' }, environmentDigest: sha256(`environment ${version}`) },
    ...{ sourceDigest: sha256(`source ${version}`), sourceBytes: 4_096, sourceFiles: 4 },
    ...{ bundleDigest: sha256(`bundle ${version}`), bundleBytes: 2_048, sbomDigest: sha256(`sbom ${version}`) },
    ...{ sbom: JSON.stringify({ text: text(textLength) }), buildReceipt: JSON.stringify({ text: text(textLength) }) },
    ...{ companyId: workspaceId, departmentId: worker.departmentId },
    scriptName: scriptNameOf(sha256, workspaceId, worker.departmentId),
  };
  return { type: 'SubmitRevision', data };
};

const deployment = (worker: Worker, textLength: number): readonly EdgeWorkerCommand[] => {
  const unique = `${worker.workerId} ${worker.commands}`;
  const ticketId = derivedId(sha256, 'ticket', unique);
  const leaseId = derivedId(sha256, 'lease', unique);
  const now = 1_800_000_000_000 + worker.commands * 1_000;
  const reports = steps.map((step): EdgeWorkerCommand => {
    const outcome = { outcome: 'done', detail: text(textLength) } as const;
    const told = { url: 'http://worker.localhost', mode: 'perform', facts: {} } as const;
    const data = { ticketId, leaseId, step, outcome, startedAt: now, durationMs: 5, ...told };
    return { type: 'ReportDeploymentStep', data };
  });
  return [
    {
      type: 'AdmitDeployment',
      data: {
        ...{ ticketId, kind: 'deploy', revision: 0, gate: 'open', provider: 'workerd', scope: 'onprem:000000000001' },
        ...{ steps, dedupeKey: unique, maxAttempts: 8, supersede: false },
      },
    },
    {
      type: 'LeaseDeployment',
      data: { ticketId, leaseId, holder: 'bench/1', now, leasedUntil: now + 15_000, takeover: false },
    },
    ...reports,
  ];
};

const createSizes = () => {
  let data = 0;
  let metadata = 0;
  return {
    add: (turns: readonly Turn[]): void => {
      for (const event of turns.flatMap(({ events }) => events)) {
        data += JSON.stringify(event.data).length;
        metadata += JSON.stringify(event.metadata).length;
      }
    },
    perEvent: (events: number) => ({
      dataBytes: Math.round(data / events),
      metadataBytes: Math.round(metadata / events),
    }),
  };
};

const appendAll = async (log: EventLog, turns: readonly Turn[]): Promise<void> => {
  const queue = turns.values();
  const work = async (): Promise<void> => {
    for (const { stream, events, after } of queue) {
      const outcome = await log.append(stream, events, after === -1 ? 'noStream' : after);
      if (!outcome.ok) throw new Error(`${stream} is not where the plan has it.`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
};

/** A workspace of its own, for a log that no program has seeded. */
export const foundWorkspace = async (log: EventLog, workspaceId: string): Promise<void> => {
  const owner = { userId: 'bench', email: 'bench@example.org', displayName: 'Bench' };
  const created: readonly Message<string, object>[] = [
    { type: 'WorkspaceCreated', data: { name: 'Bench', slug: 'bench' } },
    { type: 'MemberAdded', data: { ...owner, role: 'OWNER', departmentIds: [] } },
  ];
  const stream = streamOf('workspace', workspaceId);
  const envelope = envelopeOf(workspaceId, { departmentId: '' }, 0);
  await appendAll(log, [{ stream, events: toNewEvents(stream, created, envelope), after: -1 }]);
};
