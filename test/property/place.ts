import { randomUUID } from 'node:crypto';
import { atLeast } from '../../src/domain/roles.ts';
import { type Caller, everyCaller, personalIds, somebody } from '../matrix/callers.ts';
import { aFullWorkspace, type FullWorkspace, idOf, must } from '../matrix/fullWorkspace.ts';
import { word } from '../matrix/gone.ts';
import { wordsOf } from '../matrix/traces.ts';
import type { ApiWorld } from '../support/api.ts';
import type { Asking } from './described.ts';
import type { Plan } from './plan.ts';
import { type Bindings, renewals } from './renew.ts';
import type { Received, Sent } from './send.ts';
import { inUrl } from './values.ts';

/** A person whose sessions and password may come and go. */
export type Guest = { readonly email: string; readonly password: string; readonly userId: string };

/** Two workspaces with something of everything, and everybody who may ask. */
export type Place = {
  readonly world: ApiWorld;
  readonly own: FullWorkspace;
  readonly foreign: FullWorkspace;
  readonly callers: readonly Caller[];
  readonly known: Bindings;
  /** What each operation is asked about that ends what it is asked about. */
  readonly fresh: Map<string, Bindings>;
  /** Operations whose own things are used up. */
  readonly spent: Set<string>;
  /** `next` of the last page of an operation. */
  readonly cursors: Map<string, string>;
};

export const makePlace = async (world: ApiWorld): Promise<Place> => {
  const admin = await world.signIn();
  const [owner, theirs, stranger] = [
    await somebody(world, admin),
    await somebody(world, admin),
    await somebody(world, admin),
  ];
  const own = await aFullWorkspace(world, { owner, canary: word(), revisions: 2 });
  const foreign = await aFullWorkspace(world, { owner: theirs, canary: word(), revisions: 1 });
  const body = { name: 'Strange', slug: word() };
  const strange = await must(world, 'POST', '/workspaces', { token: stranger.token, body });
  const elsewhere = await must(world, 'POST', `${own.base}/departments`, {
    ...{ token: own.token, body: { name: 'Elsewhere', slug: 'elsewhere' } },
  });
  const callers = await everyCaller(world, {
    ...{ own, elsewhereId: idOf(elsewhere) },
    stranger: { token: stranger.token, base: `/workspaces/${idOf(strange)}` },
  });
  const ofForeign = Object.entries(foreign.ids).map(([name, id]) => [`foreign.${name}`, id]);
  const known: Bindings = {
    ...own.ids,
    ...Object.fromEntries(ofForeign),
    ...{ sourceId: own.ids.resourceId, targetId: own.ids.workerId, subjectId: own.ids.workerId, actorId: own.ownerId },
    ...{
      requestId: randomUUID(),
      correlationId: randomUUID(),
      code: 'RequestInvalid',
      'foreign.code': 'NoSuchProblem',
    },
    ...{ before: new Date(Date.now() - 3_600_000).toISOString(), then: new Date().toISOString() },
  };
  await must(world, 'GET', `/workspaces?waitFor=${await world.log.head()}`, { token: own.token });
  const emptied = { fresh: new Map(), spent: new Set(Object.keys(renewals)), cursors: new Map() };
  return { world, own, foreign, callers, known, ...emptied };
};

const mayDo = ({ role, access, id }: Asking, caller: Caller): boolean => {
  if (access === 'public') return true;
  if (caller.standing !== 'member' || caller.reach !== 'everywhere') return false;
  // These are for people, by themselves; which role they need is said nowhere.
  return caller.by === 'session' && (id === 'createWorkspace' || atLeast(caller.role, role ?? 'MEMBER'));
};

/** What is asked at the same time may get in between: pause a worker, for one. */
const insisting = async <Result>(work: () => Promise<Result>, times = 5): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (times === 1) throw error;
    return insisting(work, times - 1);
  }
};

let labels = 0;

