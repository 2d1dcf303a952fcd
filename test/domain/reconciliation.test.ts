import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countUnjudged,
  type FoundScript,
  type KnownScript,
  type Look,
  plan,
} from '../../src/domain/reconciliation/plan.ts';
import { reconcileResult } from '../../src/sagas/reconcileResult.ts';

const graceMs = 60_000;
const now = 10_000_000;
const known = (changes: Partial<KnownScript> = {}): KnownScript => ({
  ...{ workerId: 'w1', scriptName: 'dw-1', companyId: 'c1', departmentId: 'd1', status: 'active', owner: 'present' },
  ...{ provider: 'cloudflare', scope: 'cloud:1', liveRevision: 2, liveTicketId: 't2', ticketId: '', ticketStatus: '' },
  ...{ ticketDueAt: 0, drift: '', settledAt: 0 },
  ...changes,
});
const found = (changes: Partial<FoundScript> = {}): FoundScript => ({
  ...{ scriptName: 'dw-1', revision: 2, bundleDigest: 'b', ticketId: 't2', state: 'running', by: '' },
  ...changes,
});
const look = (changes: Partial<Look>): Look => ({
  ...{ provider: 'cloudflare', scope: 'cloud:1', inventory: [], known: [], now, graceMs, overdueMs: 600_000 },
  ...changes,
});
const judged = (script: KnownScript | undefined, there: FoundScript | undefined, changes: Partial<Look> = {}) =>
  plan(look({ known: script ? [script] : [], inventory: there ? [there] : [], ...changes })).map(
    ({ kind, action }) => `${kind}: ${action}`,
  );

describe('A reconciliation', () => {
  test('has nothing to say about what is as it should be', () => {
    expect(judged(known(), found())).toEqual([]);
    expect(judged(known({ status: 'paused' }), found({ state: 'paused' }))).toEqual([]);
    expect(judged(known({ status: 'draft', provider: '', liveRevision: 0, liveTicketId: '' }), undefined)).toEqual([]);
    expect(judged(known({ owner: 'deleted', provider: '' }), undefined)).toEqual([]);
  });

  test.each([
    ['its company is gone', known({ owner: 'deleted' })],
    ['its department is gone', known({ owner: 'retired' })],
    ['it was never deployed', known({ status: 'draft', provider: '', liveRevision: 0 })],
    ['its worker runs elsewhere', known({ provider: 'workerd', scope: 'onprem:1' })],
  ])('finds an orphan when %s', (_, script) => {
    expect(judged(script, found())).toEqual(['orphan: remove']);
  });

  test('tells of a name that was never ours, and leaves it alone', () => {
    expect(judged(undefined, found({ scriptName: 'dw-2' }))).toEqual(['foreign: none']);
  });

  test('tells of one that belongs into another account, and leaves it alone', () => {
    expect(judged(known({ scope: 'cloud:2' }), found())).toEqual(['foreign: none']);
    expect(judged(known({ scope: 'cloud:2' }), undefined)).toEqual([]);
  });

  test('finds a missing one, and one that somebody deployed by hand, with who it was', () => {
    expect(judged(known(), undefined)).toEqual(['missing: redeploy']);
    const [byHand] = plan(look({ known: [known()], inventory: [found({ revision: 0, ticketId: '', by: 'eve' })] }));
    expect(byHand).toMatchObject({ kind: 'changed', action: 'redeploy', by: 'eve', expected: 'revision 2' });
    expect(judged(known(), found({ ticketId: 't1' }))).toEqual(['changed: redeploy']);
    expect(judged(known(), found({ revision: 1 }))).toEqual(['changed: redeploy']);
  });

  test('finds a worker that is on the air and should not be, and the other way round', () => {
    expect(judged(known({ status: 'paused' }), found())).toEqual(['presence: present']);
    expect(judged(known(), found({ state: 'paused', revision: 0 }))).toEqual(['presence: present']);
  });

  test('says when what was found before is right again', () => {
    expect(judged(known({ drift: 'revision 1' }), found())).toEqual(['settled: settle']);
  });

  test('leaves alone what has a live ticket, or settled a moment ago', () => {
    for (const there of [undefined, found({ revision: 1 })]) {
      expect(judged(known({ ticketId: 't3', ticketStatus: 'leased' }), there)).toEqual([]);
      expect(judged(known({ settledAt: now - graceMs + 1 }), there)).toEqual([]);
    }
    expect(judged(known({ owner: 'deleted', settledAt: now - graceMs + 1 }), found())).toEqual([]);
  });

  test('says how many it left alone, so that silence about them is not taken for health', () => {
    const live = known({ ticketId: 't3', ticketStatus: 'leased' });
    const fresh = known({ settledAt: now - 1 });
    const elsewhere = known({ settledAt: now - 1, provider: 'workerd', scope: 'onprem:1' });
    expect(countUnjudged(look({ known: [known(), live, fresh, elsewhere] }))).toBe(2);
    expect(reconcileResult('look', [], 2).detail).toContain('2 workers are not judged yet');
    expect(reconcileResult('look', [], 0).detail).toBe('Everything is as it should be.');
  });

  test('tells of an uncertain ticket that nobody looks at', () => {
    const uncertain = { ticketId: 't3', ticketStatus: 'uncertain' };
    expect(judged(known({ ...uncertain, ticketDueAt: now - 600_001 }), found())).toEqual(['overdue: none']);
    expect(judged(known({ ...uncertain, ticketDueAt: now }), found())).toEqual([]);
  });

  test('on-prem does not care which node deployed it', () => {
    const here = { provider: 'workerd', scope: 'onprem:1' };
    expect(judged(known({ provider: 'workerd', scope: 'onprem:2' }), found({ ticketId: '' }), here)).toEqual([]);
  });

  test('never proposes to remove what should run there, what is not ours, or what is on its way', () => {
    const script = fc.record({
      status: fc.constantFrom('draft', 'active', 'paused'),
      owner: fc.constantFrom('present', 'retired', 'deleted'),
      provider: fc.constantFrom('', 'workerd', 'cloudflare'),
      scope: fc.constantFrom('', 'cloud:1', 'cloud:2'),
      liveRevision: fc.nat({ max: 2 }),
      ticketId: fc.constantFrom('', 't3'),
      ticketStatus: fc.constantFrom('', 'pending', 'uncertain'),
      settledAt: fc.constantFrom(0, now),
      drift: fc.constantFrom('', 'x'),
    });
    const there = fc.record({
      revision: fc.nat({ max: 2 }),
      ticketId: fc.constantFrom('', 't2'),
      state: fc.constantFrom('', 'paused'),
    });
    fc.assert(
      fc.property(script, fc.option(there, { nil: undefined }), fc.boolean(), (changes, seen, ours) => {
        const one = known(changes);
        const findings = plan(look({ known: ours ? [one] : [], inventory: seen ? [found(seen)] : [] }));
        expect(findings.length).toBeLessThanOrEqual(1);
        for (const { action } of findings) {
          if (action === 'none') continue;
          expect(ours).toBe(true);
          if (action === 'settle') continue;
          expect([one.ticketId, one.settledAt]).toEqual(['', 0]);
          const shouldRun = one.owner === 'present' && one.status !== 'draft' && one.provider === 'cloudflare';
          expect(action === 'remove').toBe(!shouldRun);
          if (action === 'remove') expect(seen).toBeDefined();
        }
      }),
      { numRuns: 500 },
    );
  });
});
