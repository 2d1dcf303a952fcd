import type { Decider } from '../kernel.ts';
import { type ControlAuditCommand, decide } from './decide.ts';
import type { ControlAuditEvent, ControlResult } from './events.ts';
import { type ControlAudit, evolve, initial } from './state.ts';

export const controlAudit: Decider<ControlAuditCommand, ControlAuditEvent, ControlAudit, never> = {
  category: 'controlAudit',
  events: { ControlActionRefused: true, ControlRefusalsOmitted: true },
  initial,
  decide,
  evolve,
};
export type { ControlAudit, ControlAuditCommand, ControlAuditEvent, ControlResult };
