import type { z } from 'zod';
import { type Answer, isRefused, ok, type Refused, refuse } from './answer.ts';
import { type ApiRequest, type Context, isoNow, param } from './context.ts';
import { filterRecords } from './dnsFilter.ts';
import {
  checkConflicts,
  isProxiable,
  type RecordWanted,
  readRecord,
  recordPatchSchema,
  recordSchema,
} from './dnsRules.ts';
import { readJson } from './json.ts';
import { paginate } from './paging.ts';
import type { DnsRecord, Zone } from './state.ts';
import { zoneOf } from './zones.ts';

export const showRecord = (record: DnsRecord) => ({
  id: record.id,
  type: record.type,
  name: record.name,
  content: record.content,
  ttl: record.ttl,
  proxied: record.proxied,
  proxiable: isProxiable(record.type),
  ...(record.priority === undefined ? {} : { priority: record.priority }),
  comment: record.comment ?? null,
  tags: record.tags,
  settings: {},
  meta: record.originWorkerId === undefined ? {} : { origin_worker_id: record.originWorkerId, read_only: true },
  created_on: record.createdOn,
  modified_on: record.modifiedOn,
});

/** The records of a zone, or a copy of them on which a batch is tried. */
export type Records = Map<string, DnsRecord>;

export const createRecord = (
  context: Context,
  zone: Zone,
  records: Records,
  wanted: RecordWanted,
): DnsRecord | Refused => {
  const fields = readRecord(wanted, zone, context.behaviour);
  if (isRefused(fields)) return fields;
  const refused = checkConflicts(fields, records.values(), undefined, context.behaviour);
  if (refused !== undefined) return refused;
  const now = isoNow(context);
  const record = { ...fields, id: context.ids.hex(), createdOn: now, modifiedOn: now, originWorkerId: undefined };
  records.set(record.id, record);
  return record;
};

const editable = (records: Records, id: string): DnsRecord | Refused => {
  const record = records.get(id);
  if (record === undefined) return refuse(81044);
  return record.originWorkerId === undefined ? record : refuse(1046);
};

const wantedOf = ({ type, name, content, ttl, proxied, priority, comment, tags }: DnsRecord) => ({
  type,
  name,
  content,
  ttl,
  proxied,
  priority,
  comment,
  tags: [...tags],
});

/** A put says everything, a patch only what is to be different. */
export const replaceRecord = (
  context: Context,
  zone: Zone,
  records: Records,
  id: string,
  change: RecordWanted | z.infer<typeof recordPatchSchema>,
): DnsRecord | Refused => {
  const before = editable(records, id);
  if (isRefused(before)) return before;
  const wanted = recordSchema.safeParse({ ...wantedOf(before), ...change });
  if (!wanted.success) return refuse(1004);
  const fields = readRecord(wanted.data, zone, context.behaviour);
  if (isRefused(fields)) return fields;
  const refused = checkConflicts(fields, records.values(), id, context.behaviour);
  if (refused !== undefined) return refused;
  const record = { ...before, ...fields, modifiedOn: isoNow(context) };
  records.set(id, record);
  return record;
};

export const removeRecord = (records: Records, id: string): DnsRecord | Refused => {
  const record = editable(records, id);
  if (!isRefused(record)) records.delete(id);
  return record;
};

/** With a put the fields that are absent take their defaults instead of staying. */
export const putDefaults = { ttl: 1, proxied: false, priority: undefined, comment: undefined, tags: [] };

export const listRecords = (context: Context, request: ApiRequest): Answer => {
  const found = filterRecords([...zoneOf(context, request).records.values()], request.query);
  const page = paginate(found, request.query, { fallback: 100, most: 5000 });
  return isRefused(page) ? page : ok(page.items.map(showRecord), page.info);
};

const answer = (record: DnsRecord | Refused): Answer => (isRefused(record) ? record : ok(showRecord(record)));

export const getRecord = (context: Context, request: ApiRequest): Answer =>
  answer(zoneOf(context, request).records.get(param(request, 'record')) ?? refuse(81044));

export const postRecord = (context: Context, request: ApiRequest): Answer => {
  const zone = zoneOf(context, request);
  const body = readJson(request, recordSchema);
  return isRefused(body) ? body : answer(createRecord(context, zone, zone.records, body.value));
};

export const putRecord = (context: Context, request: ApiRequest): Answer => {
  const zone = zoneOf(context, request);
  const body = readJson(request, recordSchema);
  if (isRefused(body)) return body;
  const change = { ...putDefaults, ...body.value, tags: body.value.tags ?? [] };
  return answer(replaceRecord(context, zone, zone.records, param(request, 'record'), change));
};

export const patchRecord = (context: Context, request: ApiRequest): Answer => {
  const zone = zoneOf(context, request);
  const body = readJson(request, recordPatchSchema);
  if (isRefused(body)) return body;
  return answer(replaceRecord(context, zone, zone.records, param(request, 'record'), body.value));
};

export const deleteRecord = (context: Context, request: ApiRequest): Answer => {
  const id = param(request, 'record');
  const removed = removeRecord(zoneOf(context, request).records, id);
  return isRefused(removed) ? removed : ok({ id });
};
