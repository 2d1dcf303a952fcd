import type { Aggregates } from '../../src/commands/aggregates.ts';
import type { Envelope } from '../../src/commands/envelope.ts';

/** The part of a random history that is about refused actions. */
export const controlSteps = ['refuse', 'omit'] as const;
export type ControlStep = (typeof controlSteps)[number];

export const isControlStep = (what: string): what is ControlStep => controlSteps.some((each) => each === what);

export const performControlStep = async (
  { controlAudit }: Aggregates,
  { what, choice }: { readonly what: ControlStep; readonly choice: number },
  envelope: Envelope,
): Promise<void> => {
  const id = envelope.commandId;
  switch (what) {
    case 'refuse': {
      const about = { action: 'deployRevision', resourceType: 'edgeWorker', resourceId: `worker-${choice % 3}` };
      const verdict = {
        result: choice % 2 ? 'denied' : 'refused',
        reasonCode: 'deployment_alive',
        digest: '',
      } as const;
      await controlAudit.send(id, { type: 'RecordControlRefusal', data: { ...about, ...verdict } }, envelope);
      return;
    }
    case 'omit': {
      const data = { count: choice, windowStart: 1_700_000_000_000, windowMs: 60_000 };
      await controlAudit.send(id, { type: 'RecordOmittedRefusals', data }, envelope);
      return;
    }
    default:
      what satisfies never;
  }
};
