import type { ControlAuditEvent } from './events.ts';

export type ControlAudit = { readonly status: 'absent' | 'recorded' };

export const initial: ControlAudit = { status: 'absent' };

export const evolve = (state: ControlAudit, event: ControlAuditEvent): ControlAudit => {
  switch (event.type) {
    case 'ControlActionRefused':
    case 'ControlRefusalsOmitted':
      return { status: 'recorded' };
    default:
      event satisfies never;
      return state;
  }
};
