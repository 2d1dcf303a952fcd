import { z } from 'zod';
import { isOpen } from '../domain/edgeMaintenance/index.ts';
import type { DeploymentKind, EdgeWorkerCommand, EdgeWorkerRejection } from '../domain/edgeWorker/index.ts';
import { derivedId, edgeWorkerId } from '../domain/identifiers.ts';
import { type Rejection, reject } from '../domain/kernel.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, sha256 } from './envelope.ts';
import { identifies } from './fields.ts';
import { done, type Outcome } from './outcome.ts';
import { refuseGoneSecret } from './pinnedSecrets.ts';

const deploymentFields = {
  provider: z
    .enum(['workerd', 'cloudflare'])
    .optional()
    .meta({ description: 'Default: where the worker runs, or where this installation puts new workers.' }),
  supersede: z
    .boolean()
    .optional()
    .meta({ description: 'Cancel a deployment that waits for its turn or its next attempt, in favour of this one.' }),
};

const revisionField = z.number().int().min(1).max(1_000_000_000).optional();

export const deploySchema = z.strictObject({
  revision: revisionField.meta({ ...identifies('revision'), description: 'Default: the newest one.' }),
  ...deploymentFields,
});
export const rollbackSchema = z.strictObject({
  revision: revisionField.meta({ ...identifies('revision'), description: 'Default: the one that was live before.' }),
  ...deploymentFields,
});

/** A place where workers can run. */
export type EdgePlace = { readonly provider: string; readonly scope: string; readonly steps: readonly string[] };

export type Edge = {
  /** The first is where a worker goes when nobody says where. */
  readonly places: readonly [EdgePlace, ...EdgePlace[]];
  readonly maxAttempts: number;
  /** Is the row of this on-prem scope known to be missing? False when the tables do not answer: the log then decides alone. */
  readonly isRowMissing?: (scope: string) => Promise<boolean>;
};

export type AdmittedDeployment = {
  readonly ticketId: string;
  readonly workerId: string;
  readonly versionId: string;
  readonly revision: number;
  readonly kind: DeploymentKind;
};

export type WantedDeployment = {
  readonly kind: DeploymentKind;
  readonly revision: number;
  readonly supersede?: boolean;
  /** '' takes where the worker runs, or else where this installation puts new workers. */
  readonly provider?: string;
};

/** `revision` 0: the newest one to deploy, the one before the live one to roll back. A gate that nobody registered is closed. */
export const admitDeployment = async (
  { aggregates, edge }: { readonly aggregates: Aggregates; readonly edge: Edge },
  departmentId: string,
  { kind, revision, supersede = false, provider: wanted = '' }: WantedDeployment,
  envelope: Envelope,
): Promise<Outcome<AdmittedDeployment, EdgeWorkerRejection | 'EdgeProviderNotFound' | 'SecretGone'>> => {
  const workerId = edgeWorkerId(sha256, departmentId);
  const place = await placeOf(aggregates, edge, workerId, wanted);
  if ('rejected' in place) return { ok: false, rejection: place };
  const { provider, scope, steps } = place;
  const { maxAttempts } = edge;
  const ticketId = derivedId(sha256, 'ticket', envelope.commandId);
  const command: EdgeWorkerCommand = {
    type: 'AdmitDeployment',
    data: {
      ...{ ticketId, kind, revision, provider, scope, steps, maxAttempts },
      gate: (await isGateOpen(aggregates, edge, scope)) ? 'open' : 'closed',
      dedupeKey: envelope.commandId,
      supersede,
    },
  };
  const gone = await refuseGoneSecret(aggregates, { departmentId, workerId }, command, envelope);
  if (gone) return gone;
  const sent = await aggregates.edgeWorker.send(workerId, command, envelope);
  if (!sent.ok) return sent;
  const admitted = sent.events.find((event) => event.type === 'DeploymentAdmitted');
  const ticket = admitted?.data ?? (sent.state.status === 'absent' ? undefined : sent.state.ticket);
  if (ticket?.ticketId !== ticketId) throw new Error(`Deployment ${ticketId} was admitted but is not there.`);
  const { versionId, revision: admittedRevision } = ticket;
  return done({ ticketId, workerId, versionId, revision: admittedRevision, kind }, sent, sent);
};

/** Where the caller wants it, else where the worker runs, else where this installation puts new workers. */
const placeOf = async (
  aggregates: Aggregates,
  { places }: Edge,
  workerId: string,
  wanted: string,
): Promise<EdgePlace | Rejection<'EdgeProviderNotFound'>> => {
  const { state } = await aggregates.edgeWorker.load(workerId, { maxAgeMs: 250 });
  const runsOn = state.status === 'absent' ? '' : (state.placement?.provider ?? '');
  const provider = wanted || runsOn || places[0].provider;
  const names = places.map((each) => each.provider).join(', ');
  return (
    places.find((each) => each.provider === provider) ??
    reject('EdgeProviderNotFound', `This installation has no provider ${provider}. Take one of: ${names}.`, {
      field: 'provider',
    })
  );
};

/** The gate of the cloud is always open; one on-prem that nobody registered, or whose row is missing, is closed. */
const isGateOpen = async (aggregates: Aggregates, { isRowMissing }: Edge, scope: string): Promise<boolean> => {
  if (!scope.startsWith('onprem:')) return true;
  const { state } = await aggregates.edgeMaintenance.load(scope, { maxAgeMs: 250 });
  return isOpen(state) && !(await isRowMissing?.(scope));
};
