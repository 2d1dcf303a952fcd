import type { Call, Client } from './client.ts';
import * as schemas from './schemas.ts';

/** The calls that are made, and no others: none that replaces all domains or routes of a worker, none that keeps bindings. */
export type Api = ReturnType<typeof createApi>;

const part = encodeURIComponent;

export const createApi = (client: Client, accountId: string) => {
  const workers = `/accounts/${part(accountId)}/workers`;
  const scriptPath = (name: string): string => `${workers}/scripts/${part(name)}`;
  const strict = { bindings_inherit: 'strict' };
  const ask =
    <Arguments extends readonly unknown[], Result>(callOf: (...given: Arguments) => Call<Result>) =>
    (signal: AbortSignal, ...given: Arguments) =>
      client(callOf(...given), signal);
  const product = 'workers' as const;

  return {
    listScripts: ask((page: number) => ({
      ...{ product, method: 'GET', path: `${workers}/scripts`, urgency: 'survey' },
      ...(page > 1 && { query: { page: String(page) } }),
      answer: schemas.many(schemas.script),
    })),
    /** Creates the script, or puts a version on the air at once where there is one. */
    uploadScript: ask((name: string, form: FormData) => ({
      ...{ product, method: 'PUT', path: scriptPath(name), query: { ...strict, excludeScript: 'true' } },
      ...{ body: { form }, answer: schemas.anything },
    })),
    deleteScript: ask((name: string) => ({
      ...{ product, method: 'DELETE', path: scriptPath(name), answer: schemas.anything },
    })),
    readSettings: ask((name: string) => ({
      ...{ product, method: 'GET', path: `${scriptPath(name)}/script-settings`, answer: schemas.scriptSettings },
    })),
    changeSettings: ask((name: string, json: object) => ({
      ...{ product, method: 'PATCH', path: `${scriptPath(name)}/script-settings` },
      ...{ body: { json }, answer: schemas.scriptSettings },
    })),
    /** Newest first, the hundred that can be deployed. */
    listVersions: ask((name: string) => ({
      ...{ product, method: 'GET', path: `${scriptPath(name)}/versions`, query: { deployable: 'true' } },
      answer: schemas.versionList,
    })),
    readVersion: ask((name: string, id: string, urgency: 'step' | 'survey') => ({
      ...{ product, method: 'GET', path: `${scriptPath(name)}/versions/${part(id)}`, urgency },
      answer: schemas.version,
    })),
    createVersion: ask((name: string, form: FormData, secrets: readonly string[]) => ({
      ...{ product, method: 'POST', path: `${scriptPath(name)}/versions`, query: strict },
      ...{ body: { form }, answer: schemas.version, secrets },
    })),
    /** Newest first: the first one is on the air. */
    listDeployments: ask((name: string, urgency: 'step' | 'survey') => ({
      ...{ product, method: 'GET', path: `${scriptPath(name)}/deployments`, urgency },
      answer: schemas.deploymentList,
    })),
    /** `force`: also a version whose secrets are not those of the one on the air. */
    createDeployment: ask((name: string, versionId: string, message: string, force: boolean) => ({
      ...{ product, method: 'POST', path: `${scriptPath(name)}/deployments` },
      ...(force && { query: { force: 'true' } }),
      body: {
        json: {
          strategy: 'percentage',
          versions: [{ version_id: versionId, percentage: 100 }],
          annotations: { 'workers/message': message },
        },
      },
      answer: schemas.createdDeployment,
    })),
    readSchedules: ask((name: string) => ({
      ...{ product, method: 'GET', path: `${scriptPath(name)}/schedules`, answer: schemas.schedules },
    })),
    /** All schedules of the script: what is not named is gone. */
    replaceSchedules: ask((name: string, crons: readonly string[]) => ({
      ...{ product, method: 'PUT', path: `${scriptPath(name)}/schedules` },
      ...{ body: { json: crons.map((cron) => ({ cron })) }, answer: schemas.schedules },
    })),
    createTail: ask((name: string) => ({
      ...{ product, method: 'POST', path: `${scriptPath(name)}/tails`, body: { json: {} }, answer: schemas.tail },
    })),
    deleteTail: ask((name: string, id: string) => ({
      ...{ product, method: 'DELETE', path: `${scriptPath(name)}/tails/${part(id)}`, answer: schemas.anything },
    })),
    readSubdomain: ask((name: string) => ({
      ...{ product, method: 'GET', path: `${scriptPath(name)}/subdomain`, answer: schemas.subdomain },
    })),
    changeSubdomain: ask((name: string, enabled: boolean) => ({
      ...{ product, method: 'POST', path: `${scriptPath(name)}/subdomain` },
      ...{ body: { json: { enabled, previews_enabled: false } }, answer: schemas.subdomain },
    })),
    listDomains: ask((query: { readonly hostname: string } | { readonly service: string }) => ({
      ...{ product, method: 'GET', path: `${workers}/domains`, query, answer: schemas.many(schemas.domain) },
    })),
    attachDomain: ask((json: object) => ({
      ...{ product, method: 'PUT', path: `${workers}/domains`, body: { json }, answer: schemas.domain },
    })),
    deleteDomain: ask((id: string) => ({
      ...{ product, method: 'DELETE', path: `${workers}/domains/${part(id)}`, answer: schemas.anything },
    })),
    findZone: ask((name: string) => ({
      ...{ product: 'zones', method: 'GET', path: '/zones', query: { name, 'account.id': accountId } },
      answer: schemas.many(schemas.zone),
    })),
    recordsAt: ask((zoneId: string, hostname: string) => ({
      ...{ product: 'dns', method: 'GET', path: `/zones/${part(zoneId)}/dns_records` },
      ...{ query: { 'name.exact': hostname }, answer: schemas.many(schemas.record) },
    })),
  };
};
