import type { WorkerSpec } from '../port.ts';
import { createLineBudget, type Line } from './output.ts';
import type { Redact } from './redact.ts';
import type { NodeContext, WorkerLogLine } from './settings.ts';

/**
 * Hands lines of one worker on, redacted, no faster than its budget; what was dropped is said once lines flow again, and
 * costs nothing.
 */
export const createWorkerLog = (
  { limits, clock, onLog }: NodeContext,
  spec: WorkerSpec,
): ((line: Line, redact: Redact) => void) => {
  const budget = createLineBudget(clock.now, limits.log.burstLines, limits.log.linesPerSecond);
  const { scriptName, versionId, revision } = spec;
  const emit = (origin: WorkerLogLine['origin'], level: string, message: string): void =>
    onLog({ scriptName, versionId, revision, origin, level, message, at: clock.now() });
  return (line, redact) => {
    const { allowed, droppedBefore } = budget.take();
    if (!allowed) return;
    if (droppedBefore > 0) emit('platform', 'warn', `${droppedBefore} lines dropped: the worker writes too fast`);
    emit(line.origin, line.level, redact(line.message));
  };
};
