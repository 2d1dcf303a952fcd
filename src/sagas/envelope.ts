import { type Envelope, sha256 } from '../commands/envelope.ts';
import { derivedId } from '../domain/identifiers.ts';

/** The tenant and the trace that work outside belongs to. */
export type WorkContext = {
  readonly workspaceId: string;
  readonly departmentId: string;
  readonly requestId: string;
  readonly correlationId: string;
  readonly causationId: string;
};

/** The envelope of a command that a part of the platform sends by itself; `key` makes a second delivery harmless. */
export const systemEnvelope = (part: string, context: WorkContext, ...key: readonly string[]): Envelope => ({
  commandId: derivedId(sha256, part, ...key),
  commandDigest: '',
  actor: { kind: 'system', id: part },
  authMethod: 'system',
  ...context,
});
