import { type Answer, ok, refuse } from './answer.ts';
import type { ApiRequest, Context } from './context.ts';
import * as deployments from './deployments.ts';
import { postBatch } from './dnsBatch.ts';
import * as records from './dnsRecords.ts';
import * as domains from './domains.ts';
import * as routes from './routes.ts';
import * as schedules from './schedules.ts';
import * as scriptSettings from './scriptSettings.ts';
import * as scripts from './scripts.ts';
import * as secrets from './secrets.ts';
import * as subdomain from './subdomain.ts';
import * as tails from './tails.ts';
import * as versionSettings from './versionSettings.ts';
import * as versions from './versions.ts';
import * as zones from './zones.ts';

export type Handler = (context: Context, request: ApiRequest) => Answer | Promise<Answer>;

type Route<Step extends string = string> = {
  /** A name for assertions and faults. */
  readonly step: Step;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly handler: Handler;
};

const route = <Step extends string>(
  step: Step,
  method: Route['method'],
  path: string,
  handler: Handler,
): Route<Step> => ({ step, method, path, handler });

const script = '/accounts/:account/workers/scripts/:script';

const table = [
  route('token.verify', 'GET', '/user/tokens/verify', (context) => ok({ id: context.ids.hex(), status: 'active' })),
  route('script.list', 'GET', '/accounts/:account/workers/scripts', scripts.listScripts),
  route('script.search', 'GET', '/accounts/:account/workers/scripts-search', scripts.searchScripts),
  route('script.upload', 'PUT', script, scripts.putScript),
  route('script.get', 'GET', script, scripts.getContent),
  route('script.delete', 'DELETE', script, scripts.deleteScript),
  route('content.get', 'GET', `${script}/content/v2`, scripts.getContent),
  route('content.put', 'PUT', `${script}/content`, scripts.putContent),
  route('version.create', 'POST', `${script}/versions`, versions.postVersion),
  route('version.list', 'GET', `${script}/versions`, versions.listVersions),
  route('version.get', 'GET', `${script}/versions/:version`, versions.getVersion),
  route('deployment.create', 'POST', `${script}/deployments`, deployments.postDeployment),
  route('deployment.list', 'GET', `${script}/deployments`, deployments.listDeployments),
  route('deployment.get', 'GET', `${script}/deployments/:deployment`, deployments.getDeployment),
  route('deployment.delete', 'DELETE', `${script}/deployments/:deployment`, deployments.deleteDeployment),
  route('scriptSettings.get', 'GET', `${script}/script-settings`, scriptSettings.getScriptSettings),
  route('scriptSettings.patch', 'PATCH', `${script}/script-settings`, scriptSettings.patchScriptSettings),
  route('settings.get', 'GET', `${script}/settings`, versionSettings.getVersionSettings),
  route('settings.patch', 'PATCH', `${script}/settings`, versionSettings.patchVersionSettings),
  route('secret.list', 'GET', `${script}/secrets`, secrets.listSecrets),
  route('secret.put', 'PUT', `${script}/secrets`, secrets.putSecret),
  route('secret.get', 'GET', `${script}/secrets/:secret`, secrets.getSecret),
  route('secret.delete', 'DELETE', `${script}/secrets/:secret`, secrets.deleteSecret),
  route('secret.bulk', 'PATCH', `${script}/secrets-bulk`, secrets.patchSecrets),
  route('schedule.get', 'GET', `${script}/schedules`, schedules.getSchedules),
  route('schedule.put', 'PUT', `${script}/schedules`, schedules.putSchedules),
  route('subdomain.get', 'GET', `${script}/subdomain`, subdomain.getSubdomain),
  route('subdomain.post', 'POST', `${script}/subdomain`, subdomain.postSubdomain),
  route('subdomain.delete', 'DELETE', `${script}/subdomain`, subdomain.deleteSubdomain),
  route('subdomain.account', 'GET', '/accounts/:account/workers/subdomain', subdomain.getAccountSubdomain),
  route('tail.create', 'POST', `${script}/tails`, tails.postTail),
  route('tail.list', 'GET', `${script}/tails`, tails.listTails),
  route('tail.delete', 'DELETE', `${script}/tails/:tail`, tails.deleteTail),
  route('domain.put', 'PUT', '/accounts/:account/workers/domains', domains.putDomain),
  route('domain.list', 'GET', '/accounts/:account/workers/domains', domains.listDomains),
  route('domain.get', 'GET', '/accounts/:account/workers/domains/:domain', domains.getDomain),
  route('domain.delete', 'DELETE', '/accounts/:account/workers/domains/:domain', domains.deleteDomain),
  route('zone.list', 'GET', '/zones', zones.listZones),
  route('zone.get', 'GET', '/zones/:zone', zones.getZone),
  route('route.list', 'GET', '/zones/:zone/workers/routes', routes.listRoutes),
  route('route.create', 'POST', '/zones/:zone/workers/routes', routes.postRoute),
  route('route.get', 'GET', '/zones/:zone/workers/routes/:route', routes.getRoute),
  route('route.put', 'PUT', '/zones/:zone/workers/routes/:route', routes.putRoute),
  route('route.delete', 'DELETE', '/zones/:zone/workers/routes/:route', routes.deleteRoute),
  route('record.list', 'GET', '/zones/:zone/dns_records', records.listRecords),
  route('record.create', 'POST', '/zones/:zone/dns_records', records.postRecord),
  route('record.batch', 'POST', '/zones/:zone/dns_records/batch', postBatch),
  route('record.get', 'GET', '/zones/:zone/dns_records/:record', records.getRecord),
  route('record.put', 'PUT', '/zones/:zone/dns_records/:record', records.putRecord),
  route('record.patch', 'PATCH', '/zones/:zone/dns_records/:record', records.patchRecord),
  route('record.delete', 'DELETE', '/zones/:zone/dns_records/:record', records.deleteRecord),
] as const;

/** The name of every call that the server knows. */
export type Step = (typeof table)[number]['step'];

export type Matched = {
  readonly step: Step;
  readonly handler: Handler;
  readonly params: Readonly<Record<string, string>>;
};

const compiled = table.map((entry) => ({
  ...entry,
  pattern: new RegExp(`^${entry.path.replace(/:([a-z]+)/g, '(?<$1>[^/]+)')}$`),
}));

const decodeAll = (groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined => {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
};

/** The handler of a path below `/client/v4`; an address that nobody has is 7003 and 7000, another method 10405. */
export const matchRoute = (method: string, path: string): Matched | Answer => {
  const here = compiled.flatMap((entry) => {
    const match = entry.pattern.exec(path);
    return match === null ? [] : [{ entry, groups: match.groups ?? {} }];
  });
  const found = here.find(({ entry }) => entry.method === method);
  if (found !== undefined) {
    const params = decodeAll(found.groups);
    return params === undefined ? refuse(7003) : { step: found.entry.step, handler: found.entry.handler, params };
  }
  if (here.length > 0) return refuse(10405);
  const unrouted = refuse(7003);
  return { ...unrouted, errors: [...unrouted.errors, ...refuse(7000).errors] };
};
