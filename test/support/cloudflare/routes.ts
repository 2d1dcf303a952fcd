import { z } from 'zod';
import { type Answer, isRefused, ok, type Refused, refuse } from './answer.ts';
import { type ApiRequest, type Context, param } from './context.ts';
import { belongsTo } from './domains.ts';
import { readJson } from './json.ts';
import type { Account, WorkerRoute, Zone } from './state.ts';
import { zoneOf } from './zones.ts';

const routeSchema = z.object({ pattern: z.string(), script: z.string().nullish() });

const patternShape = /^(?:https?:\/\/)?(\*\.?)?([a-z0-9.-]+)(\/[^*?]*\*?)?$/;

/** A host of the zone with an optional star in front, and a path with an optional star at the end. */
const checkPattern = (pattern: string, zone: Zone): Refused | undefined => {
  const match = patternShape.exec(pattern.toLowerCase());
  if (match === null) return refuse(10022, 'a star stands only in front of the host or at the end of the path');
  return belongsTo(match[2] ?? '', zone.name) ? undefined : refuse(10022, `the pattern names no host of ${zone.name}`);
};

const show = ({ id, pattern, script }: WorkerRoute) => ({ id, pattern, ...(script === undefined ? {} : { script }) });

const readRoute = (
  context: Context,
  request: ApiRequest,
  zone: Zone,
  id: string | undefined,
): Omit<WorkerRoute, 'id'> | Refused => {
  const body = readJson(request, routeSchema);
  if (isRefused(body)) return body;
  const { pattern } = body.value;
  const script = body.value.script ?? undefined;
  const refused = checkPattern(pattern, zone);
  if (refused !== undefined) return refused;
  const scripts = context.state.accounts.get(zone.accountId)?.scripts;
  if (script !== undefined && scripts?.has(script) !== true) return refuse(10019);
  const taken = [...zone.routes.values()].some((route) => route.pattern === pattern && route.id !== id);
  return taken ? refuse(10020) : { pattern, script };
};

export const listRoutes = (context: Context, request: ApiRequest): Answer =>
  ok([...zoneOf(context, request).routes.values()].map(show));

export const getRoute = (context: Context, request: ApiRequest): Answer => {
  const route = zoneOf(context, request).routes.get(param(request, 'route'));
  return route === undefined ? refuse(10009) : ok(show(route));
};

export const postRoute = (context: Context, request: ApiRequest): Answer => {
  const zone = zoneOf(context, request);
  const read = readRoute(context, request, zone, undefined);
  if (isRefused(read)) return read;
  if (zone.routes.size >= context.behaviour.limits.routesPerZone) return refuse(10073);
  const route: WorkerRoute = { id: context.ids.hex(), ...read };
  zone.routes.set(route.id, route);
  return ok(show(route));
};

export const putRoute = (context: Context, request: ApiRequest): Answer => {
  const zone = zoneOf(context, request);
  const id = param(request, 'route');
  if (!zone.routes.has(id)) return refuse(10009);
  const read = readRoute(context, request, zone, id);
  if (isRefused(read)) return read;
  zone.routes.set(id, { id, ...read });
  return ok(show({ id, ...read }));
};

export const deleteRoute = (context: Context, request: ApiRequest): Answer => {
  const id = param(request, 'route');
  return zoneOf(context, request).routes.delete(id) ? ok({ id }) : refuse(10009);
};

const zonesOf = (context: Context, account: Account): readonly Zone[] =>
  [...context.state.zones.values()].filter(({ accountId }) => accountId === account.id);

export const routesOf = (context: Context, account: Account, script: string) =>
  zonesOf(context, account).flatMap(({ routes }) =>
    [...routes.values()].filter((route) => route.script === script).map(show),
  );

export const dropRoutesOf = (context: Context, account: Account, script: string): void => {
  for (const { routes } of zonesOf(context, account))
    for (const route of [...routes.values()]) if (route.script === script) routes.delete(route.id);
};
