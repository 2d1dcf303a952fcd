import type { DomainSpec, EdgeProvider, Facts, StepOutcome } from '../port.ts';
import { askFront, type Front } from './askFront.ts';
import { type Dns, dnsSays, pointsHere } from './hostnamesDns.ts';
import { createTlsNames, type TlsMaterial, type TlsNames } from './tls.ts';

/** Host names of scripts beside `<scriptName>.<base domain>`: exact, ASCII, lower case. */
export type Hostnames = {
  scriptOf(hostname: string): string | undefined;
  route(hostname: string, scriptName: string): void;
  unroute(hostname: string): void;
  certify(hostname: string, material: TlsMaterial | undefined): void;
  readonly tls: TlsNames;
};

export const createHostnames = (): Hostnames => {
  const scripts = new Map<string, string>();
  const tls = createTlsNames();
  return {
    scriptOf: (hostname) => scripts.get(hostname),
    route: (hostname, scriptName) => void scripts.set(hostname, scriptName),
    unroute: (hostname) => void scripts.delete(hostname),
    certify: tls.certify,
    tls,
  };
};

/** `Host` as it is looked up: without port and the dot at its end. */
export const nameOfHost = (host: string | undefined): string =>
  (host ?? '').toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');

type DomainWork = Pick<EdgeProvider, 'attachDomain' | 'verifyDomain' | 'detachDomain'>;

const done = (detail: string, facts: Facts = {}): StepOutcome => ({ outcome: 'done', detail, facts });

type Surroundings = { readonly front: Front; readonly dns: Dns; readonly deadlineMs: number };

/** A name here is a line in this node's table; the other nodes learn of it from the log. */
export const createDomainWork = (hostnames: Hostnames, surroundings: Surroundings): DomainWork => ({
  attachDomain: async ({ hostname, scriptName, adopt }) => {
    const found = hostnames.scriptOf(hostname);
    if (found === scriptName) return done('it leads here already', { found: scriptName });
    if (found !== undefined && !adopt) {
      const detail = `${hostname} leads to the script ${found}.`;
      return { outcome: 'refused', code: 'domain_conflict', detail, facts: { found, owner: found } };
    }
    hostnames.route(hostname, scriptName);
    return done(`${hostname} leads to the worker`, { found: found ?? 'nothing' });
  },
  verifyDomain: (domain, signal) => verify(domain, surroundings, signal),
  detachDomain: async ({ hostname, scriptName }) => {
    const found = hostnames.scriptOf(hostname);
    if (found !== undefined && found !== scriptName) return done('it leads to another script', { found });
    hostnames.unroute(hostname);
    hostnames.certify(hostname, undefined);
    return done('it leads nowhere any more', { found: found ?? 'nothing' });
  },
});

/** Our router must answer for the name with our script. What DNS says is told, but not ours to decide. */
const verify = async (
  { hostname, scriptName }: DomainSpec,
  { front, dns, deadlineMs }: Surroundings,
  signal: AbortSignal,
): Promise<StepOutcome> => {
  const within = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
  const [answer, facts] = await Promise.all([askFront(front, hostname, within), pointsHere(dns, hostname, within)]);
  if (typeof answer === 'string')
    return { outcome: 'retry', detail: `Opslog's own router does not answer for ${hostname}: ${answer}`, facts };
  if (answer.scriptName !== scriptName) {
    const detail = `Opslog's own router answers for ${hostname} with the script ${answer.scriptName}.`;
    return { outcome: 'refused', code: 'another_script', detail, facts };
  }
  const routed = `Opslog's own router answers for ${hostname} with revision ${answer.revision} of the worker.`;
  return done(`${routed} ${dnsSays(facts)}`, facts);
};
