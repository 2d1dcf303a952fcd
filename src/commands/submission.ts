import { z } from 'zod';
import type { Project, Refused, SourceFile } from '../platform/builder/port.ts';
import type { Schedule, ScheduleRules } from '../platform/schedule/port.ts';
import { identifies } from './fields.ts';
import { notSent, type Outcome } from './outcome.ts';
import { isWellFormed } from './texts.ts';

export const defaultCompatibilityDate = '2026-01-01';
/** A file of this name at the root of a submission may carry its settings. */
export const settingsFile = 'opslog.json';

const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const isDate = (value: string): boolean =>
  !Number.isNaN(Date.parse(`${value}T00:00:00Z`)) && new Date(`${value}T00:00:00Z`).toISOString().startsWith(value);

const compatibilityDate = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'A date as YYYY-MM-DD.')
  .refine(isDate, 'No such day.');

/** Every revision of a worker keeps its own, in memory too. */
const variableBytes = 64 * 1024;
const bytesOf = (variables: Readonly<Record<string, string>>): number => Buffer.byteLength(JSON.stringify(variables));

const settingFields = {
  language: z
    .enum(['javascript', 'typescript'])
    .optional()
    .meta({ description: 'Follows from the entry point when left out.' }),
  entryPoint: z.string().min(1).max(255).optional().meta({
    description:
      'Path of the file that exports the handler. Default: the first of src/index.ts, index.ts, src/index.js, index.js.',
  }),
  compatibilityDate: compatibilityDate.optional().meta({
    description: `Version of the runtime's behaviour. Default: ${defaultCompatibilityDate}.`,
    format: 'date',
  }),
  compatibilityFlags: z
    .array(z.string().regex(/^[a-z0-9_]{1,64}$/, 'Lower-case letters, digits and _.'))
    .max(32)
    .optional(),
  variables: z
    .record(
      z.string().regex(variableName, 'Letters, digits and _, not beginning with a digit.'),
      z.string().max(5_120).refine(isWellFormed, 'Not well-formed text.'),
    )
    .refine((variables) => Object.keys(variables).length <= 64, 'At most 64 variables.')
    .refine((variables) => bytesOf(variables) <= variableBytes, `At most ${variableBytes} bytes in all.`)
    .optional()
    .meta({ description: 'Plain configuration, kept as it is. Not for secrets: revisions keep them in the clear.' }),
  secretNames: z
    .array(z.string().regex(variableName).meta(identifies('name')))
    .max(64)
    .optional()
    .meta({ description: 'Secrets that the worker reads.' }),
  schedules: z
    .array(
      z.strictObject({
        cron: z.string().max(100).meta({ description: 'Minute, hour, day of month, month, day of week.' }),
        timeZone: z
          .string()
          .max(64)
          .default('UTC')
          .meta({ description: 'An IANA time zone. Cloudflare knows UTC only.' }),
      }),
    )
    .max(5)
    .optional()
    .meta({ description: "When the worker's scheduled handler is called." }),
};

export const settingsSchema = z.strictObject(settingFields);
/** In a project folder the file may hold settings of other tools too. */
export const settingsFileSchema = z.object(settingFields);
export type Settings = z.output<typeof settingsSchema>;

const path = z.string().min(1).max(1_024).meta({
  description: 'Relative, with forward slashes; kept in Unicode NFC, without a leading `./`.',
});
export const submissionSchema = z.strictObject({
  files: z
    .array(
      z.union([z.strictObject({ path, content: z.string() }), z.strictObject({ path, contentBase64: z.string() })]),
    )
    .max(20_000)
    .meta({ description: 'Text in `content`, or bytes as base64 in `contentBase64`, kept as they are.' }),
  ...settingFields,
});
export type SubmissionFile = z.output<typeof submissionSchema>['files'][number];

export type Submission = {
  readonly source:
    | { readonly kind: 'files'; readonly files: readonly SubmissionFile[] }
    | { readonly kind: 'archive'; readonly bytes: Uint8Array };
  readonly settings: Settings;
};

