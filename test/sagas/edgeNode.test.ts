import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAggregate } from '../../src/commands/send.ts';
import { type EdgeWorkerEvent, edgeWorker } from '../../src/domain/edgeWorker/index.ts';
import type { Clock } from '../../src/platform/clock/port.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { type DeployedWorkers, type EdgeNode, startEdgeNode } from '../../src/sagas/edgeNode.ts';
import * as a from '../support/edgeWorkerFacts.ts';
import { createMemoryLog } from '../support/memoryLog.ts';
import { createScriptedProvider } from '../support/scriptedProvider.ts';

const atOnce: Clock = { now: () => 0, sleep: () => new Promise((resolve) => setImmediate(resolve)) };

const world = () => {
  const log = createMemoryLog();
  const provider = createScriptedProvider(a.steps);
  const add = (workerId: string, ...events: readonly EdgeWorkerEvent[]) => {
    for (const { type, data } of events) log.add(`edgeWorker-${workerId}`, type, data);
  };
  return { log, provider, add, workers: createAggregate(edgeWorker, { log, now: () => 0 }) };
};

let { log, provider, add, workers } = world();
let node: EdgeNode | undefined;
beforeEach(() => {
  ({ log, provider, add, workers } = world());
});
afterEach(async () => {
  log.recover();
  await node?.stop();
});

const start = async (known: DeployedWorkers = { ids: [], position: 0n }): Promise<void> => {
  const ports = { clock: atOnce, logger: silentLog };
  node = await startEdgeNode({ log, provider, workers, ...ports, deployedWorkers: async () => known });
};
const deployed = (workerId: string): void =>
  add(workerId, a.created, a.submitted(1), a.admitted('t1', 1, 1), a.completed('t1', 1));

test('a read table that is behind, or stopped for good, keeps no worker off the air at the start', async () => {
  deployed('w1');
  await start();
  expect(provider.asked).toEqual([`converge ${a.scriptName} revision 1`]);
});

test('facts that make no sense keep one worker off the air, not the node and not the others', async () => {
  log.add('edgeWorker-bad', 'EdgeWorkerCreated', {});
  log.add('edgeWorker-bad', 'DeploymentAdmitted', { ticketId: 't' });
  log.add('edgeWorker-bad', 'DeploymentStepRecorded', { ticketId: 't', outcome: 'done' });
  log.add('edgeWorker-bad', 'RevisionSubmitted', {});
  log.add('edgeWorker-bad', 'DeploymentCompleted', {});
  const { load } = workers;
  workers = {
    ...workers,
    load: async (id, options) => {
      if (id === 'worse') throw new TypeError('its facts make no sense');
      return load(id, options);
    },
  };
  log.add('edgeWorker-worse', 'DeploymentCompleted', {});
  deployed('w1');
  await start();
  expect(provider.asked).toContain(`converge ${a.scriptName} revision 1`);
  log.add('edgeWorker-worse', 'EdgeWorkerPaused', {});
  add('w1', { type: 'EdgeWorkerPaused', data: {} });
  await expect.poll(() => provider.pausedNow.get(a.scriptName)).toBe(true);
});

test('what another node deployed runs here too, once its deployment is settled', async () => {
  deployed('w1');
  await start();
  add('w1', a.submitted(2), a.admitted('t2', 2, 2), a.leased('t2', 2, 'lease'), a.stepRecorded('t2', 1, 'fetch'));
  add('w1', { type: 'EdgeWorkerPaused', data: {} });
  await expect.poll(() => provider.pausedNow.get(a.scriptName)).toBe(true);
  expect(provider.asked).toHaveLength(1);
  add('w1', a.completed('t2', 2, 'version-1'));
  await expect.poll(() => provider.asked.at(-1)).toBe(`restore ${a.scriptName} revision 2`);
});

test('pauses are obeyed even after the log was away for as long as a read of it is tried', async () => {
  deployed('w1');
  const { load } = workers;
  let failures = 3;
  workers = {
    ...workers,
    load: async (id, options) => {
      if (provider.asked.length > 0 && failures-- > 0) throw new Error('the log does not answer');
      return load(id, options);
    },
  };
  await start();
  add('w1', { type: 'EdgeWorkerPaused', data: {} });
  await expect.poll(() => provider.pausedNow.get(a.scriptName)).toBe(true);
});
