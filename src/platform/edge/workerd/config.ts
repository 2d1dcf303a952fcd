import type { WorkerSpec } from '../port.ts';
import { textList, textLiteral } from './capnp.ts';
import { protoHeader } from './headers.ts';

export const controlEntrypoint = 'opslogControl';

/** What the control endpoint answers: who this process is, and whether the bundle can answer HTTP at all. */
export type Identity = {
  readonly scriptName: string;
  readonly versionId: string;
  readonly revision: number;
  readonly bundleDigest: string;
};

export const identityOf = ({ scriptName, versionId, revision, bundleDigest }: WorkerSpec): Identity => ({
  scriptName,
  versionId,
  revision,
  bundleDigest,
});

/**
 * The main module: hands out the bundle's exports unchanged and adds one entrypoint, reached only through the control
 * socket. It runs in the bundle's own isolate, so it is stuck when the bundle is stuck, and it sees the bundle's default
 * export without calling any of its code.
 */
const entryModule = (spec: WorkerSpec): string => `import { WorkerEntrypoint } from 'cloudflare:workers';
import main from './worker.js';
export * from './worker.js';
export { default } from './worker.js';
const asText = JSON.stringify;
const Answer = Response;
const handler = typeof main === 'function'
  ? main.prototype instanceof WorkerEntrypoint && main.prototype.fetch
  : main?.fetch;
const Place = URL;
const byClass = typeof main === 'function' && main.prototype instanceof WorkerEntrypoint;
const runScheduled = async ({ cron, scheduledTime }, env, ctx) => {
  const called = byClass ? new main(ctx, env) : main;
  if (typeof called?.scheduled !== 'function') return new Answer(asText({ ...identity, ran: 'no handler' }));
  const event = { type: 'scheduled', cron, scheduledTime, noRetry() {} };
  try {
    await called.scheduled(event, env, ctx);
    return new Answer(asText({ ...identity, ran: 'done' }));
  } catch (error) {
    console.error(error);
    return new Answer(asText({ ...identity, ran: 'failed' }));
  }
};
const identity = ${JSON.stringify(identityOf(spec))};
export const ${controlEntrypoint} = {
  async fetch(request, env, ctx) {
    if (new Place(request.url).pathname === '/scheduled') return runScheduled(await request.json(), env, ctx);
    return new Answer(asText({ ...identity, handlesFetch: typeof handler === 'function' }));
  },
};
`;

/** What the process finds the value of its nth secret under: no name of a secret can mean something to a shell or loader. */
export const secretVariable = (index: number): string => `OPSLOG_SECRET_${index}`;

export type ConfigInput = {
  readonly spec: WorkerSpec;
  /** Relative to the folder of the config file. */
  readonly bundlePath: string;
  readonly publicSocket: string;
  readonly controlSocket: string;
  readonly heapMiB: number;
};

/**
 * The whole configuration of one process, as Cap'n Proto text. Network access is denied, no
 * disk is bound, and of secrets there are only names: their values come by the environment of the process.
 */
export const renderConfig = ({ spec, bundlePath, publicSocket, controlSocket, heapMiB }: ConfigInput): string => {
  const variables = Object.entries(spec.variables).map(
    ([name, value]) => `(name = ${textLiteral(name)}, text = ${textLiteral(value)})`,
  );
  const secrets = spec.secrets.map(
    ({ name }, index) => `(name = ${textLiteral(name)}, fromEnvironment = ${textLiteral(secretVariable(index))})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "internet", network = (allow = [])),
    (name = "tenant", worker = (
      modules = [
        (name = "opslog.js", esModule = ${textLiteral(entryModule(spec))}),
        (name = "worker.js", esModule = embed ${textLiteral(bundlePath)}),
      ],
      compatibilityDate = ${textLiteral(spec.compatibilityDate)},
      compatibilityFlags = ${textList(spec.compatibilityFlags)},
      bindings = [${[...variables, ...secrets].join(', ')}],
      globalOutbound = "internet",
    )),
  ],
  sockets = [
    (
      name = "public",
      address = ${textLiteral(`unix:${publicSocket}`)},
      http = (forwardedProtoHeader = ${textLiteral(protoHeader)}),
      service = "tenant",
    ),
    (
      name = "control",
      address = ${textLiteral(`unix:${controlSocket}`)},
      http = (),
      service = (name = "tenant", entrypoint = "${controlEntrypoint}"),
    ),
  ],
  v8Flags = [${textLiteral(`--max-old-space-size=${heapMiB}`)}],
  logging = (structuredLogging = true),
);
`;
};