export type SubmissionReader = {
  readonly schedules: Pick<ScheduleRules, 'check'>;
  readFiles(files: readonly SubmissionFile[]): readonly SourceFile[] | Refused;
  readArchive(bytes: Uint8Array): Promise<readonly SourceFile[] | Refused>;
};

export type ReadSubmission = {
  readonly project: Project;
  readonly settings: {
    readonly variables: Readonly<Record<string, string>>;
    readonly secretNames: readonly string[];
    readonly schedules: readonly Schedule[];
  };
};
type SettingsRejection = 'SettingsInvalid' | 'EntryPointMissing' | Refused['rejected'];

/** Files and settings of a submission; what the request says wins over what the settings file says. */
export const readSubmission = async (
  reader: SubmissionReader,
  { source, settings: given }: Submission,
): Promise<
  { readonly ok: true; readonly value: ReadSubmission } | Extract<Outcome<never, SettingsRejection>, { ok: false }>
> => {
  const files = source.kind === 'files' ? reader.readFiles(source.files) : await reader.readArchive(source.bytes);
  if ('rejected' in files) return { ok: false, rejection: files };
  const inFile = settingsIn(files);
  if (!inFile.ok) return inFile;
  const settings = { ...inFile.value, ...withoutUndefined(given) };
  const entryPoint = settings.entryPoint ?? defaultEntryPoint(files);
  if (entryPoint === undefined) {
    const reason = 'Name the entry point: none of src/index.ts, index.ts, src/index.js and index.js is there.';
    return notSent('EntryPointMissing', reason, { field: 'entryPoint' });
  }
  const project: Project = {
    files,
    entryPoint,
    language: settings.language ?? (/\.[mc]?tsx?$/.test(entryPoint) ? 'typescript' : 'javascript'),
    compatibilityDate: settings.compatibilityDate ?? defaultCompatibilityDate,
    compatibilityFlags: [...new Set(settings.compatibilityFlags ?? [])].sort(),
  };
  const { variables = {}, secretNames = [] } = settings;
  const schedules = schedulesIn(reader, settings);
  if (!schedules.ok) return schedules;
  return { ok: true, value: { project, settings: { variables, secretNames, schedules: schedules.value } } };
};

/** In canonical form and order, each once: what means the same is the same revision. */
const schedulesIn = ({ schedules }: SubmissionReader, settings: Settings) => {
  const canonical = new Map<string, Schedule>();
  for (const [index, each] of (settings.schedules ?? []).entries()) {
    const checked = schedules.check(each);
    if (!checked.ok)
      return notSent('SettingsInvalid', checked.reason, { field: `schedules.${index}.${checked.field}` });
    const { cron, timeZone } = checked.schedule;
    canonical.set(`${cron} ${timeZone}`, { cron, timeZone });
  }
  const value = [...canonical].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, schedule]) => schedule);
  return { ok: true, value } as const;
};

const withoutUndefined = (settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));

const defaultEntryPoint = (files: readonly SourceFile[]): string | undefined =>
  ['src/index.ts', 'index.ts', 'src/index.js', 'index.js'].find((path) => files.some((file) => file.path === path));

const settingsIn = (files: readonly SourceFile[]) => {
  const file = files.find((each) => each.path === settingsFile);
  if (!file) return { ok: true, value: {} } as const;
  const read = settingsFileSchema.safeParse(parseJson(file.bytes));
  if (read.success) return { ok: true, value: read.data } as const;
  const [issue] = read.error.issues;
  const where = issue?.path.join('.') ?? '';
  return notSent(
    'SettingsInvalid',
    `${settingsFile}: ${where === '' ? '' : `${where}: `}${issue?.message ?? 'not JSON'}`,
    {
      field: where === '' ? settingsFile : `${settingsFile}:${where}`,
    },
  );
};

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
};
