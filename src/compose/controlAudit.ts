import { Counter, type Registry } from 'prom-client';
import { createRefusalRecorder, type RefusalRecorder } from '../commands/controlAudit.ts';
import type { Parts } from '../parts.ts';
import { systemClock, systemRandom } from '../platform/clock/system.ts';

/** Writes down what was refused; what the log did not take is a figure, and a line in the log of the program. */
export const createRefusals = ({ aggregates, logger }: Parts, registry: Registry): RefusalRecorder => {
  const lost = new Counter({
    name: 'opslog_control_audit_lost_total',
    help: 'Refused or denied actions on edge workers that could not be written down.',
    registers: [registry],
  });
  return createRefusalRecorder({
    ...{ controlAudit: aggregates.controlAudit, clock: systemClock, uuid: systemRandom.uuid, logger },
    onLost: (count) => lost.inc(count),
  });
};
