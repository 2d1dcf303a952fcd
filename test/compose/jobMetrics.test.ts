import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createJobMetrics } from '../../src/compose/jobMetrics.ts';
import type { JobCount } from '../../src/projections/job/answers.ts';

test('jobs are counted when somebody asks, attempts as they end, and a database that is away hides no other figure', async () => {
  const registry = new Registry();
  let counts: () => Promise<readonly JobCount[]> = async () => [
    { kind: 'domain.verify', status: 'PENDING', count: 3 },
    { kind: 'domain.verify', status: 'DEAD', count: 1 },
  ];
  const metrics = createJobMetrics(registry, () => counts());
  metrics.attempted({ kind: 'domain.verify', outcome: 'retry', durationMs: 5 });
  const shown = await registry.metrics();
  expect(shown).toContain('opslog_jobs{kind="domain.verify",status="pending"} 3');
  expect(shown).toContain('opslog_jobs{kind="domain.verify",status="dead"} 1');
  expect(shown).toContain('opslog_job_attempts_total{kind="domain.verify",outcome="retry"} 1');
  counts = () => Promise.reject(new Error('away'));
  const away = await registry.metrics();
  expect(away).not.toContain('status="pending"');
  expect(away).toContain('opslog_job_attempts_total{kind="domain.verify",outcome="retry"} 1');
});
