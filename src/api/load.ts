import type { Limiters } from './limiters.ts';
import { type TurnKind, turnKinds } from './turns.ts';

/** What the API has in its hands at a moment. All zeros when nobody asks anything. */
export type Load = {
  readonly turns: readonly { readonly kind: TurnKind; readonly running: number; readonly waiting: number }[];
  readonly bodyBytes: number;
  readonly answerBytes: number;
  readonly streams: number;
  readonly heldAnswers: number;
};

export const loadOf = ({ turns, bodies, answers, streams, heldAnswers }: Limiters): Load => ({
  turns: turnKinds.map((kind) => {
    const { running, waiting } = turns[kind].counts();
    return { kind, running, waiting };
  }),
  bodyBytes: bodies.bytes(),
  answerBytes: answers.bytes(),
  streams: streams.open(),
  heldAnswers: heldAnswers.count(),
});
