import type { DueWork, Effect } from '../runner.ts';

/** Deliveries of one webhook at once, in one process. */
const perWebhook = 2;

/**
 * A receiver that hangs keeps the few hands that its webhook may have, and none that another webhook waits for: while they
 * are busy its deliveries are not even asked for, however many there are.
 */
export const createDeliveryGate = () => {
  const underWay = new Map<string, string>();
  const busy = (): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const webhookId of underWay.values()) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
    return counts;
  };
  return {
    /** Webhooks that have all the hands that they may have. */
    full: (): readonly string[] =>
      [...busy()].flatMap(([webhookId, count]) => (count >= perWebhook ? [webhookId] : [])),
    /** Of what is due, what may begin now. */
    admit: (due: readonly DueWork[]): readonly DueWork[] => {
      const counts = busy();
      return due.filter(({ ticketId, subjectId = '' }) => {
        const count = counts.get(subjectId) ?? 0;
        if (underWay.has(ticketId) || count >= perWebhook) return false;
        counts.set(subjectId, count + 1);
        return true;
      });
    },
    around:
      (effect: Effect): Effect =>
      async (work, signal, hand) => {
        underWay.set(work.ticketId, work.subjectId ?? '');
        try {
          return await effect(work, signal, hand);
        } finally {
          underWay.delete(work.ticketId);
        }
      },
  };
};
