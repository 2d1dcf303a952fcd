import { z } from 'zod';
import * as models from './models.ts';
import type { Operation } from './operation.ts';
import { atQuery } from './pointInTime.ts';
import { type ProblemCode, statuses } from './statuses.ts';

type Json = { readonly [key: string]: unknown };

const securityOf = ({ access }: Operation): readonly Json[] => (access.kind === 'public' ? [] : [{ bearer: [] }]);

/** The document, in a stable order: same operations, same text. */
export const openApi = (operations: readonly Operation[], version: string): Json => {
  const components: Components = new Map();
  const paths = new Map<string, Record<string, Json>>();
  for (const operation of operations) {
    const path = paths.get(operation.path) ?? {};
    path[operation.method] = operationObject(operation, components);
    paths.set(operation.path, path);
  }
  refTo(models.problem, components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Opslog',
      version,
      description:
        'Departments submit source, and it runs at the edge with evidence. Every change is a command that becomes facts in ' +
        'a log; every answer to a command carries its place in that log, and a query can wait for it.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A session (`ops_…`) or API token (`opt_…`).' },
      },
      parameters: commonParameters,
      schemas: Object.fromEntries([...components].sort(byName)),
    },
  };
};

const byName = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number =>
  left < right ? -1 : 1;

const commonParameters = {
  IdempotencyKey: header(
    'Idempotency-Key',
    'Makes a retry safe: the same key with the same body gets the same answer, with another body 422.',
    { type: 'string', minLength: 1, maxLength: 255 },
  ),
  IfMatch: header('If-Match', 'The ETag that was read: 412 when it has changed since.', { type: 'string' }),
  Prefer: header('Prefer', '`dry-run`: decide and answer with the facts that would be, append nothing.', {
    type: 'string',
  }),
  WaitFor: {
    name: 'waitFor',
    in: 'query',
    required: false,
    description:
      'The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header ' +
      '`Opslog-Wait-For` does the same.',
    schema: { type: 'string', pattern: '^\\d{1,20}$' },
  },
};

function header(name: string, description: string, schema: Json) {
  return { name, in: 'header', required: false, description, schema };
}

const operationObject = (operation: Operation, components: Components): Json => {
  const { id, tag, summary, description, isCommand, access } = operation;
  const role = 'role' in access ? `Needs the role ${access.role} or higher.` : '';
  const text = [description ?? '', role].filter((part) => part !== '').join('\n\n');
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(text !== '' && { description: text }),
    security: securityOf(operation),
    'x-opslog-access': access.kind,
    ...('role' in access && { 'x-opslog-role': access.role }),
    parameters: [
      ...pathParameters(operation.path),
      ...queryParameters(operation.query, components),
      ...(operation.looksBack ? queryParameters(atQuery, components) : []),
      ...(isCommand ? ['IdempotencyKey', 'IfMatch', 'Prefer'] : access.kind === 'public' ? [] : ['WaitFor']).map(
        (name) => ({ $ref: `#/components/parameters/${name}` }),
      ),
    ],
    ...requestBody(operation, components),
    responses: responses(operation, components),
  };
};

const pathParameters = (path: string): readonly Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: pathSchema(name),
  }));

/** What ends in `Id` is one; everything else that names a thing is a text that somebody chose. */
const pathSchema = (name: string): Json => {
  if (name.endsWith('Id')) return { type: 'string', format: 'uuid' };
  return name === 'revision' ? { type: 'integer', minimum: 1 } : { type: 'string' };
};

const queryParameters = (query: z.ZodType, components: Components): readonly Json[] => {
  if (!(query instanceof z.ZodObject)) return [];
  return Object.entries(query.shape).map(([name, schema]) => {
    const { description, ...rest } = jsonSchema(schema, components, 'input');
    return { name, in: 'query', required: false, ...(description !== undefined && { description }), schema: rest };
  });
};

const requestBody = ({ id, method, body }: Operation, components: Components): Json => {
  const isEmpty = body.schema instanceof z.ZodObject && Object.keys(body.schema.shape).length === 0;
  if (method === 'get' || isEmpty) return {};
  const binary = body.binary.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]);
  const json = {
    schema: refTo(body.schema, components, 'input', `${id.charAt(0).toUpperCase()}${id.slice(1)}Request`),
  };
  return {
    requestBody: {
      required: !body.optional,
      content: { 'application/json': json, ...Object.fromEntries(binary) },
    },
  };
};

