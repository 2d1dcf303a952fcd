import type { Parts } from '../../parts.ts';
import { auditChain } from './auditChain.ts';
import { auditVerify } from './auditVerify.ts';
import { backup } from './backup.ts';
import { doctor } from './doctor.ts';
import { eventsRepublish } from './eventsRepublish.ts';
import { eventsTail } from './eventsTail.ts';
import { evidenceKey } from './evidenceKey.ts';
import { evidenceRebuild } from './evidenceRebuild.ts';
import { evidenceVerify } from './evidenceVerify.ts';
import { keysList } from './keysList.ts';
import { keysRetire } from './keysRetire.ts';
import { keysRotate } from './keysRotate.ts';
import { maintenance } from './maintenance.ts';
import { type Operation, OperationRefused } from './operation.ts';
import { rebuild } from './rebuild.ts';
import { reconcile } from './reconcile.ts';
import { replayStream } from './replayStream.ts';
import { replayTables } from './replayTables.ts';
import { replayWorkspace } from './replayWorkspace.ts';
import { resync } from './resync.ts';
import { usersImport } from './usersImport.ts';
import { usersResetPassword } from './usersResetPassword.ts';

/** An operation with its types folded away: what the control server offers by name. */
export type AnyOperation = {
  readonly name: string;
  readonly perform: (
    parts: Parts,
    input: unknown,
    onProgress: (progress: unknown) => Promise<void> | void,
    signal: AbortSignal,
  ) => Promise<unknown>;
};

const offer = <Args, Progress, Result>(operation: Operation<Args, Progress, Result>): AnyOperation => ({
  name: operation.name,
  perform: async (parts, input, onProgress, signal) => {
    const args = operation.args.safeParse(input);
    if (!args.success) throw new OperationRefused('arguments_invalid', args.error.message);
    return operation.run(parts, args.data, onProgress, signal);
  },
});

/** Everything a running server does for its operator. */
export const operations: readonly AnyOperation[] = [
  offer(auditChain),
  offer(auditVerify),
  offer(backup),
  offer(doctor),
  offer(eventsRepublish),
  offer(eventsTail),
  offer(evidenceKey),
  offer(evidenceRebuild),
  offer(evidenceVerify),
  offer(keysList),
  offer(keysRetire),
  offer(keysRotate),
  offer(maintenance),
  offer(rebuild),
  offer(reconcile),
  offer(replayStream),
  offer(replayTables),
  offer(replayWorkspace),
  offer(resync),
  offer(usersImport),
  offer(usersResetPassword),
];
