import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { backup } from '../../src/cli/operations/backup.ts';
import { raiseFence } from '../../src/cli/operations/backupFence.ts';
import { catchUp } from '../../src/cli/operations/catchUp.ts';
import { sendMaintenance } from '../../src/commands/edgeMaintenance.ts';
import type { Envelope } from '../../src/commands/envelope.ts';
import { createGate, enterEpoch, markEpoch, offerResync } from '../../src/compose/maintenance.ts';
import { readConfig } from '../../src/config.ts';
import type { EdgeMaintenanceCommand } from '../../src/domain/edgeMaintenance/commands.ts';
import { isOpen } from '../../src/domain/edgeMaintenance/index.ts';
import { openParts, type Parts } from '../../src/parts.ts';
import { writeEpochFile } from '../../src/platform/backup/epochFile.ts';
import { readMarker, writeMarker } from '../../src/platform/backup/marker.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { createCheckpointStore } from '../../src/projections/checkpointStore.ts';
import { admit, submit } from '../support/edgeWorkerFacts.ts';

const signal = new AbortController().signal;
let home: string;
let parts: Parts;
const dataDir = () => join(home, 'data');

const open = async (): Promise<Parts> => {
  const read = readConfig({ OPSLOG_DATA_DIR: dataDir() });
  if (!read.ok) throw new Error(read.problems.join());
  return openParts(read.config, { logger: silentLog });
};
const reopen = async (): Promise<void> => {
  await parts.close();
  parts = await open();
};
const command = async (sent: EdgeMaintenanceCommand): Promise<bigint> => {
  const outcome = await sendMaintenance(parts, sent, 'operator');
  if (!outcome.ok) throw new Error(outcome.rejection.reason);
  return outcome.position;
};
const scope = async () => (await parts.aggregates.edgeMaintenance.load(parts.scope)).state;
const epoch = async (): Promise<number> => {
  const state = await scope();
  return state.status === 'absent' ? 0 : state.epoch;
};
const typesOf = async (): Promise<readonly string[]> => {
  const types: string[] = [];
  for await (const { type } of parts.log.readStream(`edgeMaintenance-${parts.scope}`)) types.push(type);
  return types;
};
const envelope = (): Envelope => ({
  ...{ commandId: randomUUID(), commandDigest: '', actor: { kind: 'system', id: 'test' }, authMethod: 'system' },
  ...{ workspaceId: 'w', departmentId: 'd', requestId: '', correlationId: '', causationId: '' },
});

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'opslog-maintenance-'));
  parts = await open();
  await enterEpoch(parts);
  await command({ type: 'RegisterEdgeScope', data: {} });
  await markEpoch(parts);
}, 60_000);
afterEach(async () => {
  await command({ type: 'EndEdgeMaintenance', data: {} });
});
afterAll(async () => {
  await parts.close();
  await rm(home, { recursive: true, force: true });
});

test('a process that began under an older epoch lets nothing begin any more', async () => {
  const gate = createGate(parts, { add: () => {} });
  await catchUp(parts, await parts.log.head(), signal);
  const before = await gate();
  await command({ type: 'RestoreEdgeScope', data: { restoreId: 'r-3', fromPosition: '1', above: 0 } });
  await command({ type: 'EndEdgeMaintenance', data: {} });
  expect(isOpen(await scope())).toBe(true);
  expect((await gate()).open).toEqual([]);
  expect(before.open).toEqual([parts.scope]);
});

