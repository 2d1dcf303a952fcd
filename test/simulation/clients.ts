import type { Aggregates } from '../../src/commands/aggregates.ts';
import { admitDeployment, type Edge } from '../../src/commands/deployment.ts';
import type { Envelope } from '../../src/commands/envelope.ts';
import { sha256 } from '../../src/commands/envelope.ts';
import type { EdgeWorkerCommand } from '../../src/domain/edgeWorker/index.ts';
import { derivedId, edgeWorkerId, scriptNameOf } from '../../src/domain/identifiers.ts';
import { submit } from '../support/edgeWorkerFacts.ts';
import { cloudSteps } from './cloudAdapter.ts';
import { machineScope, machineSteps } from './machine.ts';
import type { Draws } from './random.ts';
import { settings } from './settings.ts';

export const companyId = 'company-1';

export type Department = {
  readonly departmentId: string;
  readonly workerId: string;
  readonly scriptName: string;
  readonly inCloud: boolean;
  readonly edge: Edge;
};

export const createDepartment = (count: number, inCloud: boolean): Department => {
  const departmentId = `department-${count}`;
  const place = inCloud
    ? { provider: 'cloudflare', scope: 'cloud:000000000001', steps: cloudSteps }
    : { provider: 'workerd', scope: machineScope, steps: machineSteps };
  return {
    ...{ departmentId, inCloud, workerId: edgeWorkerId(sha256, departmentId) },
    scriptName: scriptNameOf(sha256, companyId, departmentId),
    edge: { places: [place], maxAttempts: settings.maxAttempts },
  };
};

/** What came back, in a form that two answers to the same request can be compared in. */
export type Reply = { readonly ok: boolean; readonly text: string };
export type Request = {
  readonly key: string;
  readonly what: string;
  /** Of a deployment. */
  readonly wanted?: { readonly kind: 'deploy' | 'rollback'; readonly revision: number };
  readonly stream: string;
  /** Asking again may be answered otherwise: it depends on more than the key. */
  send(aggregates: Aggregates): Promise<Reply>;
};

export const envelopeOf = (key: string, what: string, departmentId: string): Envelope => ({
  ...{ commandId: derivedId(sha256, 'client', key), commandDigest: sha256(what) },
  ...{ actor: { kind: 'user', id: 'user-1' }, authMethod: 'session', workspaceId: companyId, departmentId },
  ...{ requestId: key, correlationId: key, causationId: '' },
});

/** The one command id under which a key is known in the log. */
export const commandIdOf = (key: string): string => derivedId(sha256, 'client', key);

const command = (department: Department, key: string, data: EdgeWorkerCommand): Request => {
  const { workerId, departmentId } = department;
  const what = `${data.type} ${departmentId} ${JSON.stringify(data.data).length}`;
  return {
    ...{ key, what, stream: `edgeWorker-${workerId}` },
    send: async ({ edgeWorker }) => {
      const sent = await edgeWorker.send(workerId, data, envelopeOf(key, what, departmentId));
      return sent.ok
        ? { ok: true, text: sent.events.map(({ type }) => type).join(',') }
        : { ok: false, text: sent.rejection.rejected };
    },
  };
};

const deployment = (
  department: Department,
  key: string,
  wanted: { readonly kind: 'deploy' | 'rollback'; readonly revision: number },
  supersede: boolean,
): Request => {
  const { departmentId, edge, workerId } = department;
  const what = `${wanted.kind} ${departmentId} ${wanted.revision}${supersede ? ' supersede' : ''}`;
  return {
    ...{ key, what, wanted, stream: `edgeWorker-${workerId}` },
    send: async (aggregates) => {
      const envelope = envelopeOf(key, what, departmentId);
      const sent = await admitDeployment({ aggregates, edge }, departmentId, { ...wanted, supersede }, envelope);
      return sent.ok ? { ok: true, text: sent.value.ticketId } : { ok: false, text: sent.rejection.rejected };
    },
  };
};

const maintenance = (key: string, begin: boolean): Request => ({
  ...{ key, what: `maintenance ${begin ? 'begins' : 'ends'}`, stream: `edgeMaintenance-${machineScope}` },
  send: async ({ edgeMaintenance }) => {
    const data = begin
      ? ({ type: 'BeginEdgeMaintenance', data: { reason: 'a backup' } } as const)
      : ({ type: 'EndEdgeMaintenance', data: {} } as const);
    const sent = await edgeMaintenance.send(machineScope, data, envelopeOf(key, `maintenance ${begin}`, ''));
    return { ok: sent.ok, text: sent.ok ? '' : sent.rejection.rejected };
  },
});

export const registerScope = (): Request => ({
  ...{ key: 'scope', what: 'register the scope', stream: `edgeMaintenance-${machineScope}` },
  send: async ({ edgeMaintenance }) => {
    const envelope = envelopeOf('scope', 'register', '');
    const sent = await edgeMaintenance.send(machineScope, { type: 'RegisterEdgeScope', data: {} }, envelope);
    return { ok: sent.ok, text: sent.ok ? '' : sent.rejection.rejected };
  },
});

export const endMaintenance = (): Request => maintenance('the end', false);

export const submission = (department: Department, key: string): Request => {
  const { departmentId, scriptName } = department;
  const data = { ...submit(1).data, versionId: `version-${key}`, companyId, departmentId, scriptName };
  return command(department, key, { type: 'SubmitRevision', data });
};

/** What somebody does next. `latest` is the newest deployment of the department that somebody knows of. */
export const nextRequest = (
  draws: Draws,
  department: Department,
  key: string,
  { revisions, latest }: { readonly revisions: number; readonly latest: string | undefined },
): Request => {
  const kinds = [
    'submit',
    'deploy',
    'deploy',
    'deploy',
    'supersede',
    'rollback',
    'rollback',
    'cancel',
    'cancel',
    'presence',
  ];
  const kind = draws.chance(0.025) ? 'gone' : draws.chance(0.04) ? 'maintenance' : draws.pick(['presence', ...kinds]);
  const revision = draws.chance(0.6) ? 0 : draws.between(1, Math.max(1, revisions));
  switch (kind) {
    case 'submit':
      return submission(department, key);
    case 'deploy':
    case 'supersede':
      return deployment(department, key, { kind: 'deploy', revision }, kind === 'supersede');
    case 'rollback':
      return deployment(department, key, { kind: 'rollback', revision }, draws.chance(0.2));
    case 'cancel': {
      const data = { ticketId: latest ?? 'none', giveUp: draws.chance(0.3) };
      return command(department, key, { type: 'RequestDeploymentCancel', data });
    }
    case 'maintenance':
      return maintenance(key, draws.chance(0.4));
    case 'gone': {
      const type = draws.pick(['RetireEdgeWorker', 'DeleteEdgeWorker'] as const);
      return command(department, key, { type, data: { reason: 'it was removed' } });
    }
    default:
      return command(department, key, { type: draws.chance(0.5) ? 'PauseEdgeWorker' : 'ResumeEdgeWorker', data: {} });
  }
};
