import { decode } from '../../src/commands/envelope.ts';
import type { EdgeWorker } from '../../src/domain/edgeWorker/index.ts';
import { commandIdOf, type Department } from './clients.ts';
import { isLive, type TicketModel, type WorkerModel } from './model.ts';
import type { People } from './people.ts';
import type { World } from './world.ts';

/** Has everything that was asked for come to an end? Says what has not. */
export const unsettled = (world: World): string | undefined => {
  if (world.tablesAreBehind()) return 'the read tables are behind';
  for (const ticket of world.model.tickets.values())
    if (isLive(ticket)) return `${ticket.ticketId} is ${ticket.status}`;
  const over = new Set(['JobSucceeded', 'JobFailed', 'JobDied', 'JobCancelled']);
  const jobs = new Map<string, string>();
  for (const { stream, type } of world.log.events) if (stream.startsWith('job-')) jobs.set(stream, type);
  for (const [stream, last] of jobs) if (!over.has(last)) return `${stream} is at ${last}`;
  return undefined;
};

const expectedOf = (worker: WorkerModel): number => worker.history.at(-1) ?? 0;

/** Before a reconciliation, or after one. */
export type Strictness = 'differences have a reason' | 'nothing differs';

/** Why the outside may differ from the log until a reconciliation: what it would have to tell somebody about. */
const mayDiffer = (ticket: TicketModel | undefined, byHand: boolean): boolean =>
  byHand || (ticket !== undefined && (ticket.status === 'failed' || ticket.superseded));

const checkCloud = (world: World, department: Department, worker: WorkerModel, strictness: Strictness): void => {
  const script = world.cloud.scripts.get(department.scriptName);
  const live = script?.rows.at(-1);
  const last = script?.versions.at(-1);
  const strict = strictness === 'nothing differs';
  const { workerId } = worker;
  if (worker.deleted || worker.retired) {
    const excused = mayDiffer(
      world.model.tickets.get(last?.ticketId ?? ''),
      last?.ticketId.startsWith('hand') ?? false,
    );
    if (script && (strict || !excused))
      world.violate('gone', `${script.name} is still there though its worker is gone`);
    return;
  }
  if (worker.status === 'draft') {
    if (live && strict) world.violate('gone', `${live.ticketId} is on the air though ${workerId} was never deployed`);
    return;
  }
  const found = live ? `revision ${live.version.revision} of ${live.ticketId || live.by}` : 'nothing';
  const differs = live?.version.revision !== expectedOf(worker) || live.ticketId === '';
  const known = worker.status === 'paused' && worker.drift !== undefined;
  const excused = strict ? known : mayDiffer(world.model.tickets.get(live?.ticketId ?? ''), live?.ticketId === '');
  if (differs && !excused)
    world.violate('liveRevision', `${workerId} should run revision ${expectedOf(worker)}; outside is ${found}`);
  if (strict && !differs && worker.drift) world.violate('drift', `${workerId} is still said to run ${worker.drift}`);
  const paused = script?.presence.at(-1)?.paused ?? false;
  if (script && paused !== (worker.status === 'paused') && (strict || !worker.presenceRefused))
    world.violate('paused', `${workerId} is ${worker.status}; outside it is ${paused ? 'off' : 'on'} the air`);
};

const checkMachines = (world: World, { scriptName }: Department, worker: WorkerModel): void => {
  if (worker.status === 'draft') return;
  for (const { machine, node } of world.places) {
    if (worker.deleted || worker.retired) {
      if (machine.active.has(scriptName))
        world.violate('gone', `${machine.node} runs ${scriptName} though its worker is gone`);
      continue;
    }
    const runs = machine.active.get(scriptName)?.revision ?? 0;
    const where = node?.process.name ?? machine.node;
    if (runs !== expectedOf(worker))
      world.violate('liveRevision', `${where} runs revision ${runs} of ${worker.workerId}, not ${expectedOf(worker)}`);
    if ((machine.paused.get(scriptName) ?? false) !== (worker.status === 'paused'))
      world.violate('paused', `${where} has ${worker.workerId} ${worker.status === 'paused' ? 'on' : 'off'} the air`);
  }
};

/** The program's own view of a worker, folded anew, against the checker's. */
const checkState = (world: World, worker: WorkerModel, state: EdgeWorker): void => {
  const differs = (what: string): void => world.violate('state', `${worker.workerId}: ${what} differs from the facts`);
  if (worker.deleted !== (state.status === 'absent')) differs('whether it is there');
  if (state.status === 'absent') return;
  if (state.status !== worker.status) differs('status');
  if (state.history.join() !== worker.history.join()) differs('history');
  if (state.ticket?.ticketId !== worker.newest?.ticketId) differs('the newest deployment');
  const deployed = state.revisions.filter(({ state: each }) => each === 'deployed').map(({ revision }) => revision);
  if (deployed.join() !== (worker.history.length > 0 ? String(expectedOf(worker)) : ''))
    differs('the deployed revision');
};

/** Everything that must be so once nothing goes wrong any more and nothing is under way. */
export const checkQuiet = async (world: World, people: People, strictness: Strictness): Promise<void> => {
  const pending = unsettled(world);
  if (pending !== undefined) world.violate('settles', `long after the last fault, ${pending}`);
  for (const department of world.departments) {
    const worker = world.model.workers.get(department.workerId);
    if (!worker) continue;
    if (department.inCloud) checkCloud(world, department, worker, strictness);
    else checkMachines(world, department, worker);
    const state = await world.read(department.workerId);
    if (state) checkState(world, worker, state);
  }
  checkPromises(world, people);
};

const checkPromises = (world: World, { acknowledged }: People): void => {
  const known = new Map<string, number[]>();
  world.log.events.forEach((stored) => {
    const id = decode(stored)?.meta.commandId ?? '';
    known.set(`${stored.stream} ${id}`, [...(known.get(`${stored.stream} ${id}`) ?? []), stored.revision]);
  });
  for (const { request, text } of acknowledged) {
    if (text === '') continue;
    const revisions = known.get(`${request.stream} ${commandIdOf(request.key)}`);
    if (!revisions)
      world.violate('durability', `${request.key} (${request.what}) was acknowledged and is not in the log`);
    else if (revisions.some((each, place) => each !== (revisions[0] ?? 0) + place))
      world.violate('idempotency', `${request.key} (${request.what}) was carried out twice`);
  }
};