describe('The gate of the runner', () => {
  test('is open for scopes that have a row and an open gate in the log: a missing row keeps work waiting', async () => {
    const gate = createGate(parts, { add: () => {} });
    await catchUp(parts, await parts.log.head(), signal);
    expect(await gate()).toEqual({ open: [parts.scope], mayRemoveArtifacts: true });
    await command({ type: 'BeginEdgeMaintenance', data: { reason: 'x' } });
    expect(await gate()).toEqual({ open: [], mayRemoveArtifacts: true });
    await command({ type: 'EndEdgeMaintenance', data: {} });
    await parts.database.db.deleteFrom('edge_worker_maintenance').execute();
    expect(await gate()).toEqual({ open: [], mayRemoveArtifacts: true });
  });

  test('lets nothing that waits begin in a scope that is not open, and leaves what is leased to go on', async () => {
    const ticket = admit('held', 1);
    const send = (sent: Parameters<typeof parts.aggregates.edgeWorker.send>[1]) =>
      parts.aggregates.edgeWorker.send('worker-held', sent, envelope());
    await send(submit(1));
    await send({ ...ticket, data: { ...ticket.data, scope: parts.scope } });
    await catchUp(parts, await parts.log.head(), signal);
    const due = async (openScopes: readonly string[]) =>
      parts.queries.dueTickets({ now: Date.now(), limit: 9, gate: { open: openScopes, mayRemoveArtifacts: true } });
    expect(await due([])).toEqual([]);
    expect((await due([parts.scope])).map(({ ticketId }) => ticketId)).toEqual(['held']);
    const now = Date.now();
    const lease = { ticketId: 'held', leaseId: 'l', holder: 'n/1', now, leasedUntil: now + 60_000, takeover: false };
    await send({ type: 'LeaseDeployment', data: lease });
    await catchUp(parts, await parts.log.head(), signal);
    const after = { now: now + 61_000, limit: 9, gate: { open: [], mayRemoveArtifacts: true } };
    expect((await parts.queries.dueTickets(after)).map(({ status }) => status)).toEqual(['leased']);
  }, 30_000);

  test('makes a backup wait for what is leased, and refuse when it does not finish; --wait 0 takes it as it is', async () => {
    const wanted = { target: join(home, 'waiting'), keysFile: '', waitMs: 400 };
    const leases: string[] = [];
    const run = (waitMs: number) =>
      backup.run(
        parts,
        { ...wanted, waitMs },
        (line) => {
          if (line.phase === 'waiting') leases.push(...line.leases);
        },
        signal,
      );
    await expect(run(400)).rejects.toMatchObject({ code: 'leases_held', message: expect.stringContaining('held') });
    expect(leases).toEqual(['held']);
    expect(isOpen(await scope())).toBe(true);
    expect((await readdir(home)).filter((name) => name.startsWith('waiting'))).toEqual([]);
    // Its bundle was never stored: the backup says so.
    expect((await run(0)).missingArtifacts).toEqual(['a'.repeat(64), 'b'.repeat(64)]);
  }, 30_000);
});

test('a backup that is interrupted gives the gate back and takes away what it had made', async () => {
  const stop = new AbortController();
  const wanted = { target: join(home, 'interrupted'), keysFile: join(home, 'interrupted.keys'), waitMs: 0 };
  const tell = (line: { phase: string }): void => {
    if (line.phase === 'log') stop.abort();
  };
  await expect(backup.run(parts, wanted, tell, stop.signal)).rejects.toThrow();
  expect(isOpen(await scope())).toBe(true);
  expect((await typesOf()).at(-1)).toBe('EdgeBackupAbandoned');
  expect((await readdir(home)).filter((name) => name.startsWith('interrupted'))).toEqual([]);
});

describe('The next start', () => {
  test('opens the gate that a backup left closed whose process is gone', async () => {
    await raiseFence(parts, { fenceId: 'crashed', waitMs: 0, signal, onWaiting: () => {} });
    expect(isOpen(await scope())).toBe(false);
    await reopen();
    expect(isOpen(await scope())).toBe(false);
    await enterEpoch(parts);
    expect(isOpen(await scope())).toBe(true);
  }, 30_000);

  test('after a restore begins an epoch above all that was seen, once, and opens the gate after resyncing', async () => {
    const before = await epoch();
    await writeEpochFile(parts.folder.keys, parts.scope, before + 4);
    const marker = { status: 'written', restoreId: 'r-1', backupId: 'b', position: '7' } as const;
    await writeMarker(dataDir(), marker);
    await enterEpoch(parts);
    expect(await epoch()).toBe(before + 5);
    expect(isOpen(await scope())).toBe(false);
    expect(await readMarker(dataDir())).toBeUndefined();
    // A crash between the fact and the end of the marker repeats it.
    await writeMarker(dataDir(), marker);
    await enterEpoch(parts);
    expect(await epoch()).toBe(before + 5);
    await markEpoch(parts);
    const report = { started: ['dw-1'], stopped: [], kept: [], busy: [], unknown: [], failed: [] };
    await offerResync(parts, { resync: async () => report });
    expect(isOpen(await scope())).toBe(true);
    expect((await typesOf()).at(-1)).toBe('EdgeScopeResynced');
  });

  test('is refused for a log that its shared folder or its database has seen go on elsewhere', async () => {
    const now = await epoch();
    const checkpoints = createCheckpointStore(parts.database);
    await checkpoints.save(`epoch:${parts.scope}`, BigInt(now + 1));
    await expect(enterEpoch(parts)).rejects.toMatchObject({
      name: 'EpochStale',
      message: expect.stringMatching(/the database has seen/),
    });
    await writeEpochFile(parts.folder.keys, parts.scope, now + 2);
    await expect(enterEpoch(parts)).rejects.toMatchObject({
      message: expect.stringMatching(/the shared folder has seen/),
    });
  });

  test('is refused by name for a folder that holds half of a restore', async () => {
    await writeMarker(dataDir(), { status: 'writing', restoreId: 'r-2', backupId: 'b', position: '7' });
    await expect(open()).rejects.toMatchObject({ name: 'RestoreUnfinished' });
    await rm(join(dataDir(), 'restore.json'));
  });
});
