import { liveRevision } from '../domain/edgeWorker/index.ts';
import { maskSecrets } from '../domain/masking.ts';
import type { Parts } from '../parts.ts';
import { systemClock } from '../platform/clock/system.ts';
import { createCloudflareTail } from '../platform/edge/cloudflare/tail.ts';
import { createRedactor } from '../platform/edge/workerd/redact.ts';
import type { OpenTail } from '../platform/workerLogs/port.ts';
import { specOf } from '../sagas/deployment.ts';
import { secretValuesOf } from './secrets.ts';

/** Undefined without an account. What the live revision reads as secrets and variables is masked in every line. */
export const workerTail = (
  parts: Pick<Parts, 'aggregates' | 'config' | 'log' | 'logger' | 'vault'>,
): OpenTail | undefined => {
  const { aggregates, config, logger } = parts;
  if (!config.cloudflare) return undefined;
  const open = createCloudflareTail({ ...config.cloudflare, clock: systemClock, log: logger });
  const secretValues = secretValuesOf(parts);
  return async (workerId, signal) => {
    const { state } = await aggregates.edgeWorker.load(workerId);
    const live = state.status === 'absent' ? 0 : liveRevision(state);
    const revision = state.status === 'absent' ? undefined : state.revisions.find((each) => each.revision === live);
    if (state.status === 'absent' || !revision) return { ok: false, detail: 'No revision of this worker is live.' };
    const secrets = await secretValues(specOf(workerId, state, revision));
    // Without them nobody could take them out of its lines.
    if (!secrets.ok) return { ok: false, detail: secrets.detail };
    const redact = createRedactor({ variables: revision.variables, secrets: secrets.values, folders: [] });
    return open(state.scriptName, (text) => String(maskSecrets(redact(text))), signal);
  };
};
