import { z } from 'zod';

/** What somebody who looks at a deployment can do about it. */
export const wayOut = z.enum(['wait', 'cancel', 'giveUp', 'supersede', 'deploy', 'rollback', 'reconcile', 'repair']);
export type WayOut = z.output<typeof wayOut>;

const found = z.string().nullable();

/** A deployment in words. Texts are what the outside said, masked; they are for people and may be worded anew. */
export const explanation = z
  .strictObject({
    summary: z.string().meta({ description: 'How it stands, in one or two sentences.' }),
    step: found.meta({ description: 'The step that it stands or fell at.' }),
    asked: found.meta({ description: 'What was last asked outside for this step.' }),
    answered: found.meta({ description: 'What was answered; no answer is said, too.' }),
    found: found.meta({ description: 'What looking has found since; null while nobody has looked.' }),
    next: z.string().meta({ description: 'What happens next, without anybody doing anything.' }),
    at: z.iso.datetime().nullable().meta({ description: 'When; null: at once, or never.' }),
    attemptsLeft: z
      .number()
      .int()
      .min(0)
      .meta({ description: 'Attempts that may still begin. Looking at what is uncertain is not bounded by them.' }),
    ways: z
      .array(z.strictObject({ action: wayOut, description: z.string() }))
      .meta({ description: 'How to end it, or what to do now that it has ended.' }),
  })
  .meta({ id: 'DeploymentExplanation' });

export type Explanation = z.output<typeof explanation>;
