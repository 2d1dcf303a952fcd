import { z } from 'zod';
import { isRefused, type Refused, refuse } from './answer.ts';
import { isRecord } from './json.ts';
import type { Limits } from './options.ts';
import type { Binding, Script, Version } from './state.ts';

/** Bindings to things that this server does not have are kept as they came. */
const resourceTypes: ReadonlySet<string> = new Set(
  (
    'ai ai_search ai_search_namespace analytics_engine artifacts assets browser d1 data_blob dispatch_namespace ' +
    'durable_object_namespace flagship hyperdrive images k2 kv_namespace media messaging mtls_certificate pipelines ' +
    'queue r2_bucket ratelimit secret_key secrets_store_secret send_email text_blob vectorize version_metadata ' +
    'vpc_network vpc_service wasm_module workflow'
  ).split(' '),
);

const shapes = {
  plain_text: z.object({ text: z.string() }),
  secret_text: z.object({ text: z.string() }),
  service: z.object({ service: z.string().min(1) }),
  json: z.object({ json: z.unknown() }),
  inherit: z.object({ old_name: z.string().optional(), version_id: z.string().optional() }),
};

const identifier = /^[A-Za-z_$][\w$]*$/;

/** What an upload asks of the bindings: the list, the types kept from before, and whether a missing one is an error. */
export type BindingsWanted = {
  readonly list: readonly unknown[];
  readonly keepTypes: readonly string[];
  readonly strict: boolean;
};

/** How the API names the type of a binding. */
export const typeName = (binding: Binding): string => (binding.type === 'resource' ? binding.kind : binding.type);

/** As the API shows it: the value of a secret never. */
export const showBinding = (binding: Binding): Readonly<Record<string, unknown>> => {
  switch (binding.type) {
    case 'secret_text':
      return { name: binding.name, type: binding.type };
    case 'resource':
      return { ...binding.fields, name: binding.name, type: binding.kind };
    case 'plain_text':
    case 'json':
    case 'service':
      return binding;
    default:
      return binding satisfies never;
  }
};

const inherited = (
  name: string,
  fields: unknown,
  script: Script | undefined,
  latest: Version | undefined,
  strict: boolean,
): Binding | Refused | undefined => {
  const shape = shapes.inherit.safeParse(fields);
  if (!shape.success) return refuse(10021, `binding ${name} does not say what it inherits`);
  const { old_name: oldName, version_id: versionId } = shape.data;
  const from =
    versionId === undefined || versionId === 'latest' ? latest : script?.versions.find(({ id }) => id === versionId);
  const found = from?.bindings.find((binding) => binding.name === (oldName ?? name));
  // Without the strict flag the real API drops it and says nothing.
  if (found === undefined) return strict ? refuse(10057, `binding ${name} has nothing to inherit`) : undefined;
  return { ...found, name };
};

const parseOne = (
  entry: unknown,
  script: Script | undefined,
  latest: Version | undefined,
  strict: boolean,
): Binding | Refused | undefined => {
  if (!isRecord(entry)) return refuse(10021, 'a binding is an object');
  const { name, type, ...fields } = entry;
  if (typeof name !== 'string' || name === '') return refuse(10052);
  if (!identifier.test(name)) return refuse(10021, `binding "${name}" is not named like a variable`);
  if (typeof type !== 'string') return refuse(100153);
  const malformed = refuse(10021, `binding ${name} of type ${type} is not complete`);
  switch (type) {
    case 'plain_text':
    case 'secret_text': {
      const shape = shapes[type].safeParse(fields);
      return shape.success ? { type, name, text: shape.data.text } : malformed;
    }
    case 'json':
      return 'json' in fields ? { type, name, json: fields['json'] } : malformed;
    case 'service': {
      const shape = shapes.service.safeParse(fields);
      return shape.success ? { type, name, service: shape.data.service } : malformed;
    }
    case 'inherit':
      return inherited(name, fields, script, latest, strict);
    default:
      return resourceTypes.has(type)
        ? { type: 'resource', name, kind: type, fields }
        : refuse(100153, `"${type}" is no type of binding`);
  }
};

const textOf = (binding: Binding): string | undefined => {
  if (binding.type === 'plain_text' || binding.type === 'secret_text') return binding.text;
  return binding.type === 'json' ? JSON.stringify(binding.json) : undefined;
};

/** The rules that hold for the bindings of one version together. */
export const checkBindings = (bindings: readonly Binding[], limits: Limits): Refused | undefined => {
  const names = new Set<string>();
  let texts = 0;
  for (const binding of bindings) {
    const { name } = binding;
    if (names.has(name)) return refuse(10053, `two bindings are named ${name}`);
    names.add(name);
    if (name.length > limits.bindingNameLength) return refuse(10100);
    const text = textOf(binding);
    if (text === undefined) continue;
    texts += 1;
    if (Buffer.byteLength(text) > limits.textBindingBytes)
      return refuse(10054, `binding ${name} is larger than ${limits.textBindingBytes} bytes`);
  }
  return texts > limits.textBindings
    ? refuse(10055, `${texts} text bindings, at most ${limits.textBindings}`)
    : undefined;
};

/** The bindings of a new version, those kept and inherited from the latest one included. */
export const resolveBindings = (
  wanted: BindingsWanted,
  script: Script | undefined,
  others: ReadonlyMap<string, Script>,
  limits: Limits,
): readonly Binding[] | Refused => {
  const latest = script?.versions.at(-1);
  const bindings: Binding[] = [];
  for (const entry of wanted.list) {
    const binding = parseOne(entry, script, latest, wanted.strict);
    if (isRefused(binding)) return binding;
    if (binding === undefined) continue;
    if (binding.type === 'service' && !others.has(binding.service) && binding.service !== script?.name)
      return refuse(10143, `binding ${binding.name} names the Worker ${binding.service}, which does not exist`);
    bindings.push(binding);
  }
  const named = new Set(wanted.list.flatMap((entry) => (isRecord(entry) ? [entry['name']] : [])));
  const kept = (latest?.bindings ?? []).filter(
    (binding) => wanted.keepTypes.includes(typeName(binding)) && !named.has(binding.name),
  );
  const all = [...bindings, ...kept];
  return checkBindings(all, limits) ?? all;
};
