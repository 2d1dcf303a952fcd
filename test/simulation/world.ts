import { decode } from '../../src/commands/envelope.ts';
import type { EdgeWorker } from '../../src/domain/edgeWorker/index.ts';
import type { Bug } from './bug.ts';
import { checkAppend } from './checkEvents.ts';
import { checkCall, checkPerform, checkPublic, checkRow, checkVersion } from './checkOutside.ts';
import { commandIdOf, createDepartment, type Department, type Request } from './clients.ts';
import { createCloud } from './cloud.ts';
import { createErrands } from './errands.ts';
import { createFaults } from './faults.ts';
import { createHistory } from './history.ts';
import { type Appended, createSimulatedLog } from './log.ts';
import { createMachine, lostProcesses, type Machine } from './machine.ts';
import { createModel } from './model.ts';
import { type NodeParts, type ProgramWatch, type SimulatedNode, startNode } from './node.ts';
import { createProcess, type Process } from './process.ts';
import { createDraws } from './random.ts';
import { createScheduler } from './scheduler.ts';
import { settings } from './settings.ts';
import type { Surroundings } from './surroundings.ts';
import { createTables } from './tables.ts';
import { createTrace } from './trace.ts';

export type Violation = { readonly invariant: string; readonly detail: string; readonly atMs: number };

type Answered = { outcome: string; afterMs: number; at: number };
type Place = { readonly machine: Machine; readonly skewMs: number; runs: number; node: SimulatedNode | undefined };

