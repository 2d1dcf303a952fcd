import type { Aggregates } from '../commands/aggregates.ts';
import { claimCredentialName } from '../commands/credentialName.ts';
import { caseless } from '../domain/caseless.ts';
import { systemEnvelope } from './envelope.ts';
import { type Reactor, reactTo } from './reactor.ts';

/**
 * Names that were given before all spellings of a name were one are held by all of them from now on. Where two credentials
 * have what is one name now, both keep it, and the first one holds it.
 */
export const holdCredentialNames = (aggregates: Pick<Aggregates, 'credential' | 'reservation'>): Reactor =>
  reactTo('holdCredentialNames', ['CredentialCreated', 'CredentialRenamed'], async ({ data: { name }, meta }) => {
    if (caseless(name) === name.toLowerCase()) return;
    const { eventId, subjectId: credentialId, workspaceId, departmentId, requestId, correlationId } = meta;
    const { state } = await aggregates.credential.load(credentialId);
    if (state.status !== 'active' || state.name !== name) return;
    const context = { workspaceId, departmentId, requestId, correlationId, causationId: eventId };
    const claimed = await claimCredentialName(
      aggregates,
      { workspaceId, name, credentialId, tenure: state.tenure },
      systemEnvelope('holdCredentialNames', context, eventId),
    );
    if (!claimed.ok && claimed.rejection.rejected !== 'NameTaken')
      throw new Error(`The name of ${credentialId} cannot be held: ${claimed.rejection.rejected}`);
  });
