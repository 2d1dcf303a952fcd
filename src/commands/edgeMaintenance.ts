import { randomUUID } from 'node:crypto';
import { type EdgeMaintenance, type EdgeMaintenanceCommand, isOpen } from '../domain/edgeMaintenance/index.ts';
import { derivedId } from '../domain/identifiers.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, sha256 } from './envelope.ts';

export type MaintenanceDeps = { readonly aggregates: Pick<Aggregates, 'edgeMaintenance'>; readonly scope: string };

/** `operator`: somebody at the machine, through the command line; `node`: this process by itself. */
export type MaintenanceActor = 'operator' | 'node' | 'backup';

/** Without a key the command is a new one every time: its decider adds nothing when there is nothing to do. */
const envelopeOf = (actor: MaintenanceActor, key: string = randomUUID()): Envelope => {
  const commandId = derivedId(sha256, 'maintenance', actor, key);
  return {
    ...{ commandId, commandDigest: '', actor: { kind: 'system', id: actor }, authMethod: 'system' },
    ...{ workspaceId: '', departmentId: '', requestId: '', correlationId: commandId, causationId: '' },
  };
};

/** Sends one command to the scope; answers as `send` does. */
export const sendMaintenance = (
  { aggregates, scope }: MaintenanceDeps,
  command: EdgeMaintenanceCommand,
  actor: MaintenanceActor,
  key?: string,
) => aggregates.edgeMaintenance.send(scope, command, envelopeOf(actor, key));

/** The scope as the log has it now. */
export const readScope = async ({ aggregates, scope }: MaintenanceDeps): Promise<EdgeMaintenance> =>
  (await aggregates.edgeMaintenance.load(scope)).state;

/** Of these scopes, those whose gate is open; `maxAgeMs` as for `load`. */
export const openScopes = async (
  aggregates: Pick<Aggregates, 'edgeMaintenance'>,
  scopes: readonly string[],
  accepts: (scope: string, state: EdgeMaintenance) => boolean = () => true,
): Promise<readonly string[]> => {
  const states = await Promise.all(
    scopes.map(async (scope) => ({
      scope,
      state: (await aggregates.edgeMaintenance.load(scope, { maxAgeMs: 250 })).state,
    })),
  );
  return states.filter(({ scope, state }) => isOpen(state) && accepts(scope, state)).map(({ scope }) => scope);
};