/** One seed's world: nodes, an outside, people, and somebody who checks everything that happens. */
export const createWorld = (seed: number, bug: Bug | undefined) => {
  const draws = createDraws(seed);
  const scheduler = createScheduler(settings.start);
  const { now } = scheduler;
  const trace = createTrace(now, settings.start);
  const faults = createFaults(draws);
  const model = createModel();
  const tables = createTables();
  const processes = new Map<string, Process>();
  const requests = new Map<string, Request>();
  const answers = new Map<string, Answered>();
  const losses = new Set<string>();
  let violation: Violation | undefined;
  const violate = (invariant: string, detail: string): void => {
    trace.add(`VIOLATION ${invariant}: ${detail}`);
    violation ??= { invariant, detail, atMs: now() - settings.start };
  };
  const around: Surroundings = {
    ...{ model, now, violate },
    isAlive: (name) => processes.get(name)?.isAlive() ?? false,
    isHealthy: (name) => {
      const process = processes.get(name);
      return process?.isAlive() === true && process.troubled.since < now() - 3 * settings.leaseMs;
    },
    isShown: (process, { ticketId, provider, workerId }) => {
      const script = model.workers.get(workerId)?.scriptName ?? '';
      if (provider === 'cloudflare') return cloud.scripts.get(script)?.rows.at(-1)?.ticketId === ticketId;
      const place = places.find(({ node }) => node?.process.name === process);
      return place?.machine.active.get(script)?.ticketId === ticketId;
    },
    wanted: (commandId) => requests.get(commandId)?.wanted,
    answered: (ticketId, attempt, step) => answers.get(`${ticketId}/${attempt}/${step}`),
  };

  const errands = createErrands(around);
  const appended: Appended = (process, events) => {
    for (const { stream, type, data } of events) trace.add(`${process} ${stream} ${type} ${JSON.stringify(data)}`);
    checkAppend(around, process, events);
    for (const event of events.map(decode)) if (event) errands.take(event);
    if (!applying) applyLater();
  };
  const log = createSimulatedLog(scheduler, draws, faults, appended, (process) => {
    process.troubled.since = Math.max(process.troubled.since, now());
  });
  let applied = 0;
  let applying = false;
  /** The tables have it a moment later, sometimes much later, and some who should be told are not. */
  const applyLater = (): void => {
    applying = true;
    const lag = draws.chance(0.06) ? draws.between(500, 8_000) : draws.between(1, 300);
    scheduler.at(now() + lag, () => {
      applying = false;
      tables.apply(log.events.slice(applied));
      applied = log.events.length;
      for (const { node } of places) if (!faults.wakeIsLost()) node?.wake();
    });
  };

  const watch: NodeParts['watch'] = {
    note: trace.add,
    callBegan: (process, call) => {
      const { ticketId, attempt } = call;
      checkCall(around, process.name, call, losses.has(`${process.name}/${ticketId}/${attempt}`));
      if (call.name === 'switch') checkPublic(around, ticketId);
    },
    uncleared: ({ ticketId, attempt }) => {
      const ticket = model.tickets.get(ticketId);
      if (ticket && ticket.attempt === attempt) ticket.unclear += 1;
    },
    versionMade: (script, version) => checkVersion(around, script, version),
    shown: (ticketId) => {
      const ticket = model.tickets.get(ticketId);
      if (ticket) ticket.public = true;
    },
    deployed: (_script, row) => checkRow(around, row),
    leaseLost: (process, leaseId) => {
      for (const { ticketId, leaseId: held, attempt } of model.tickets.values())
        if (held === leaseId) losses.add(`${process.name}/${ticketId}/${attempt}`);
    },
    performs: (ticketId, attempt, step) => {
      answers.delete(`${ticketId}/${attempt}/${step}`);
      checkPerform(around, ticketId, step);
    },
    probes: (ticketId, step) => void model.tickets.get(ticketId)?.probed.add(step),
    answered: (ticketId, attempt, step, outcome, afterMs) => {
      trace.add(`the provider answers ${step} of ${ticketId}#${attempt}: ${outcome}`);
      answers.set(`${ticketId}/${attempt}/${step}`, { outcome, afterMs, at: now() });
    },
  } satisfies NodeParts['watch'] & ProgramWatch;
  const cloud = createCloud(scheduler, draws, faults, watch);

  const departments: readonly Department[] = Array.from({ length: draws.between(1, 3) }, (_, index) =>
    createDepartment(index + 1, draws.chance(0.7)),
  );
  const places: readonly Place[] = Array.from({ length: draws.chance(0.25) ? 3 : 2 }, (_, index) => ({
    machine: createMachine(`node-${index + 1}`),
    skewMs: draws.between(-settings.skewMs, settings.skewMs),
    ...{ runs: 0, node: undefined },
  }));
  const checkpoints = { position: 0n };
  const history = createHistory(model, () => applied < log.events.length);

  const boot = (place: Place): void => {
    if (place.node?.process.isAlive()) return;
    place.runs += 1;
    const name = `${place.machine.node}/${place.runs}`;
    const process = createProcess(scheduler, { name, skewMs: place.skewMs, seed: draws.between(0, 2 ** 31) });
    processes.set(name, process);
    trace.add(`${name} starts`);
    const parts: NodeParts = {
      ...{ bug, cloud, tables, checkpoints, draws, faults, watch },
      ...{ log: log.viewOf(process), machine: place.machine },
      ...{ history, errands },
    };
    place.node = startNode(process, parts, () => {
      crash(place);
      scheduler.at(now() + 1_000, () => boot(place));
    });
  };
  const crash = (place: Place): void => {
    const { node } = place;
    if (!node?.process.isAlive()) return;
    trace.add(`${node.process.name} dies`);
    node.process.kill();
    lostProcesses(place.machine);
  };

  /** Ends in order, if it can before whoever stops it loses patience. */
  const stop = (place: Place): void => {
    const { node } = place;
    if (!node?.process.isAlive()) return;
    trace.add(`${node.process.name} is asked to end`);
    const end = (): void => void (place.node === node && crash(place));
    node.stop().then(end, end);
    scheduler.at(now() + 4_000, end);
  };

  return {
    ...{ draws, scheduler, trace, faults, model, log, cloud, departments, places, around, boot, crash, stop },
    /** The worker as a program sees it that has just been started. */
    read: async (workerId: string): Promise<EdgeWorker | undefined> => {
      const node = places[0]?.node;
      return node?.freshly(workerId);
    },
    tablesAreBehind: () => applied < log.events.length,
    remember: (request: Request): void => void requests.set(commandIdOf(request.key), request),
    violate,
    violation: () => violation,
  };
};

export type World = ReturnType<typeof createWorld>;
export type WorldPlace = Place;
