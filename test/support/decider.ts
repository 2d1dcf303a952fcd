import { expect } from 'vitest';
import { type Decider, isRejection, type Message, type Rejection } from '../../src/domain/kernel.ts';

/**
 * `given(facts).when(command).then(facts)`. Every accepted command is sent a second time on the state it led to: a
 * decision sent twice adds nothing the second time.
 */
export const specification = <Command, Event extends Message<string, object>, State, Code extends string>(
  decider: Decider<Command, Event, State, Code>,
) => {
  const fold = (events: readonly Event[]): State => events.reduce(decider.evolve, decider.initial);
  const given = (facts: readonly Event[]) => ({
    when: (command: Command) => {
      const state = fold(facts);
      const decision = decider.decide(command, state);
      return {
        then: (expected: readonly Event[]) => {
          expect(decision).toEqual(expected);
          if (isRejection(decision)) return;
          const again = decider.decide(command, fold([...facts, ...decision]));
          expect(again, 'the same command again must add nothing').toEqual([]);
        },
        thenNothing: () => expect(decision).toEqual([]),
        thenRejected: (code: Code, more: Partial<Rejection<Code>> = {}) =>
          expect(decision).toMatchObject({ rejected: code, ...more }),
      };
    },
    state: fold(facts),
  });
  return { given };
};
