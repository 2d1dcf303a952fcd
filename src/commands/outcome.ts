import { type Message, type Rejection, reject } from '../domain/kernel.ts';
import type { Position } from '../platform/eventLog/port.ts';
import type { NotSent, Sent } from './send.ts';

/** What a workflow of one or more commands led to. */
export type Outcome<Value, Code extends string> =
  | {
      readonly ok: true;
      readonly value: Value;
      /** Revision and position of the aggregate that the answer is about. */
      readonly revision: number;
      readonly position: Position;
      /** Every fact of every step, in order: what was appended, or what would be on a dry run. */
      readonly events: readonly Message<string, object>[];
    }
  | NotSent<Code>;

export const done = <Value>(
  value: Value,
  last: Pick<Sent<Message<string, object>, unknown>, 'revision' | 'position'>,
  ...steps: readonly { readonly events: readonly Message<string, object>[] }[]
): Outcome<Value, never> => ({
  ok: true,
  value,
  revision: last.revision,
  position: last.position,
  events: steps.flatMap((step) => step.events),
});

export const notSent = <Code extends string>(
  rejected: Code,
  reason: string,
  more: Omit<Rejection<Code>, 'rejected' | 'reason'> = {},
): NotSent<Code> => ({ ok: false, rejection: reject(rejected, reason, more) });
