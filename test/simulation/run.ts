import { everyCompany, requestReconciliation } from '../../src/commands/reconciliation.ts';
import { systemEnvelope } from '../../src/sagas/envelope.ts';
import type { Bug } from './bug.ts';
import { checkQuiet, unsettled } from './checkQuiet.ts';
import { endMaintenance, registerScope, submission } from './clients.ts';
import { cancelErrand, errand } from './errands.ts';
import { createPeople, type People } from './people.ts';
import { settings, windowMs } from './settings.ts';
import { createWorld, type Violation, type World } from './world.ts';

export type Run = {
  readonly seed: number;
  readonly violation: Violation | undefined;
  /** SHA-256 over everything observable, hex. */
  readonly digest: string;
  readonly lines: readonly string[];
  readonly figures: { readonly events: number; readonly virtualMs: number };
};

/** One world from its seed: chaos, then quiet, then everything must have settled. Stops at the first violation. */
export const runSeed = async (seed: number, bug?: Bug): Promise<Run> => {
  // Every abort makes an error, and most of what an error costs is its stack.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await runWorld(seed, bug);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
};

const runWorld = async (seed: number, bug: Bug | undefined): Promise<Run> => {
  const world = createWorld(seed, bug);
  const { scheduler, trace } = world;
  const people = createPeople(world, ({ aggregates }) => bug?.clients?.(aggregates) ?? aggregates);
  let over = false;
  live(world, people).then(
    () => {
      over = true;
    },
    (error: unknown) => {
      world.violate('crash', error instanceof Error ? (error.stack ?? error.message) : String(error));
    },
  );
  await scheduler.run(() => over || world.violation() !== undefined);
  const virtualMs = scheduler.now() - settings.start;
  for (const { node } of world.places) node?.process.kill();
  const figures = { events: world.log.events.length, virtualMs };
  return { seed, violation: world.violation(), digest: trace.digest(), lines: trace.lines, figures };
};

const live = async (world: World, people: People): Promise<void> => {
  const { scheduler, faults, places } = world;
  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => void scheduler.at(scheduler.now() + ms, resolve));
  for (const place of places) world.boot(place);
  await people.ask(registerScope());
  schedulePeople(world, people);
  scheduleErrands(world, people);
  scheduleAccidents(world);
  await wait(settings.chaosMs);
  faults.end();
  world.trace.add('the faults end');
  for (const place of places) world.boot(place);
  await wait(settings.lateEffectMs);
  await people.ask(endMaintenance());
  const untilQuiet = async (): Promise<void> => {
    for (let waited = 0; waited < settings.quietWithinMs; waited += 5_000) {
      await wait(5_000);
      if (!people.busy() && unsettled(world) === undefined) return;
    }
  };
  await untilQuiet();
  await wait(2 * windowMs);
  await untilQuiet();
  await checkQuiet(world, people, 'differences have a reason');
  // What differs in two ways is put right in two goes.
  for (const go of ['first', 'second']) {
    await reconcile(world, go);
    await untilQuiet();
    await wait(windowMs);
    await untilQuiet();
  }
  await checkQuiet(world, people, 'nothing differs');
};

const schedulePeople = ({ scheduler, draws, departments }: World, people: People): void => {
  const start = scheduler.now();
  const actions = draws.between(25, 45);
  for (const department of departments) {
    const first = `first-${department.departmentId}`;
    scheduler.at(start + draws.between(10, 500), () => void people.ask(submission(department, first)));
  }
  for (let count = 1; count <= actions; count += 1) {
    const department = draws.pick([departments[0] ?? never(), ...departments]);
    scheduler.at(start + draws.between(600, settings.chaosMs - 100), () => void people.act(department, `k${count}`));
  }
};

/** Many small jobs at a time, some of them for longer than there is quiet, and some not wanted after all. */
const scheduleErrands = ({ scheduler, draws }: World, people: People): void => {
  const start = scheduler.now();
  for (let bursts = draws.between(1, 4), burst = 1; burst <= bursts; burst += 1) {
    const at = start + draws.between(600, settings.chaosMs - 100);
    const size = draws.between(6, 24);
    for (let count = 1; count <= size; count += 1) {
      const key = `errand-${burst}-${count}`;
      scheduler.at(at + draws.between(0, 150), () => void people.ask(errand(key)));
      if (draws.chance(0.15)) scheduler.at(at + draws.between(50, 3_000), () => void people.ask(cancelErrand(key)));
    }
  }
};

const never = (): never => {
  throw new Error('There is no department.');
};

const scheduleAccidents = (world: World): void => {
  const { scheduler, draws, faults, places } = world;
  const start = scheduler.now();
  const anywhere = (count: number, what: () => void): void => {
    for (let each = 0; each < count; each += 1) scheduler.at(start + draws.between(500, settings.chaosMs - 1), what);
  };
  const anyPlace = () => places[draws.between(0, places.length - 1)];
  anywhere(draws.between(0, 8), () => {
    const place = anyPlace();
    if (!place) return;
    const inOrder = draws.chance(0.4);
    if (inOrder) world.stop(place);
    else world.crash(place);
    const downMs = draws.chance(0.5) ? draws.between(10, 500) : draws.between(500, 15_000);
    scheduler.at(scheduler.now() + downMs + (inOrder ? 4_000 : 0), () => world.boot(place));
  });
  anywhere(draws.between(0, 4), () => {
    const process = anyPlace()?.node?.process;
    if (!process) return;
    const until = scheduler.now() + draws.between(500, 12_000);
    world.trace.add(`${process.name} stands still`);
    process.freeze(Math.min(until, start + settings.chaosMs));
  });
  anywhere(draws.between(0, 4), () => {
    const process = anyPlace()?.node?.process;
    if (!process) return;
    world.trace.add(`${process.name} is cut off from the log`);
    faults.cutOff(process.name, scheduler.now() + draws.between(2_000, 15_000));
  });
  anywhere(draws.between(0, 2), () => deployByHand(world));
};

const deployByHand = ({ cloud, draws, departments, trace }: World): void => {
  const department = departments[draws.between(0, departments.length - 1)];
  if (!department?.inCloud || !cloud.scripts.has(department.scriptName)) return;
  trace.add(`somebody deploys ${department.scriptName} by hand`);
  const version = cloud.upload(department.scriptName, `hand-${draws.hex(8)}`, 999);
  cloud.deploy(department.scriptName, version, '', 'somebody@example.com');
};

/** Asks for a reconciliation that also puts right what it finds, and waits until all of that is done. */
const reconcile = async ({ places }: World, key: string): Promise<void> => {
  const [place] = places;
  const trace = { requestId: 'reconcile', correlationId: 'reconcile', causationId: '' };
  const envelope = systemEnvelope('reconcile', { workspaceId: '', departmentId: '', ...trace }, key);
  const wanted = { providers: ['cloudflare'], companyId: everyCompany, mode: 'apply', key } as const;
  if (place?.node) await requestReconciliation({ aggregates: place.node.aggregates }, wanted, envelope);
};
