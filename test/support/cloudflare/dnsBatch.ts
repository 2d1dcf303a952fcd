import { z } from 'zod';
import { type Answer, isRefused, ok, type Refused, refuse } from './answer.ts';
import type { ApiRequest, Context } from './context.ts';
import { createRecord, putDefaults, type Records, removeRecord, replaceRecord, showRecord } from './dnsRecords.ts';
import { recordPatchSchema, recordSchema } from './dnsRules.ts';
import { readJson } from './json.ts';
import type { DnsRecord, Zone } from './state.ts';
import { zoneOf } from './zones.ts';

const batchSchema = z.object({
  deletes: z.array(z.object({ id: z.string() })).default([]),
  patches: z.array(recordPatchSchema.extend({ id: z.string() })).default([]),
  puts: z.array(recordSchema.extend({ id: z.string() })).default([]),
  posts: z.array(recordSchema).default([]),
});

type Batch = z.infer<typeof batchSchema>;
type Steps = readonly (() => DnsRecord | Refused)[];

/** Stops at the first refusal. */
const runAll = (steps: Steps): readonly DnsRecord[] | Refused => {
  const done: DnsRecord[] = [];
  for (const step of steps) {
    const record = step();
    if (isRefused(record)) return record;
    done.push(record);
  }
  return done;
};

const groups = (context: Context, zone: Zone, records: Records, batch: Batch) =>
  [
    [
      'deletes',
      batch.deletes.map(
        ({ id }) =>
          () =>
            removeRecord(records, id),
      ),
    ],
    [
      'patches',
      batch.patches.map(
        ({ id, ...change }) =>
          () =>
            replaceRecord(context, zone, records, id, change),
      ),
    ],
    [
      'puts',
      batch.puts.map(
        ({ id, ...change }) =>
          () =>
            replaceRecord(context, zone, records, id, { ...putDefaults, ...change, tags: change.tags ?? [] }),
      ),
    ],
    ['posts', batch.posts.map((wanted) => () => createRecord(context, zone, records, wanted))],
  ] as const;

/** Deletes, patches, puts, posts, in this order, and all of them or none. */
export const postBatch = (context: Context, request: ApiRequest): Answer => {
  const zone = zoneOf(context, request);
  const body = readJson(request, batchSchema);
  if (isRefused(body)) return body;
  const batch = body.value;
  const size = batch.deletes.length + batch.patches.length + batch.puts.length + batch.posts.length;
  const { recordsPerBatch } = context.behaviour.limits;
  if (size > recordsPerBatch) return refuse(1004, `a batch has at most ${recordsPerBatch} operations`);
  const trial: Records = new Map(zone.records);
  const result: Record<string, unknown> = {};
  for (const [name, steps] of groups(context, zone, trial, batch)) {
    const done = runAll(steps);
    if (isRefused(done)) return done;
    result[name] = done.map(showRecord);
  }
  zone.records.clear();
  for (const [id, record] of trial) zone.records.set(id, record);
  return ok(result);
};
