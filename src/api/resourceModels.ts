import { z } from 'zod';
import { idField } from '../commands/fields.ts';
import type { RelationAnswer, ResourceAnswer } from '../projections/resource/answers.ts';
import { isoTime } from './models.ts';

const time = z.iso.datetime().meta({ description: 'RFC 3339, UTC.' });

const resourceFields = {
  id: idField,
  workspaceId: idField,
  departmentId: idField.nullable().meta({ description: 'Null: of the whole workspace.' }),
  type: z.string().meta({
    description:
      'The feature that it is of, such as department, edgeWorker, edgeDomain, edgeSecret; or custom, made by hand.',
  }),
  kind: z.string().nullable().meta({ description: 'What it is more closely, such as the word given to a custom one.' }),
  name: z.string(),
  provider: z.string().nullable(),
  status: z.string(),
  detail: z.string().nullable(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  tags: z.array(z.string()),
  createdAt: time,
  updatedAt: time,
};
export const resource = z.strictObject(resourceFields).meta({ id: 'Resource' });

const relationFields = {
  id: idField,
  sourceId: idField,
  type: z.string(),
  targetId: idField,
  madeBy: z.enum(['feature', 'hand']).meta({ description: 'Those of a feature come and go with what it does.' }),
  createdAt: time,
};
export const relation = z.strictObject(relationFields).meta({ id: 'ResourceRelation' });

export const resourceWithRelations = z
  .strictObject({
    ...resourceFields,
    relations: z.array(relation).meta({ description: 'At either end, oldest first, 200 at most.' }),
    hasMoreRelations: z.boolean(),
  })
  .meta({ id: 'ResourceWithRelations' });

export const resourceGraph = z
  .strictObject({
    nodes: z.array(z.strictObject({ ...resourceFields, distance: z.number().int().min(0) })),
    edges: z.array(relation),
    cut: z
      .enum(['nodes', 'edges'])
      .nullable()
      .meta({ description: 'The bound that ended the walk early: 1,000 nodes or 5,000 edges. Null: this is all.' }),
  })
  .meta({ id: 'ResourceGraph' });

export const createdResource = z
  .strictObject({
    ...{ id: idField, workspaceId: idField, departmentId: idField.nullable(), kind: z.string(), name: z.string() },
  })
  .meta({ id: 'CreatedResource' });
export const describedResource = z.strictObject({ id: idField, name: z.string() }).meta({ id: 'DescribedResource' });
export const taggedResource = z
  .strictObject({ id: idField, tags: z.array(z.string()).meta({ description: 'All tags from now on.' }) })
  .meta({ id: 'TaggedResource' });
export const relatedResources = z
  .strictObject({ id: idField, sourceId: idField, type: z.string(), targetId: idField })
  .meta({ id: 'RelatedResources' });

export const showResource = ({ createdAt, updatedAt, ...row }: ResourceAnswer): z.input<typeof resource> => ({
  ...{ ...row, metadata: { ...row.metadata }, tags: [...row.tags] },
  ...{ createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) },
});

export const showRelation = ({ createdAt, ...row }: RelationAnswer): z.input<typeof relation> => ({
  ...row,
  createdAt: isoTime(createdAt),
});
