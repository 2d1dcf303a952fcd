import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EdgeMaintenanceCommand } from '../../src/domain/edgeMaintenance/commands.ts';
import type { EdgeMaintenanceEvent } from '../../src/domain/edgeMaintenance/events.ts';
import { edgeMaintenance, isOpen, mayRemoveArtifacts } from '../../src/domain/edgeMaintenance/index.ts';
import { isRejection } from '../../src/domain/kernel.ts';
import { specification } from '../support/decider.ts';

const { given } = specification(edgeMaintenance);
const registered: EdgeMaintenanceEvent = { type: 'EdgeScopeRegistered', data: { epoch: 1 } };
const raised = (fenceId = 'f1', expiresAt = 100): EdgeMaintenanceEvent => ({
  type: 'EdgeBackupFenceRaised',
  data: { fenceId, owner: 'node/1', expiresAt },
});
const fenced: EdgeMaintenanceEvent = { type: 'EdgeBackupFenced', data: { fenceId: 'f1', epoch: 1 } };
const released: EdgeMaintenanceEvent = { type: 'EdgeBackupFenceReleased', data: { fenceId: 'f1' } };
const completion = { fenceId: 'f1', position: '42', manifestDigest: 'd', bytes: 7 };
const raise = (fenceId: string, now: number, expiresAt = now + 100): EdgeMaintenanceCommand => ({
  type: 'RaiseBackupFence',
  data: { fenceId, owner: 'node/2', now, expiresAt },
});
const stateOf = (...facts: readonly EdgeMaintenanceEvent[]) =>
  facts.reduce(edgeMaintenance.evolve, edgeMaintenance.initial);

describe('The gate of a deployment scope', () => {
  test('is closed for a scope that nobody registered', () => {
    expect(isOpen(stateOf())).toBe(false);
    given([])
      .when({ type: 'BeginEdgeMaintenance', data: { reason: 'x' } })
      .thenRejected('EdgeScopeNotFound');
  });

  test('closes with maintenance and opens with its end', () => {
    const began: EdgeMaintenanceEvent = { type: 'EdgeMaintenanceBegan', data: { reason: 'disks' } };
    given([registered])
      .when({ type: 'BeginEdgeMaintenance', data: { reason: 'disks' } })
      .then([began]);
    expect(isOpen(stateOf(registered))).toBe(true);
    expect(isOpen(stateOf(registered, began))).toBe(false);
    given([registered, began])
      .when({ type: 'EndEdgeMaintenance', data: {} })
      .then([{ type: 'EdgeMaintenanceEnded', data: { epoch: 1 } }]);
  });

  test('closes while a backup fences the log, and keeps artifacts until that backup has ended', () => {
    const seen = [[], [raised()], [raised(), fenced], [raised(), fenced, released]].map((facts) => {
      const state = stateOf(registered, ...facts);
      return [isOpen(state), mayRemoveArtifacts(state)];
    });
    expect(seen).toEqual([
      [true, true],
      [false, false],
      [false, false],
      [true, false],
    ]);
    const completed = stateOf(registered, raised(), fenced, released, {
      type: 'EdgeBackupCompleted',
      data: completion,
    });
    expect([isOpen(completed), mayRemoveArtifacts(completed)]).toEqual([true, true]);
  });

  test('stays closed after a restore until the node runs what the log says, under the next epoch', () => {
    const restored: EdgeMaintenanceEvent = {
      type: 'EdgeScopeRestored',
      data: { restoreId: 'r1', epoch: 2, fromPosition: '42' },
    };
    given([registered, raised(), fenced])
      .when({ type: 'RestoreEdgeScope', data: { restoreId: 'r1', fromPosition: '42', above: 1 } })
      .then([restored]);
    given([registered])
      .when({ type: 'RestoreEdgeScope', data: { restoreId: 'r1', fromPosition: '42', above: 6 } })
      .then([{ type: 'EdgeScopeRestored', data: { restoreId: 'r1', epoch: 7, fromPosition: '42' } }]);
    expect(isOpen(stateOf(registered, raised(), fenced, restored))).toBe(false);
    const counts = { started: 1, stopped: 0, kept: 0, failed: 0 };
    const resynced: EdgeMaintenanceEvent = { type: 'EdgeScopeResynced', data: { ...counts, epoch: 2 } };
    given([registered, restored]).when({ type: 'RecordEdgeResync', data: counts }).then([resynced]);
    expect(isOpen(stateOf(registered, restored, resynced))).toBe(true);
  });
});

