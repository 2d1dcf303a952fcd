import { maskSecrets } from '../domain/masking.ts';
import type { Parts } from '../parts.ts';
import { systemClock } from '../platform/clock/system.ts';
import type { NodeProvider } from '../platform/edge/port.ts';
import type { WorkerLogLine } from '../platform/edge/workerd/index.ts';
import type { WorkerLogReader, WorkerLogWriter } from '../platform/workerLogs/port.ts';
import { createWorkerLogReader } from '../platform/workerLogs/reader.ts';
import { createWorkerLogWriter } from '../platform/workerLogs/writer.ts';
import type { Closing } from './closing.ts';

/** Where this process keeps what its workers write. Values of variables and secrets are masked before it comes here. */
export const openWorkerLogs = ({ folder, logger }: Pick<Parts, 'folder' | 'logger'>, closing: Closing) => {
  const writer = createWorkerLogWriter({
    ...{ folder: folder.workerLogs, nodeId: folder.nodeId, log: logger },
    redact: (message) => String(maskSecrets(message)),
  });
  closing.add(writer.flush);
  return {
    onLog: (line: WorkerLogLine): void => {
      const { scriptName, at, revision, origin, level, message } = line;
      writer.write(scriptName, { at, revision, origin, level, message });
      logger.debug(line, 'edge: a worker wrote');
    },
    forgetting: <Provider extends NodeProvider>(provider: Provider): Provider => forgetting(provider, writer),
  };
};

/** Lines go with the script: once it has stopped here for good, and once it was taken down. */
const forgetting = <Provider extends NodeProvider>(provider: Provider, writer: WorkerLogWriter): Provider => ({
  ...provider,
  drop: async (scriptName) => {
    await provider.drop(scriptName);
    await writer.remove(scriptName);
  },
  remove: async (scriptName, signal) => {
    const outcome = await provider.remove(scriptName, signal);
    if (outcome.outcome === 'done') await writer.remove(scriptName);
    return outcome;
  },
});

export const workerLogReader = ({ folder }: Pick<Parts, 'folder'>): WorkerLogReader =>
  createWorkerLogReader({ folder: folder.workerLogs, clock: systemClock });
