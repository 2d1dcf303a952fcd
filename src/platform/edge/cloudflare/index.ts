import type { ArtifactStore } from '../../artifacts/port.ts';
import type { Clock } from '../../clock/port.ts';
import type { Log } from '../../log/port.ts';
import type { Attempt, EdgeProvider, StepOutcome, WorkerSpec } from '../port.ts';
import type { SecretReader } from '../secretReader.ts';
import { createApi } from './api.ts';
import { createBudget } from './budget.ts';
import { createClient } from './client.ts';
import type { CloudflareContext } from './context.ts';
import { attachDomain, detachDomain, verifyDomain } from './domains.ts';
import { takeInventory, type VersionMemory } from './inventory.ts';
import { hasDeployed } from './ledger.ts';
import { scopeOf } from './names.ts';
import { refused } from './outcome.ts';
import { present } from './present.ts';
import { remove } from './remove.ts';
import { isStepName, stepNames, steps } from './steps/index.ts';

export type CloudflareOptions = {
  readonly accountId: string;
  /** Asked for at every request; goes into its header and nowhere else. */
  readonly token: () => string;
  /** Ends in `/client/v4`. */
  readonly baseUrl: string;
  readonly artifacts: Pick<ArtifactStore, 'get'>;
  readonly secretValues: SecretReader;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
  /** The account's part of `<script>.<this>.workers.dev`; '' when workers are reached by domains alone. */
  readonly workersSubdomain?: string;
  readonly readLagMs?: number;
  readonly requestTimeoutMs?: number;
  /** Requests in any five minutes that this process may make. */
  readonly requestBudget?: number;
};

/** Workers on Cloudflare, by versions and deployments. Holds no connection of its own and keeps no state that matters. */
export const createCloudflareProvider = (options: CloudflareOptions): EdgeProvider => {
  const { accountId, token, baseUrl, artifacts, secretValues, clock, log, requestBudget } = options;
  const { workersSubdomain = '', readLagMs = 15_000, requestTimeoutMs = 20_000 } = options;
  const budget = createBudget({ clock, ...(requestBudget !== undefined && { requests: requestBudget }) });
  const client = createClient({ baseUrl: baseUrl.replace(/\/+$/, ''), token, clock, budget, log, requestTimeoutMs });
  const api = createApi(client, accountId);
  const foundAbsent = new WeakSet<Attempt>();
  const context: CloudflareContext = {
    ...{ api, clock, artifacts, secretValues, readLagMs, workersSubdomain, foundAbsent },
  };
  const memory: VersionMemory = new Map();
  const stepAs =
    (mode: 'perform' | 'probe') =>
    async (step: string, spec: WorkerSpec, attempt: Attempt, signal: AbortSignal): Promise<StepOutcome> => {
      if (!isStepName(step)) return refused('StepUnknown', `Cloudflare deployments have no step ${step}.`);
      return safely(() => steps[step][mode]({ context, spec, attempt, signal }));
    };
  return {
    kind: 'cloudflare',
    scope: scopeOf(accountId),
    url: (scriptName) => urlOf(workersSubdomain, scriptName),
    steps: stepNames,
    perform: stepAs('perform'),
    probe: stepAs('probe'),
    isPublic,
    // Versions can't be deleted one by one here; one that nobody deployed takes no requests and ages out.
    abandon: async () => {},
    present: (spec, paused, attempt, signal) => safely(() => present({ context, spec, attempt, signal }, paused)),
    attachDomain: (domain, signal) => safely(() => attachDomain(context, domain, signal)),
    verifyDomain: (domain, signal) => safely(() => verifyDomain(context, domain, signal)),
    detachDomain: (domain, signal) => safely(() => detachDomain(context, domain, signal)),
    remove: (scriptName, signal) => safely(() => remove(context, scriptName, signal)),
    inventory: async (signal) => {
      try {
        return await takeInventory(context, memory, signal);
      } catch {
        return { ok: false, detail: 'The inventory ended in a fault of this program.' };
      }
    },
    close: async () => {},
  };
};

/** Every attempt begins from the start: what an earlier one has put on the air stays public. */
const isPublic: EdgeProvider['isPublic'] = (step, _done, ledger) =>
  hasDeployed({ ledger }) || !isStepName(step) || stepNames.indexOf(step) >= stepNames.indexOf('deployment');

/** Where the world reaches a worker without a domain; '' without a subdomain, where its domains say where. */
export const urlOf = (workersSubdomain: string, scriptName: string): string =>
  workersSubdomain === '' ? '' : `https://${scriptName}.${workersSubdomain}.workers.dev`;

/** A provider promises not to throw. The text of a fault may hold anything, a secret too: it goes nowhere. */
const safely = async (work: () => Promise<StepOutcome>): Promise<StepOutcome> => {
  try {
    return await work();
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    return { outcome: 'uncertain', detail: `The step ended in a fault of this program (${name}).` };
  }
};
