import { z } from 'zod';
import { derivedId } from '../domain/identifiers.ts';
import { maskSecrets, maskText } from '../domain/masking.ts';
import type { ResourceNotes, ResourceRejection } from '../domain/resource/index.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, onNewStream, sha256 } from './envelope.ts';
import { idField } from './fields.ts';
import { done, type Outcome } from './outcome.ts';
import type { Subject } from './subjects.ts';
import { lineField, lineRule, nameField, nameRule } from './texts.ts';

export const kindField = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,62}$/, 'A word such as load_balancer: lower case, digits and _, 63 at most.')
  .meta({ description: 'What it is, in your word.', examples: ['load_balancer'] });

/** `key` or `key=value`. */
export const tagField = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._/-]{0,62}(?:=[A-Za-z0-9][A-Za-z0-9._/:@+-]{0,92})?$/,
    'A tag is a key in lower case such as team, or a key with a value such as env=production.',
  )
  .meta({ description: 'A key, or a key with a value.', examples: ['env=production'] });

const noteName = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, 'Letters, digits, _, . and -, 64 at most.');

const masked = 'What looks like a secret is masked before it is written down.';

const described = {
  description: lineField(250, `A line about it. ${masked}`),
  provider: lineField(64, `Who runs it. ${masked}`),
  metadata: z
    .record(noteName, lineField(500, 'A note.'))
    .refine((notes) => Object.keys(notes).length <= 50, 'At most 50 of them.')
    .meta({ description: `Notes by name. ${lineRule(500)} ${masked}` }),
};

const resourceName = nameField.meta({ description: `A name for people. ${nameRule} ${masked}` });

export const createResourceSchema = z.strictObject({
  name: resourceName,
  kind: kindField,
  departmentId: idField.optional().meta({ description: 'Whose it is; of the whole workspace when not given.' }),
  description: described.description.default(''),
  provider: described.provider.default(''),
  metadata: described.metadata.default({}),
});
export type CreateResource = z.output<typeof createResourceSchema>;

export const describeResourceSchema = z
  .strictObject({
    name: resourceName.optional(),
    description: described.description.optional(),
    provider: described.provider.optional(),
    metadata: described.metadata
      .optional()
      .meta({ description: `In place of all notes of before. ${lineRule(500)} ${masked}` }),
  })
  .refine((given) => Object.values(given).some((value) => value !== undefined), 'Give something to change.');
export type DescribeResource = z.output<typeof describeResourceSchema>;

export const tagsSchema = z.strictObject({ tags: z.array(tagField).min(1).max(50) });

type Deps = { readonly aggregates: Aggregates };

const maskNotes = (notes: ResourceNotes): ResourceNotes => z.record(z.string(), z.string()).parse(maskSecrets(notes));

export type CreatedResource = {
  readonly id: string;
  readonly workspaceId: string;
  readonly departmentId: string | null;
  readonly kind: string;
  readonly name: string;
};

/** Notes that look like a secret are masked here: an event is for ever. */
export const createResource = async (
  { aggregates }: Deps,
  workspaceId: string,
  { departmentId = '', metadata, description, ...given }: CreateResource,
  envelope: Envelope,
): Promise<Outcome<CreatedResource, ResourceRejection>> => {
  const id = derivedId(sha256, 'resource', envelope.commandId);
  const { kind, name, provider } = given;
  const data = {
    ...{ workspaceId, departmentId, kind, name: maskText(name), provider: maskText(provider) },
    ...{ description: maskText(description), notes: maskNotes(metadata) },
  };
  const created = await aggregates.resource.send(id, { type: 'CreateResource', data }, onNewStream(envelope));
  if (!created.ok) return created;
  return done(
    { id, workspaceId, departmentId: departmentId === '' ? null : departmentId, kind, name: data.name },
    created,
    created,
  );
};

const maskIfGiven = (text: string | undefined): string | undefined => (text === undefined ? undefined : maskText(text));

export const describeResource = async (
  { aggregates }: Deps,
  { workspaceId, resourceId }: { readonly workspaceId: string; readonly resourceId: string },
  { name, description, provider, metadata }: DescribeResource,
  envelope: Envelope,
): Promise<Outcome<{ readonly id: string; readonly name: string }, ResourceRejection>> => {
  const data = {
    ...{ workspaceId, name: maskIfGiven(name), description: maskIfGiven(description) },
    ...{ provider: maskIfGiven(provider), notes: metadata && maskNotes(metadata) },
  };
  const sent = await aggregates.resource.send(resourceId, { type: 'DescribeResource', data }, envelope);
  if (!sent.ok) return sent;
  return done({ id: resourceId, name: sent.state.status === 'absent' ? '' : sent.state.name }, sent, sent);
};

/** Its tags and relations go with it. */
export const removeResource = async (
  { aggregates }: Deps,
  { workspaceId, resourceId }: { readonly workspaceId: string; readonly resourceId: string },
  envelope: Envelope,
): Promise<Outcome<null, ResourceRejection>> => {
  const sent = await aggregates.resource.send(resourceId, { type: 'RemoveResource', data: { workspaceId } }, envelope);
  return sent.ok ? done(null, sent, sent) : sent;
};

/** Tags of any resource, kept in a stream under its id. `subject` was found in the log. */
export const tagResource = async (
  { aggregates }: Deps,
  { workspaceId, subject }: { readonly workspaceId: string; readonly subject: Subject },
  { type, tags }: { readonly type: 'TagResource' | 'UntagResource'; readonly tags: readonly string[] },
  envelope: Envelope,
): Promise<Outcome<{ readonly id: string; readonly tags: readonly string[] }, ResourceRejection>> => {
  const data = { workspaceId, incarnation: subject.incarnation, tags };
  const sent = await aggregates.resource.send(subject.id, { type, data }, envelope);
  if (!sent.ok) return sent;
  const { state } = sent;
  return done({ id: subject.id, tags: state.incarnation === subject.incarnation ? state.tags : [] }, sent, sent);
};
