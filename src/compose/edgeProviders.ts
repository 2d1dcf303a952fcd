import type { EdgePlace } from '../commands/deployment.ts';
import type { Config } from '../config.ts';
import type { Parts } from '../parts.ts';
import { systemClock } from '../platform/clock/system.ts';
import { createCloudflareProvider, urlOf } from '../platform/edge/cloudflare/index.ts';
import { scopeOf } from '../platform/edge/cloudflare/names.ts';
import { stepNames as cloudflareSteps } from '../platform/edge/cloudflare/steps/index.ts';
import type { EdgeProvider, NodeProvider } from '../platform/edge/port.ts';
import { stepNames as workerdSteps } from '../platform/edge/workerd/steps.ts';
import { secretValuesOf } from './secrets.ts';

/** Everything that this process can deploy to: the machine itself, and Cloudflare when an account is configured. */
export const edgeProviders = (parts: Parts, node: NodeProvider): readonly EdgeProvider[] => {
  const { config, artifacts, logger } = parts;
  if (!config.cloudflare) return [node];
  const cloudflare = createCloudflareProvider({
    ...config.cloudflare,
    ...{ artifacts, clock: systemClock, log: logger, secretValues: secretValuesOf(parts) },
  });
  return [node, cloudflare];
};

/** Where workers can be deployed; the first is where one goes when nobody says where. */
export const edgePlaces = (
  { cloudflare, edgeProvider }: Pick<Config, 'cloudflare' | 'edgeProvider'>,
  nodeScope: string,
): readonly [EdgePlace, ...EdgePlace[]] => {
  const node: EdgePlace = { provider: 'workerd', scope: nodeScope, steps: workerdSteps };
  if (!cloudflare) return [node];
  const cloud: EdgePlace = { provider: 'cloudflare', scope: scopeOf(cloudflare.accountId), steps: cloudflareSteps };
  return edgeProvider === 'cloudflare' ? [cloud, node] : [node, cloud];
};

/** Where a worker answers at the provider that it runs at, '' where only its domains say so. */
export const edgeUrlOf =
  ({ cloudflare }: Pick<Config, 'cloudflare'>, nodeUrl: (scriptName: string) => string) =>
  (scriptName: string, provider = 'workerd'): string =>
    provider === 'cloudflare' ? urlOf(cloudflare?.workersSubdomain ?? '', scriptName) : nodeUrl(scriptName);
