import { everyCompany, requestReconciliation } from '../commands/reconciliation.ts';
import type { Parts } from '../parts.ts';
import { systemClock } from '../platform/clock/system.ts';
import type { EdgeProvider } from '../platform/edge/port.ts';
import { systemEnvelope } from '../sagas/envelope.ts';
import type { Closing } from './closing.ts';

const context = {
  workspaceId: '',
  departmentId: '',
  requestId: '',
  correlationId: '',
  causationId: '',
};

/**
 * Asks for a reconciliation of every provider from time to time. The time slot is the key, so that of several nodes one
 * is heard.
 */
export const startReconciling = (
  { aggregates, config, logger }: Pick<Parts, 'aggregates' | 'config' | 'logger'>,
  providers: readonly EdgeProvider[],
  closing: Closing,
): void => {
  const { minutes, apply } = config.reconciling;
  if (minutes === 0) return;
  const everyMs = minutes * 60_000;
  const stopping = new AbortController();
  const asking = (async () => {
    for (;;) {
      const now = systemClock.now();
      await systemClock.sleep(everyMs - (now % everyMs), stopping.signal);
      if (stopping.signal.aborted) return;
      const key = `every:${minutes}:${Math.round(systemClock.now() / everyMs)}`;
      const kinds = providers.map(({ kind }) => kind);
      const wanted = { providers: kinds, companyId: everyCompany, mode: apply ? 'apply' : 'record', key } as const;
      await requestReconciliation({ aggregates }, wanted, systemEnvelope('reconcile', context, key)).catch(
        (error: unknown) => logger.warn({ err: error }, 'reconcile: could not be asked for; next time'),
      );
    }
  })();
  closing.add(async () => {
    stopping.abort();
    await asking;
  });
};
