import type { EdgeWorkerEvent } from '../../domain/edgeWorker/index.ts';
import { maskText } from '../../domain/masking.ts';
import type { StepAnswer } from '../answers.ts';
import type { ReadDatabase } from '../schema.ts';
import { bigint, choice, integer, json, string, table, text, timestamp } from '../table.ts';
import { cut, orNull } from '../text.ts';
import { parseStringMap } from '../values.ts';

/** What was done outside for a ticket, record by record. Like the tickets, it outlives the worker. */
export const edgeWorkerDeploymentSteps = table<EdgeWorkerEvent>()({
  name: 'edge_worker_deployment_steps',
  version: 2,
  columns: {
    ticket_id: string(64),
    sequence: integer(),
    company_id: string(64),
    department_id: string(64),
    worker_id: string(64),
    attempt: integer(),
    step: string(128),
    outcome: choice(['done', 'refused', 'retry', 'uncertain'], 'uncertain'),
    detail: text(),
    mode: choice(['perform', 'probe'], 'perform'),
    facts: json(),
    started_at: timestamp(),
    duration_ms: bigint(),
    created_at: timestamp(),
  },
  primaryKey: ['ticket_id', 'sequence'],
  appendOnly: true,
  indexes: { ix_edge_worker_deployment_step_tenant: ['company_id', 'department_id', 'worker_id'] },
  checks: { ck_edge_worker_deployment_step_outcome: 'outcome' },
  on: {
    DeploymentStepRecorded: ({ data, meta }, rows) =>
      rows.insert({
        ticket_id: data.ticketId,
        sequence: data.sequence,
        company_id: meta.workspaceId,
        department_id: meta.departmentId,
        worker_id: meta.subjectId,
        attempt: data.attempt,
        step: cut(data.step, 128),
        outcome: data.outcome,
        detail: maskText(data.detail),
        mode: data.mode ?? 'perform',
        facts: maskFacts(data.facts ?? {}),
        started_at: data.startedAt,
        duration_ms: data.durationMs,
        created_at: meta.recordedAt,
      }),
    EdgeWorkerCreated: 'ignored',
    RevisionSubmitted: 'ignored',
    DeploymentAdmitted: 'ignored',
    DeploymentLeased: 'ignored',
    DeploymentLeaseRenewed: 'ignored',
    DeploymentRetryScheduled: 'ignored',
    DeploymentBecameUncertain: 'ignored',
    DeploymentCompleted: 'ignored',
    DeploymentFailed: 'ignored',
    DeploymentCancelRequested: 'ignored',
    DeploymentCancelled: 'ignored',
    EdgeWorkerPaused: 'ignored',
    EdgeWorkerResumed: 'ignored',
    EdgeWorkerRetired: 'ignored',
    EdgeWorkerScriptRemoved: 'ignored',
    EdgeWorkerDeleted: 'ignored',
    EdgeWorkerDriftFound: 'ignored',
    EdgeWorkerDriftSettled: 'ignored',
    RevisionArtifactsReleased: 'ignored',
  },
});

const maskFacts = (facts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, maskText(fact)]));

export const listSteps = async (db: ReadDatabase, ticketId: string): Promise<readonly StepAnswer[]> => {
  const rows = await db
    .selectFrom('edge_worker_deployment_steps')
    .selectAll()
    .where('ticket_id', '=', ticketId)
    .orderBy('sequence')
    .execute();
  return rows.map((row) => ({
    sequence: row.sequence,
    attempt: row.attempt,
    step: row.step,
    outcome: row.outcome,
    detail: orNull(row.detail ?? ''),
    mode: row.mode,
    facts: parseStringMap(row.facts),
    startedAt: row.started_at,
    durationMs: row.duration_ms,
  }));
};
