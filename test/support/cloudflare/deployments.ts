import { z } from 'zod';
import { type Answer, isRefused, ok, type Refused, refuse } from './answer.ts';
import { type ApiRequest, type Context, isoNow, param, scriptOf, servingVersion } from './context.ts';
import { readJson, truncateBytes } from './json.ts';
import { paginate } from './paging.ts';
import type { Annotations, Deployment, Script, Version } from './state.ts';
import { type Author, deployableIds, missesRead } from './versions.ts';

const deploymentSchema = z.object({
  strategy: z.string(),
  versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })),
  annotations: z.record(z.string(), z.string()).optional(),
});

type Wanted = z.infer<typeof deploymentSchema>;

export const addDeployment = (
  context: Context,
  script: Script,
  versions: Deployment['versions'],
  annotations: Annotations,
  author: Author,
): Deployment => {
  const message = annotations['workers/message'];
  const { messageBytes } = context.behaviour.limits;
  const deployment: Deployment = {
    id: context.ids.uuid(),
    createdOn: isoNow(context),
    source: author.source,
    authorEmail: author.email,
    annotations: {
      ...annotations,
      ...(message === undefined ? {} : { 'workers/message': truncateBytes(message, messageBytes) }),
    },
    versions,
  };
  script.deployments = [deployment, ...script.deployments];
  script.modifiedOn = deployment.createdOn;
  return deployment;
};

const showDeployment = (deployment: Deployment) => ({
  id: deployment.id,
  created_on: deployment.createdOn,
  source: deployment.source,
  strategy: 'percentage',
  author_email: deployment.authorEmail,
  annotations: deployment.annotations,
  versions: deployment.versions.map(({ versionId, percentage }) => ({ version_id: versionId, percentage })),
});

const checkShape = ({ strategy, versions }: Wanted): Refused | undefined => {
  if (strategy !== 'percentage') return refuse(10210, 'the only strategy is "percentage"');
  if (versions.length < 1 || versions.length > 2) return refuse(10210, 'a deployment has one version or two');
  if (versions.some(({ percentage }) => percentage <= 0 || percentage > 100))
    return refuse(10210, 'a percentage is above 0 and at most 100');
  if (Math.abs(versions.reduce((sum, { percentage }) => sum + percentage, 0) - 100) > 1e-9)
    return refuse(10210, 'the percentages do not add up to 100');
  return new Set(versions.map(({ version_id: id }) => id)).size < versions.length
    ? refuse(10210, 'a version is named twice')
    : undefined;
};

const secretsOf = (version: Version): ReadonlyMap<string, string> =>
  new Map(
    version.bindings.flatMap((binding) =>
      binding.type === 'secret_text' ? [[binding.name, binding.text] as const] : [],
    ),
  );

/** Names of secrets that the serving version has otherwise than an older one. */
const changedSecrets = (older: Version, serving: Version | undefined): readonly string[] => {
  if (serving === undefined || older.number >= serving.number) return [];
  const [before, now] = [secretsOf(older), secretsOf(serving)];
  return [...new Set([...before.keys(), ...now.keys()])].filter((name) => before.get(name) !== now.get(name)).sort();
};

const checkVersions = (context: Context, script: Script, wanted: Wanted, force: boolean): Refused | undefined => {
  const { lag, limits } = context.behaviour;
  const deployable = new Set(deployableIds(script, limits.deployableVersions));
  for (const { version_id: id } of wanted.versions) {
    const version = script.versions.find((candidate) => candidate.id === id);
    if (version === undefined) return refuse(10071);
    if (lag.deployments && missesRead(context, version)) return refuse(100146);
    if (!deployable.has(id))
      return refuse(10210, `only the newest ${limits.deployableVersions} versions can be deployed`);
    const changed = changedSecrets(version, servingVersion(script));
    if (changed.length > 0 && !force) return refuse(10220, undefined, { secrets: changed });
  }
  return undefined;
};

export const postDeployment = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  if (script === undefined) return refuse(10007);
  if (script.versions.length === 0) return refuse(10222);
  const body = readJson(request, deploymentSchema);
  if (isRefused(body)) return body;
  const force = request.query.get('force') === 'true';
  const refused = checkShape(body.value) ?? checkVersions(context, script, body.value, force);
  if (refused !== undefined) return refused;
  const versions = body.value.versions.map(({ version_id: versionId, percentage }) => ({ versionId, percentage }));
  const annotations = { ...body.value.annotations, 'workers/triggered_by': 'deployment' };
  const author: Author = { email: request.token.email, source: 'api' };
  return ok(showDeployment(addDeployment(context, script, versions, annotations, author)));
};

/** The first one is active. */
export const listDeployments = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  if (script === undefined) return refuse(10007);
  const page = paginate(script.deployments, request.query, { fallback: 10, most: 100 });
  return isRefused(page) ? page : ok({ deployments: page.items.map(showDeployment) }, page.info);
};

export const getDeployment = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  if (script === undefined) return refuse(10007);
  const found = script.deployments.find(({ id }) => id === param(request, 'deployment'));
  return found === undefined ? refuse(10336) : ok(showDeployment(found));
};

export const deleteDeployment = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  if (script === undefined) return refuse(10007);
  const id = param(request, 'deployment');
  if (script.deployments[0]?.id === id) return refuse(10338);
  if (!script.deployments.some((deployment) => deployment.id === id)) return refuse(10336);
  script.deployments = script.deployments.filter((deployment) => deployment.id !== id);
  return ok(null);
};