/** Whoever asks, and what the placeholders of the plan stand for. */
export const settle = async (
  place: Place,
  asking: Asking,
  plan: Plan,
): Promise<{ readonly caller: Caller; readonly bindings: Bindings }> => {
  const { callers, fresh, spent, world, own } = place;
  const renewal = renewals[asking.id];
  if (renewal && (!fresh.has(asking.id) || (plan.right && spent.has(asking.id)))) {
    fresh.set(asking.id, await insisting(() => renewal({ world, own })));
    spent.delete(asking.id);
  }
  const able = plan.right ? callers.filter((each) => mayDo(asking, each)) : callers;
  const caller = able[plan.caller % able.length];
  if (!caller) throw new Error(`Nobody may ask for ${asking.id}.`);
  labels += 1;
  const given = fresh.get(asking.id) ?? {};
  const isPerson = caller.standing === 'member' && caller.by === 'session';
  const { token: _, ...things } = given;
  const cursor = place.cursors.get(asking.id);
  const token = isPerson && given['token'] !== undefined ? given['token'] : caller.token;
  const bindings: Bindings = {
    ...place.known,
    ...personalIds(caller),
    ...things,
    ...(cursor !== undefined && { cursor }),
    ...{ label: `l${labels}`, now: new Date().toISOString(), token: token ?? '' },
  };
  return { caller, bindings };
};

/** What follows from an answer for the next request. */
export const learn = ({ spent, cursors }: Place, asking: Asking, plan: Plan, received: Received): void => {
  const { status, headers, text } = received;
  const isDone = status < 300 && headers['preference-applied'] === undefined;
  // What should have been granted may have been ended by another operation.
  if (isDone || (plan.right && status >= 300)) spent.add(asking.id);
  if (status >= 300) return;
  const next: unknown =
    /"next":/.test(text) && headers['content-type'] === 'application/json' ? Object(JSON.parse(text)).next : '';
  if (typeof next === 'string' && next !== '') cursors.set(asking.id, next);
};

/** Words that the caller may not see in any answer. */
export const hiddenFrom = ({ own, foreign, fresh }: Place, asking: Asking, caller: Caller): readonly string[] => {
  const canaries = (workspace: FullWorkspace) => wordsOf(workspace).slice(0, 2);
  // The token of an invitation tells whoever has it where it leads.
  const isInvited = fresh.get(asking.id)?.['invitation'] !== undefined;
  return caller.standing === 'member' || isInvited ? canaries(foreign) : [...canaries(foreign), ...canaries(own)];
};

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const filled = (text: string, bindings: Bindings, written: (value: string) => string): string =>
  text.replaceAll(/\{\{([\w.]+)\}\}/g, (whole, name: string) => {
    const value = bindings[name];
    return value === undefined ? whole : written(value);
  });

export const requestFor = (plan: Plan, bindings: Bindings, isAnonymous: boolean): Sent => {
  const { method, path, headers, body } = plan;
  const query = path.indexOf('?');
  const [address, search] = query === -1 ? [path, ''] : [path.slice(0, query), path.slice(query)];
  // A page that never was has no cursor to go on from.
  const pairs = search.replaceAll(/([?&])cursor=\{\{cursor\}\}/g, (whole) =>
    bindings['cursor'] === undefined ? '?x' : whole,
  );
  const kept = pairs.replaceAll(/\?x&?/g, '?').replaceAll(/&\?/g, '&').replace(/[?&]$/, '');
  const line = filled(`${address}${kept}`, bindings, encodeURIComponent);
  return {
    method,
    // A request line that node itself would not write never gets as far as the API.
    path: line.replaceAll(/[^\x21-\xff]/gu, inUrl),
    headers: headers
      .filter(([name, value]) => !(isAnonymous && name === 'authorization' && value === 'Bearer {{token}}'))
      .map(([name, value]) => [name, filled(value, bindings, (each) => each)]),
    body:
      body === undefined
        ? undefined
        : 'text' in body
          ? Buffer.from(filled(body.text, bindings, inJson))
          : Buffer.from(body.base64, 'base64'),
  };
};
