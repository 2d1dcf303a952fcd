import { type Rejection, reject } from '../domain/kernel.ts';
import type { Aggregates } from './aggregates.ts';
import type { Envelope } from './envelope.ts';
import type { SendRejection } from './send.ts';
import { reserve } from './workspace.ts';

/**
 * For commands whose stream follows from their body: the same key with another body would come to another stream, which
 * knows nothing of the first. So the key itself is claimed, in a stream of its own. Call it when nothing else refuses the
 * command: a key whose request was refused is free again. Without a key it does nothing.
 */
export const claimKey = async (
  aggregates: Pick<Aggregates, 'reservation'>,
  streamId: string,
  envelope: Envelope,
): Promise<Rejection<SendRejection> | undefined> => {
  if (envelope.commandDigest === '') return undefined;
  const claimed = await reserve(aggregates, 'command', envelope.commandId, streamId, envelope);
  if (claimed.ok) return undefined;
  const { rejected, ...why } = claimed.rejection;
  return rejected === 'NameTaken'
    ? reject('IdempotencyKeyReused', 'This idempotency key belongs to another request.', { field: 'Idempotency-Key' })
    : { rejected, ...why };
};