const commandHeaders = {
  'Opslog-Position': { description: 'Where in the log the command is.', schema: { type: 'string' } },
  ETag: { description: 'Revision of what the command changed.', schema: { type: 'string' } },
};

const pastHeaders = {
  'Opslog-As-Of': {
    description: 'With `?at=`: the position in the log of the newest event that counts.',
    schema: { type: 'string' },
  },
};

const responses = (operation: Operation, components: Components): Json => {
  const { success, isCommand } = operation;
  const content = success.status === 204 ? undefined : contentOf(operation, components);
  const answers: Record<string, Json> = {
    [success.status]: {
      description: success.description,
      ...(isCommand && { headers: commandHeaders }),
      ...(operation.looksBack && { headers: pastHeaders }),
      ...(content && { content }),
    },
  };
  if (isCommand && success.status !== 200) {
    answers['200'] = {
      description: 'A dry run',
      content: { 'application/json': { schema: refTo(models.dryRun, components) } },
    };
  }
  for (const [status, codes] of problemsByStatus(operation)) {
    answers[status] = {
      description: codes.join(', '),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      'x-problems': codes,
    };
  }
  return Object.fromEntries(Object.entries(answers).sort(byName));
};

/** Whoever reads such an answer parses it, although it is sent as the text that it was stored as. */
const isJson = (mediaType: string): boolean => /[/+]json$/.test(mediaType);

const contentOf = ({ success, isCommand }: Operation, components: Components): Json => {
  if (success.mediaType !== undefined) {
    const types = [success.mediaType, ...(success.otherMediaTypes ?? [])];
    return Object.fromEntries(types.map((type) => [type, { schema: { type: isJson(type) ? 'object' : 'string' } }]));
  }
  const schema = refTo(success.schema, components);
  const orDryRun = isCommand && success.status === 200 ? { anyOf: [schema, refTo(models.dryRun, components)] } : schema;
  return { 'application/json': { schema: orDryRun } };
};

/** Beside its own problems, those that come with who may call it, what it reads and that it is a command. */
export const problemsOf = ({
  access,
  body,
  isCommand,
  looksBack,
  method,
  problems,
}: Operation): readonly ProblemCode[] => {
  const codes = new Set<ProblemCode>([...problems, 'RequestInvalid', 'RateExceeded', 'InternalFault', 'UrlTooLong']);
  if (access.kind !== 'public') codes.add('AuthenticationRequired').add('LogUnavailable');
  if (access.kind !== 'public' && !('beforePasswordChange' in access && access.beforePasswordChange)) {
    codes.add('PasswordChangeRequired');
  }
  if ('role' in access) codes.add('RoleInsufficient');
  if (method !== 'get') codes.add('BodyMalformed').add('BodyTooLarge').add('MediaTypeUnsupported');
  if (looksBack) codes.add('HistoryTooLong').add('ServerBusy');
  if (body.binary.length > 0) codes.add('ServerBusy');
  if (isCommand) codes.add('RevisionMismatch').add('IdempotencyKeyReused').add('StreamContended').add('LogUnavailable');
  else if (access.kind !== 'public') codes.add('ProjectionBehind').add('ReadTablesUnavailable');
  return [...codes].sort();
};

const problemsByStatus = (operation: Operation): Map<string, ProblemCode[]> => {
  const byStatus = new Map<string, ProblemCode[]>();
  for (const code of problemsOf(operation)) {
    const status = String(statuses[code]);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
};

/** Schemas by name, collected while the operations are described. */
type Components = Map<string, Json>;

/** A schema with a name goes into the components once; others stand where they are used. */
const refTo = (
  schema: z.ZodType,
  components: Components,
  io: 'input' | 'output' = 'output',
  name: string | undefined = schema.meta()?.id,
): Json => {
  const made = jsonSchema(schema, components, io);
  if (name === undefined) return made;
  // A schema that has an id of its own is among the components by now.
  if (!('$ref' in made)) components.set(name, made);
  return { $ref: `#/components/schemas/${name}` };
};

const jsonSchema = (schema: z.ZodType, components: Components, io: 'input' | 'output'): Json => {
  const { $schema: _, $defs, id: __, ...made } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  for (const [name, { id: ___, ...definition }] of Object.entries($defs ?? {})) {
    components.set(name, withComponentRefs(definition));
  }
  return withComponentRefs(made);
};

const jsonObject = z.record(z.string(), z.unknown());

const withComponentRefs = (schema: object): Json =>
  jsonObject.parse(JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')));
