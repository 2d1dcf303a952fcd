import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isRefused, type Refused, refuse } from './answer.ts';
import { resolveBindings } from './bindings.ts';
import { type ApiRequest, accountOf, type Context, param } from './context.ts';
import { truncateBytes } from './json.ts';
import { type Checked, checkModule, checkServiceWorker } from './moduleCheck.ts';
import { readUpload } from './multipart.ts';
import type { Limits } from './options.ts';
import { checkTags, type SettingsChange, settingsChangeSchema } from './scriptSettings.ts';
import type { Annotations, Module, VersionContent } from './state.ts';

const metadataSchema = z.looseObject({
  main_module: z.string().optional(),
  body_part: z.string().optional(),
  bindings: z.array(z.unknown()).optional(),
  keep_bindings: z.array(z.string()).optional(),
  compatibility_date: z.string().optional(),
  compatibility_flags: z.array(z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  limits: z.record(z.string(), z.unknown()).optional(),
  migrations: z.unknown().optional(),
});

export type Metadata = z.infer<typeof metadataSchema>;

export type Uploaded = { readonly content: VersionContent; readonly settings: SettingsChange };

/** The date that counts when an upload names none. */
const oldestDate = '2021-11-02';

export const namePattern = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export const checkName = (name: string): Refused | undefined => (namePattern.test(name) ? undefined : refuse(10016));

const checkDate = (date: string, now: number): Refused | undefined => {
  const valid = /^\d{4}-\d{2}-\d{2}$/.test(date) && !Number.isNaN(Date.parse(date));
  if (!valid) return refuse(10021, `"${date}" is not a compatibility date`);
  return Date.parse(date) > now + 7 * 86_400_000
    ? refuse(10021, `the compatibility date ${date} is in the future`)
    : undefined;
};

/** A tag that is too long is refused, a message that is too long is cut. */
export const checkAnnotations = (given: Annotations | undefined, limits: Limits): Annotations | Refused => {
  const annotations = { ...given };
  const tag = annotations['workers/tag'];
  if (tag !== undefined && Buffer.byteLength(tag) > limits.versionTagBytes)
    return refuse(10021, `workers/tag is longer than ${limits.versionTagBytes} bytes`);
  const message = annotations['workers/message'];
  return message === undefined
    ? annotations
    : { ...annotations, 'workers/message': truncateBytes(message, limits.messageBytes) };
};

export const etagOf = (modules: readonly Module[]): string => {
  const hash = createHash('sha256');
  for (const { name, type, content } of modules) hash.update(`${name}\0${type}\0${content.length}\0`).update(content);
  return hash.digest('hex');
};

type Code = Pick<VersionContent, 'format' | 'mainModule' | 'modules' | 'etag' | 'handlers'>;

const javascript = /^(application|text)\/javascript(\+module)?$/;

/** Size, presence of the main module, its syntax and its handlers. */
export const checkCode = async (
  metadata: Pick<Metadata, 'main_module' | 'body_part' | 'compatibility_flags'>,
  modules: readonly Module[],
  limits: Limits,
): Promise<Code | Refused> => {
  const format = metadata.main_module === undefined ? 'service-worker' : 'modules';
  const name = metadata.main_module ?? metadata.body_part;
  if (name === undefined) return refuse(10021, 'the metadata names neither main_module nor body_part');
  const bytes = modules.reduce((sum, { content }) => sum + content.length, 0);
  if (bytes > limits.scriptBytes) return refuse(10027, `the Worker has ${bytes} bytes, at most ${limits.scriptBytes}`);
  const main = modules.find((module) => module.name === name);
  if (main === undefined) return refuse(10021, `no part is named "${name}"`);
  if (format === 'modules' ? !/\+module$/.test(main.type) : !javascript.test(main.type))
    return refuse(10021, `part "${name}" has the type ${main.type}`);
  const text = Buffer.from(main.content).toString('utf8');
  const flags = metadata.compatibility_flags ?? [];
  const names = new Set(modules.map((module) => module.name));
  const checked: Checked | Refused =
    format === 'modules'
      ? await checkModule(name, text, names, flags.includes('nodejs_compat'))
      : await checkServiceWorker(name, text);
  if (isRefused(checked)) return checked;
  return { format, mainModule: name, modules, etag: etagOf(modules), handlers: checked.handlers };
};

/** What an upload asks for, checked in full; nothing is stored. */
export const readVersion = async (
  context: Context,
  request: ApiRequest,
  kind: 'deployed' | 'version only',
): Promise<Uploaded | Refused> => {
  const { limits } = context.behaviour;
  const strict = request.query.get('bindings_inherit') === 'strict';
  const upload = await readUpload(request, 'metadata');
  if (isRefused(upload)) return upload;
  const parsed = metadataSchema.safeParse(upload.metadata);
  if (!parsed.success) return refuse(10021, `the metadata is not valid: ${parsed.error.issues[0]?.message ?? ''}`);
  const metadata = parsed.data;
  if (kind === 'version only' && metadata.main_module === undefined) return refuse(10216);
  if (kind === 'version only' && metadata.migrations !== undefined) return refuse(10211);
  const date = metadata.compatibility_date ?? oldestDate;
  const refusedDate = checkDate(date, context.now());
  if (refusedDate !== undefined) return refusedDate;
  const annotations = checkAnnotations(metadata.annotations, limits);
  if (isRefused(annotations)) return annotations;
  const settings = settingsChangeSchema.safeParse(upload.metadata);
  if (!settings.success) return refuse(10021, 'the settings in the metadata are not valid');
  const refusedTags = checkTags(settings.data.tags ?? [], limits);
  if (refusedTags !== undefined) return refusedTags;
  const code = await checkCode(metadata, upload.modules, limits);
  if (isRefused(code)) return code;
  const { scripts } = accountOf(context, request);
  const bindings = resolveBindings(
    { list: metadata.bindings ?? [], keepTypes: metadata.keep_bindings ?? [], strict },
    scripts.get(param(request, 'script')),
    scripts,
    limits,
  );
  if (isRefused(bindings)) return bindings;
  const content = {
    ...code,
    bindings,
    compatibilityDate: date,
    compatibilityFlags: metadata.compatibility_flags ?? [],
    limits: metadata.limits ?? {},
    annotations,
  };
  return { content, settings: settings.data };
};
