import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { turnLimits } from '../../src/api/turns.ts';
import { decode } from '../../src/commands/envelope.ts';
import { systemRandom } from '../../src/platform/clock/system.ts';
import type { Database } from '../../src/platform/database/port.ts';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { openVault } from '../../src/platform/vault/vault.ts';
import { createTables, startProjector } from '../../src/projections/engine/index.ts';
import { createQueries } from '../../src/projections/queries.ts';
import type { ReadTables } from '../../src/projections/schema.ts';
import { tables } from '../../src/projections/tables.ts';
import { somebody } from '../matrix/callers.ts';
import { aFullWorkspace } from '../matrix/fullWorkspace.ts';
import { startApi } from '../support/api.ts';
import type { DatabaseTarget } from '../support/database.ts';
import { openWire, type Wire } from './send.ts';
import { granted, type TextPlace } from './textFixture.ts';

export type StartedPlace = TextPlace & {
  /** Nothing comes into the read tables until it is done. */
  withoutTables<Result>(work: () => Promise<Result>): Promise<Result>;
  stop(): Promise<void>;
};

/** While it is shut, the tables hear of nothing, and take it all together later: that costs them a fraction. */
const createGate = () => {
  let opened = Promise.resolve();
  let open = () => {};
  return {
    shut: () => {
      opened = new Promise((resolve) => {
        open = resolve;
      });
    },
    open: () => open(),
    before: (log: EventLog): EventLog => ({
      ...log,
      subscribe: async function* (options) {
        for await (const batch of log.subscribe(options)) {
          await opened;
          yield batch;
        }
      },
    }),
  };
};

/** An installation with a vault on the disk, and a workspace with one of everything. */
export const startTextPlace = async (): Promise<StartedPlace> => {
  const gate = createGate();
  const keysDir = await mkdtemp(join(tmpdir(), 'opslog-texts-'));
  const { vault } = await openVault({ keysDir, random: systemRandom });
  // Many requests at a time, all of one workspace.
  const builds = { ...turnLimits.builds, waiting: 100 };
  const world = await startApi({
    vault,
    beforeTables: gate.before,
    limits: { waitMs: 60_000, turns: { ...turnLimits, builds } },
  });
  const wire = openWire(world.url);
  const owner = await somebody(world, await world.signIn());
  const own = await aFullWorkspace(world, { owner, canary: 'plain', revisions: 1 });
  const stop = async () => {
    wire.close();
    await world.stop();
    await rm(keysDir, { recursive: true, force: true });
  };
  const withoutTables = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    gate.shut();
    return work().finally(gate.open);
  };
  return { world, own, vault, wire, withoutTables, stop };
};

export type Door = { readonly database: Database<ReadTables>; readonly wire: Wire; close(): Promise<void> };

/** The read tables of the same log in another database, and the API over them. */
export const openDoor = async ({ world, wire, own }: TextPlace, target: DatabaseTarget): Promise<Door> => {
  if (target.name === 'PGlite') {
    // The one that the API has anyway.
    const path = `/workspaces?waitFor=${await world.log.head()}`;
    await granted(wire, { method: 'GET', path, token: own.token });
    return { database: world.database, wire, close: async () => undefined };
  }
  const { database, drop } = await target.create<ReadTables>();
  await createTables(database, tables);
  const stopping = new AbortController();
  const { log } = world;
  const projector = startProjector({
    ...{ log, database, tables, decode, logger: silentLog, signal: stopping.signal },
  });
  expect(await projector.waitFor(await log.head(), { timeoutMs: 60_000 })).toBe('reached');
  const behind = await world.behind({ aroundQueries: () => createQueries(database) });
  const asking = openWire(behind.url);
  const close = async () => {
    asking.close();
    await behind.stop();
    stopping.abort();
    await projector.done;
    await drop();
  };
  return { database, wire: asking, close };
};
