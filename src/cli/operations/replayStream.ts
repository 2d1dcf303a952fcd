import { z } from 'zod';
import { decodeAs } from '../../commands/envelope.ts';
import { catalog, isCategory } from '../../domain/catalog.ts';
import type { Decider, Message } from '../../domain/kernel.ts';
import { maskSecrets } from '../../domain/masking.ts';
import type { EventLog } from '../../platform/eventLog/port.ts';
import { type Operation, OperationRefused } from './operation.ts';
import { isWithin, type Moment, moment } from './position.ts';

const args = z.strictObject({ stream: z.string(), at: moment.optional() });

const result = z.object({
  stream: z.string(),
  /** Revision of the last event that counts; -1 when there was none yet. */
  revision: z.number(),
  position: z.string(),
  /** Milliseconds since the epoch; 0 when there was no event yet. */
  recordedAt: z.number(),
  state: z.unknown(),
});
export type StreamState = z.infer<typeof result>;

/** Folds one stream up to a moment. */
export const replayStream: Operation<z.infer<typeof args>, never, StreamState> = {
  name: 'replay-stream',
  args,
  progress: z.never(),
  result,
  run: ({ log }, { stream, at }) => {
    const category = stream.slice(0, Math.max(0, stream.indexOf('-')));
    if (!isCategory(category)) {
      const known = Object.keys(catalog).join(', ');
      throw new OperationRefused(
        'stream_unknown',
        `"${stream}" is no stream of Opslog; it begins with one of ${known}.`,
      );
    }
    switch (category) {
      case 'user':
        return fold(log, catalog.user, stream, at);
      case 'session':
        return fold(log, catalog.session, stream, at);
      case 'workspace':
        return fold(log, catalog.workspace, stream, at);
      case 'department':
        return fold(log, catalog.department, stream, at);
      case 'apiToken':
        return fold(log, catalog.apiToken, stream, at);
      case 'invitation':
        return fold(log, catalog.invitation, stream, at);
      case 'reservation':
        return fold(log, catalog.reservation, stream, at);
      case 'edgeWorker':
        return fold(log, catalog.edgeWorker, stream, at);
      case 'edgeDomain':
        return fold(log, catalog.edgeDomain, stream, at);
      case 'edgeSecret':
        return fold(log, catalog.edgeSecret, stream, at);
      case 'edgeMaintenance':
        return fold(log, catalog.edgeMaintenance, stream, at);
      case 'artifactCleanup':
        return fold(log, catalog.artifactCleanup, stream, at);
      case 'controlAudit':
        return fold(log, catalog.controlAudit, stream, at);
      case 'credential':
        return fold(log, catalog.credential, stream, at);
      case 'credentialUse':
        return fold(log, catalog.credentialUse, stream, at);
      case 'resource':
        return fold(log, catalog.resource, stream, at);
      case 'resourceRelation':
        return fold(log, catalog.resourceRelation, stream, at);
      case 'job':
        return fold(log, catalog.job, stream, at);
      case 'webhook':
        return fold(log, catalog.webhook, stream, at);
    }
  },
};

const fold = async <Command, Event extends Message<string, object>, State, Code extends string>(
  log: EventLog,
  decider: Decider<Command, Event, State, Code>,
  stream: string,
  at: Moment | undefined,
): Promise<StreamState> => {
  let state = decider.initial;
  let last = { revision: -1, position: '0', recordedAt: 0 };
  for await (const stored of log.readStream(stream)) {
    if (!isWithin(stored, at)) break;
    const event = decodeAs<Event>(decider, stored);
    if (event) state = decider.evolve(state, event);
    last = { revision: stored.revision, position: String(stored.position), recordedAt: stored.recordedAt };
  }
  return { stream, ...last, state: maskSecrets(state, { maxStringLength: 2_000 }) };
};
