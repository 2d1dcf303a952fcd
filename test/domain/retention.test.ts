import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EdgeWorkerEvent, edgeWorker } from '../../src/domain/edgeWorker/index.ts';
import { specification } from '../support/decider.ts';
import * as a from '../support/edgeWorkerFacts.ts';

const { given } = specification(edgeWorker);
const submitted = (count: number) => Array.from({ length: count }, (_, index) => a.submitted(index + 1));
const keep = (keepNewest: number, keepDeployed: number) =>
  ({ type: 'ReleaseRevisionArtifacts', data: { keepNewest, keepDeployed } }) as const;
const released = (...revisions: readonly number[]): EdgeWorkerEvent => ({
  type: 'RevisionArtifactsReleased',
  data: { versionIds: revisions.map((revision) => `version-${revision}`) },
});

describe('Retention', () => {
  test('lets the oldest revisions go, and keeps the newest ones', () => {
    given([a.created, ...submitted(4)])
      .when(keep(2, 2))
      .then([released(1, 2)]);
  });

  test('never lets the live revision go, however old it is', () => {
    given([a.created, ...submitted(4), ...a.deployed('t1', 1, 1)])
      .when(keep(1, 0))
      .then([released(2, 3)]);
  });

  test('keeps what went live last, for rolling back', () => {
    const history = [...a.deployed('t1', 1, 1), ...a.deployed('t2', 2, 2), ...a.deployed('t3', 3, 3)];
    given([a.created, ...submitted(6), ...history])
      .when(keep(2, 2))
      .then([released(1, 4)]);
  });

  test('lets nothing go while a deployment is alive', () => {
    given([a.created, ...submitted(4), a.admitted('t1', 1, 1)])
      .when(keep(1, 1))
      .thenNothing();
  });

  test('a revision that was let go is refused, to deploy and to roll back', () => {
    const facts = [a.created, ...submitted(3), ...a.deployed('t1', 1, 1), ...a.deployed('t2', 2, 2), released(1)];
    given(facts).when(a.admit('t3', 1)).thenRejected('RevisionRetired', { field: 'revision' });
    given(facts)
      .when(a.admit('t3', 1, 'rollback'))
      .thenRejected('RevisionRetired');
  });

  test('never lets go what is live or within the windows, after any history', () => {
    const step = fc.record({
      what: fc.constantFrom('submit', 'deploy', 'admit', 'release'),
      pick: fc.nat({ max: 20 }),
      newest: fc.integer({ min: 1, max: 4 }),
      deployed: fc.integer({ min: 0, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let facts: EdgeWorkerEvent[] = [a.created];
        let count = 0;
        let tickets = 0;
        const live: number[] = [];
        const gone = new Set<number>();
        let alive = false;
        for (const { what, pick, newest, deployed } of steps) {
          const revision = (pick % Math.max(1, count)) + 1;
          if (what === 'submit') facts.push(a.submitted(++count));
          else if (what === 'release') {
            const decision = edgeWorker.decide(
              keep(newest, deployed),
              facts.reduce(edgeWorker.evolve, edgeWorker.initial),
            );
            if ('rejected' in decision) throw new Error(decision.reason);
            for (const event of decision) {
              if (event.type !== 'RevisionArtifactsReleased') throw new Error(event.type);
              expect(alive).toBe(false);
              for (const id of event.data.versionIds) {
                const number = Number(id.slice('version-'.length));
                expect(number).not.toBe(live.at(-1));
                expect(number).toBeLessThanOrEqual(count - newest);
                expect([...new Set([...live].reverse())].slice(0, deployed)).not.toContain(number);
                expect(gone.has(number)).toBe(false);
                gone.add(number);
              }
            }
            facts = [...facts, ...decision];
          } else if (count > 0 && !alive && !gone.has(revision)) {
            const id = `t${++tickets}`;
            alive = what === 'admit';
            facts.push(...(alive ? [a.admitted(id, revision, tickets)] : a.deployed(id, revision, tickets)));
            if (!alive) live.push(revision);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
