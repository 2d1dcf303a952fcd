import { z } from 'zod';

/** The parts of Cloudflare's answers that are used; what else is in them does not matter. */
const annotations = z
  .record(z.string(), z.string())
  .nullish()
  .transform((given) => ({ tag: given?.['workers/tag'] ?? '', message: given?.['workers/message'] ?? '' }));

export const anything = z.unknown();

export const script = z.object({ id: z.string() });
export type Script = z.infer<typeof script>;

export const scriptSettings = z.object({
  tags: z.array(z.string()).nullish(),
  observability: z.object({ enabled: z.boolean().nullish() }).nullish(),
});
export type ScriptSettings = z.infer<typeof scriptSettings>;

export const version = z.object({ id: z.string(), annotations });
export type Version = z.infer<typeof version>;
export const versionList = z.object({ items: z.array(version) });

export const deployment = z.object({
  id: z.string(),
  author_email: z.string().nullish(),
  source: z.string().nullish(),
  annotations,
  versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })),
});
export type Deployment = z.infer<typeof deployment>;
export const deploymentList = z.object({ deployments: z.array(deployment) });
export const createdDeployment = z.object({ id: z.string() });

export const schedules = z.object({ schedules: z.array(z.object({ cron: z.string() })) });
export const tail = z.object({ id: z.string(), url: z.url({ protocol: /^wss?$/ }) });
export const subdomain = z.object({ enabled: z.boolean(), previews_enabled: z.boolean().nullish() });

export const domain = z.object({
  id: z.string(),
  hostname: z.string(),
  service: z.string(),
  zone_id: z.string().nullish(),
  zone_name: z.string().nullish(),
  cert_id: z.string().nullish(),
});
export type Domain = z.infer<typeof domain>;

export const zone = z.object({ id: z.string(), name: z.string(), status: z.string().nullish() });
export type Zone = z.infer<typeof zone>;

export const record = z.object({ type: z.string(), name: z.string(), content: z.string().nullish() });
export type DnsRecord = z.infer<typeof record>;

export const many = <Item>(item: z.ZodType<Item>): z.ZodType<readonly Item[]> => z.array(item);
