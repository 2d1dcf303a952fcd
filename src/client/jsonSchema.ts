/** The part of JSON Schema that turns into a TypeScript type; keywords that only narrow values are passed over. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string => typeof value === 'string';
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A TypeScript type for a schema. `indent` is the depth of what it is put into. */
export const typeOf = (schema: unknown, indent = 0): string => {
  if (!isObject(schema)) return schema === false ? 'never' : 'unknown';
  if (isText(schema['$ref'])) return referenceOf(schema['$ref']);
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return union(schema['enum'].map((each) => JSON.stringify(each)));
  const combined = listOf(schema['anyOf'] ?? schema['oneOf']);
  if (combined.length > 0) return union(combined.map((each) => typeOf(each, indent)));
  const all = listOf(schema['allOf']);
  if (all.length > 0) return all.map((each) => parenthesised(typeOf(each, indent))).join(' & ');
  const { type } = schema;
  if (Array.isArray(type)) return union(type.map((each) => ofType(each, schema, indent)));
  return ofType(type ?? (isObject(schema['properties']) ? 'object' : undefined), schema, indent);
};

const ofType = (type: unknown, schema: JsonSchema, indent: number): string => {
  switch (type) {
    case 'string':
      return schema['format'] === 'binary' || schema['contentEncoding'] === 'binary' ? 'Uint8Array' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return arrayOf(schema, indent);
    case 'object':
      return objectOf(schema, indent);
    default:
      return 'unknown';
  }
};

const arrayOf = (schema: JsonSchema, indent: number): string => {
  const tuple = listOf(schema['prefixItems']);
  if (tuple.length > 0) return `[${tuple.map((each) => typeOf(each, indent)).join(', ')}]`;
  return `${parenthesised(typeOf(schema['items'], indent))}[]`;
};

const objectOf = (schema: JsonSchema, indent: number): string => {
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const others = schema['additionalProperties'];
  if (properties.length === 0) {
    if (others === false) return 'Record<string, never>';
    return `{ [name: string]: ${typeOf(others, indent)} }`;
  }
  const required = new Set(listOf(schema['required']));
  const fields = properties.map(([name, each]) => field(name, each, required.has(name), indent + 1));
  return block(fields, indent);
};

/** One property with its description above it. */
export const field = (name: string, schema: unknown, required: boolean, indent: number): string => {
  const about = isObject(schema) && isText(schema['description']) ? comment(schema['description'], indent) : '';
  return `${about}${pad(indent)}${propertyName(name)}${required ? '' : '?'}: ${typeOf(schema, indent)};`;
};

export const block = (lines: readonly string[], indent: number): string =>
  lines.length === 0 ? 'Record<never, never>' : `{\n${lines.join('\n')}\n${pad(indent)}}`;

export const comment = (text: string, indent: number): string =>
  `${pad(indent)}/** ${text
    .replaceAll('*/', '* /')
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim()} */\n`;

export const pad = (indent: number): string => '  '.repeat(indent);

export const propertyName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

const referenceOf = (pointer: string): string => {
  const name = pointer.split('/').at(-1) ?? '';
  return `components["schemas"][${JSON.stringify(name.replaceAll('~1', '/').replaceAll('~0', '~'))}]`;
};

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'never';
const parenthesised = (type: string): string => (/[|&]/.test(type) && !type.startsWith('{') ? `(${type})` : type);
