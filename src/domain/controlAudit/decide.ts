import type { Decision, Message } from '../kernel.ts';
import type { ControlAuditEvent } from './events.ts';
import type { ControlAudit } from './state.ts';

type DataOf<Type extends ControlAuditEvent['type']> = Extract<ControlAuditEvent, { readonly type: Type }>['data'];

export type ControlAuditCommand =
  | Message<'RecordControlRefusal', DataOf<'ControlActionRefused'>>
  | Message<'RecordOmittedRefusals', DataOf<'ControlRefusalsOmitted'>>;

/** The first of its window is recorded; whoever repeats it, here or in another process, adds nothing. */
export const decide = (command: ControlAuditCommand, state: ControlAudit): Decision<ControlAuditEvent, never> => {
  if (state.status === 'recorded') return [];
  switch (command.type) {
    case 'RecordControlRefusal':
      return [{ type: 'ControlActionRefused', data: command.data }];
    case 'RecordOmittedRefusals':
      return command.data.count > 0 ? [{ type: 'ControlRefusalsOmitted', data: command.data }] : [];
  }
};
