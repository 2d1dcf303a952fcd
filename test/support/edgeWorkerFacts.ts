import type { AdmitDeployment, LeaseDeployment, SubmitRevision } from '../../src/domain/edgeWorker/commands.ts';
import type { EdgeWorkerEvent } from '../../src/domain/edgeWorker/index.ts';

/** Examples of the edge worker's facts and commands, small and the same every time. */
export const companyId = 'company-1';
export const departmentId = 'department-1';
export const scriptName = 'dw-000000000000000000000000000000000000000000000001';
export const steps = ['fetch', 'start', 'switch'] as const;

const pinned = (versionId: string) => ({
  versionId,
  language: 'typescript' as const,
  entryPoint: 'src/index.ts',
  compatibilityDate: '2026-01-01',
  compatibilityFlags: [],
  variables: { GREETING: 'hello' },
  environmentDigest: 'e'.repeat(64),
  sourceDigest: 'a'.repeat(64),
  sourceBytes: 100,
  sourceFiles: 2,
  bundleDigest: 'b'.repeat(64),
  bundleBytes: 50,
  sbomDigest: 'c'.repeat(64),
  sbom: '{}',
  buildReceipt: '{}',
});

export const created: EdgeWorkerEvent = { type: 'EdgeWorkerCreated', data: { companyId, departmentId, scriptName } };

export const submitted = (
  revision: number,
  changes: { sbom?: string; buildReceipt?: string } = {},
): EdgeWorkerEvent => ({
  type: 'RevisionSubmitted',
  data: { ...pinned(`version-${revision}`), revision, ...changes },
});

export const submit = (revision: number): SubmitRevision => ({
  type: 'SubmitRevision',
  data: { ...pinned(`version-${revision}`), companyId, departmentId, scriptName },
});

export const admit = (ticketId: string, revision: number, kind: 'deploy' | 'rollback' = 'deploy'): AdmitDeployment => ({
  type: 'AdmitDeployment',
  data: {
    ...{ ticketId, kind, revision, gate: 'open', provider: 'workerd', scope: 'onprem:000000000001' },
    ...{ steps, dedupeKey: ticketId, maxAttempts: 3, supersede: false },
  },
});

export const admitted = (
  ticketId: string,
  revision: number,
  admissionSequence: number,
  kind: 'deploy' | 'rollback' = 'deploy',
): EdgeWorkerEvent => ({
  type: 'DeploymentAdmitted',
  data: {
    ...{
      ticketId,
      versionId: `version-${revision}`,
      revision,
      kind,
      provider: 'workerd',
      scope: 'onprem:000000000001',
    },
    ...{ steps, dedupeKey: ticketId, admissionSequence, maxAttempts: 3 },
  },
});

export const lease = (ticketId: string, leaseId: string, now = 1_000, takeover = false): LeaseDeployment => ({
  type: 'LeaseDeployment',
  data: { ticketId, leaseId, holder: `node/${leaseId}`, now, leasedUntil: now + 10_000, takeover },
});

export const leased = (ticketId: string, revision: number, leaseId: string, attempt = 1): EdgeWorkerEvent => ({
  type: 'DeploymentLeased',
  data: {
    ...{ ticketId, versionId: `version-${revision}`, leaseId, holder: `node/${leaseId}`, attempt },
    leasedUntil: 11_000,
  },
});

type Step = Extract<EdgeWorkerEvent, { type: 'DeploymentStepRecorded' }>['data'];

export const stepRecorded = (
  ticketId: string,
  sequence: number,
  step: string,
  changes: Partial<Step> = {},
): EdgeWorkerEvent => ({
  type: 'DeploymentStepRecorded',
  data: {
    ticketId,
    sequence,
    attempt: 1,
    step,
    outcome: 'done',
    detail: 'fine',
    startedAt: 2_000,
    durationMs: 5,
    mode: 'perform',
    facts: {},
    ...changes,
  },
});

export const completed = (ticketId: string, revision: number, supersededVersionId = ''): EdgeWorkerEvent => ({
  type: 'DeploymentCompleted',
  data: {
    ...{ ticketId, versionId: `version-${revision}`, revision, supersededVersionId },
    ...{ url: 'http://worker.localhost', workerStatus: 'active', provider: 'workerd', scope: 'onprem:000000000001' },
  },
});

/** Everything of a deployment that went well. */
export const deployed = (
  ticketId: string,
  revision: number,
  sequence: number,
  supersededVersionId = '',
): readonly EdgeWorkerEvent[] => [
  admitted(ticketId, revision, sequence),
  leased(ticketId, revision, `lease-${ticketId}`),
  ...steps.map((step, index) => stepRecorded(ticketId, index + 1, step)),
  completed(ticketId, revision, supersededVersionId),
];