describe('A backup fence', () => {
  test('is held by one backup at a time, and gives way once it has expired', () => {
    given([registered, raised('f1', 100)])
      .when(raise('f2', 99))
      .thenRejected('BackupUnderWay');
    given([registered, raised('f1', 100)])
      .when(raise('f2', 100))
      .then([
        { type: 'EdgeBackupAbandoned', data: { fenceId: 'f1', reason: 'expired' } },
        { type: 'EdgeBackupFenceRaised', data: { fenceId: 'f2', owner: 'node/2', expiresAt: 200 } },
      ]);
  });

  test('that was lost lets its backup neither go on nor complete', () => {
    const lost = [registered, raised('f1', 100), { type: 'EdgeBackupAbandoned', data: { fenceId: 'f1', reason: '' } }];
    const facts = lost.filter((each): each is EdgeMaintenanceEvent => each.type in edgeMaintenance.events);
    for (const type of ['FenceBackup', 'ReleaseBackupFence'] as const) {
      given(facts)
        .when({ type, data: { fenceId: 'f1' } })
        .thenRejected('BackupFenceLost');
    }
    given(facts).when({ type: 'CompleteBackup', data: completion }).thenRejected('BackupFenceLost');
  });

  test('of an owner who is gone is taken down by whoever starts next, and by the end of maintenance', () => {
    const gone = (reason: string): EdgeMaintenanceEvent => ({
      type: 'EdgeBackupAbandoned',
      data: { fenceId: 'f1', reason },
    });
    given([registered, raised()])
      .when({ type: 'AbandonBackup', data: { fenceId: '', reason: 'owner_gone' } })
      .then([gone('owner_gone')]);
    given([registered, raised()])
      .when({ type: 'EndEdgeMaintenance', data: {} })
      .then([gone('maintenance_ended')]);
    given([registered, raised()])
      .when({ type: 'AbandonBackup', data: { fenceId: 'other', reason: 'x' } })
      .thenNothing();
  });
});

test('whatever happens, the epoch never falls, and the end of maintenance always opens the gate', () => {
  const id = fc.constantFrom('f1', 'f2');
  const command: fc.Arbitrary<EdgeMaintenanceCommand> = fc.oneof(
    fc.constant({ type: 'RegisterEdgeScope', data: {} } as const),
    fc.constant({ type: 'BeginEdgeMaintenance', data: { reason: 'x' } } as const),
    fc.constant({ type: 'EndEdgeMaintenance', data: {} } as const),
    fc.tuple(id, fc.nat(300)).map(([fenceId, now]) => raise(fenceId, now)),
    id.map((fenceId) => ({ type: 'FenceBackup', data: { fenceId } }) as const),
    id.map((fenceId) => ({ type: 'ReleaseBackupFence', data: { fenceId } }) as const),
    id.map((fenceId) => ({ type: 'CompleteBackup', data: { ...completion, fenceId } }) as const),
    id.map((fenceId) => ({ type: 'AbandonBackup', data: { fenceId, reason: 'x' } }) as const),
    id.map((restoreId) => ({ type: 'RestoreEdgeScope', data: { restoreId, fromPosition: '1', above: 0 } }) as const),
    fc.constant({ type: 'RecordEdgeResync', data: { started: 0, stopped: 0, kept: 0, failed: 0 } } as const),
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
      let state = stateOf(registered);
      for (const each of commands) {
        const before = state.status === 'absent' ? 0 : state.epoch;
        const decision = edgeMaintenance.decide(each, state);
        if (!isRejection(decision)) state = decision.reduce(edgeMaintenance.evolve, state);
        expect(state.status === 'absent' ? 0 : state.epoch).toBeGreaterThanOrEqual(before);
      }
      const end = edgeMaintenance.decide({ type: 'EndEdgeMaintenance', data: {} }, state);
      if (isRejection(end)) throw new Error('refused');
      const ended = end.reduce(edgeMaintenance.evolve, state);
      expect([isOpen(ended), mayRemoveArtifacts(ended)]).toEqual([true, true]);
    }),
  );
});
