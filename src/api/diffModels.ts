import { z } from 'zod';
import { pageOf } from './models.ts';
import { relation } from './resourceModels.ts';

const moment = z.strictObject({ at: z.string(), position: z.string() });

const field = z.strictObject({
  field: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  replaced: z.boolean().meta({ description: 'A secret, which is not shown: it is another one.' }),
});

const fact = z.strictObject({
  event: z.string(),
  position: z.string(),
  at: z.string(),
  actor: z.strictObject({ type: z.string(), id: z.string() }),
  requestId: z.string().nullable(),
  correlationId: z.string().nullable(),
});

export const changedThing = z
  .strictObject({
    type: z.string(),
    id: z.string(),
    name: z.string(),
    departmentId: z.string().nullable(),
    change: z
      .enum(['created', 'changed', 'removed', 'cameAndWent'])
      .meta({ description: '`cameAndWent`: it is at neither of both times.' }),
    fields: z.array(field),
    relations: z.strictObject({ added: z.array(relation), removed: z.array(relation), cut: z.boolean() }),
    facts: z.array(fact).meta({ description: 'Oldest first; the newest ones when there are many.' }),
    factCount: z.number(),
  })
  .meta({ id: 'ChangedThing' });

export const workspaceDiff = pageOf(changedThing, 'ChangedThings')
  .extend({ from: moment, to: moment })
  .meta({ id: 'WorkspaceDiff' });

export type Field = z.input<typeof field>;
export type Fact = z.input<typeof fact>;
export type ShownChange = z.input<typeof changedThing>;
