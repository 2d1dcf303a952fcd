import type { Aggregates } from '../commands/aggregates.ts';
import { certificateBinding, parseMaterial } from '../commands/edgeDomainCertificate.ts';
import { decode } from '../commands/envelope.ts';
import { catalog, type OpslogEvent } from '../domain/catalog.ts';
import { type EdgeDomain, isHeld, type KnownDomain, type SealedCertificate } from '../domain/edgeDomain/index.ts';
import type { Clock } from '../platform/clock/port.ts';
import type { EventLog, Position } from '../platform/eventLog/port.ts';
import type { Log } from '../platform/log/port.ts';
import type { Vault } from '../platform/vault/port.ts';

/** Certificate chain and private key, PEM. */
export type TlsMaterial = { readonly certificate: string; readonly privateKey: string };

/** The host names that a node's front answers at, beside those that the workers have anyway. */
export type NodeHostnames = {
  route(hostname: string, scriptName: string): void;
  unroute(hostname: string): void;
  /** Serves this from now on; connections that are open stay as they are. Undefined serves none. Throws for what is none. */
  certify(hostname: string, material: TlsMaterial | undefined): void;
};

export type NodeDomainsDeps = {
  readonly log: EventLog;
  readonly domains: Aggregates['edgeDomain'];
  readonly vault: Pick<Vault, 'open'>;
  readonly hostnames: NodeHostnames;
  /** Ids of the domains of this provider as far as a read table knows: it has everything up to `position`. */
  readonly knownDomains: () => Promise<{ readonly ids: readonly string[]; readonly position: Position }>;
  readonly clock: Clock;
  readonly logger: Log;
};

export type NodeDomains = {
  /** Everything up to here is in effect on this node. */
  applied(): Position;
  stop(): Promise<void>;
};

/** Host names of this node as the log says: once at the start, then following it. Attaching itself is the runner's. */
export const startNodeDomains = async (deps: NodeDomainsDeps): Promise<NodeDomains> => {
  const { log, logger } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const start = await log.head();
  for (const domainId of await domainsUntil(deps, start)) await apply(deps, domainId, signal);
  let applied = start;
  const following = (async () => {
    for await (const batch of log.subscribe({ after: start, signal })) {
      const changed = new Set<string>();
      for (const stored of batch.events) {
        const event = decode(stored);
        if (event && concernsNode(event)) changed.add(event.meta.subjectId);
      }
      for (const domainId of changed) await apply(deps, domainId, signal);
      applied = batch.position;
    }
  })();
  following.catch((error: unknown) => logger.error({ err: error }, 'edge: no longer follows host names'));
  return {
    applied: () => applied,
    stop: async () => {
      stopping.abort();
      await following.catch(() => undefined);
    },
  };
};

const concernsNode = ({ type, meta }: OpslogEvent & { readonly meta: { readonly category: string } }): boolean =>
  meta.category === catalog.edgeDomain.category && type !== 'DomainVerified' && type !== 'DomainVerificationFailed';

/** A table may be behind, or stopped for good: what it does not have yet is read from the log. */
const domainsUntil = async ({ log, knownDomains }: NodeDomainsDeps, end: Position): Promise<ReadonlySet<string>> => {
  const { ids, position } = await knownDomains();
  const known = new Set(ids);
  if (position >= end) return known;
  for await (const { events } of log.readAllBatches({ after: position })) {
    for (const stored of events) {
      const event = decode(stored);
      if (event?.type === 'DomainAttachmentRequested') known.add(event.meta.subjectId);
    }
  }
  return known;
};

/** Always from the newest state, so that old news cannot undo what is newer. One name that fails holds up no other. */
const apply = async (deps: NodeDomainsDeps, domainId: string, signal: AbortSignal): Promise<void> => {
  const { domains, clock, logger } = deps;
  while (!signal.aborted) {
    let state: EdgeDomain;
    try {
      ({ state } = await domains.load(domainId));
    } catch (error) {
      logger.error({ err: error, domainId }, 'edge: a host name cannot be read from the log');
      await clock.sleep(1_000, signal);
      continue;
    }
    return effect(deps, domainId, state);
  }
};

const effect = async (deps: NodeDomainsDeps, domainId: string, state: EdgeDomain): Promise<void> => {
  const { hostnames, logger } = deps;
  if (state.status === 'absent') return;
  const { hostname, scriptName } = state;
  const isOurs = isHeld(state) && state.provider === 'workerd';
  // One that is being attached is routed by whoever attaches it, perhaps by now.
  if (isOurs && state.status === 'attached') hostnames.route(hostname, scriptName);
  else if (!isOurs || state.status === 'detaching') hostnames.unroute(hostname);
  try {
    if (!isOurs || state.status === 'detaching' || !state.certificate) hostnames.certify(hostname, undefined);
    else await serve(deps, domainId, state, state.certificate);
  } catch (error) {
    // Never what it held: only what kind of failure it was.
    const failure = error instanceof Error ? error.name : typeof error;
    logger.error({ hostname, failure }, 'edge: the certificate of a host name cannot be used');
  }
};

/** One that cannot be opened leaves the one before in place. */
const serve = async (
  { vault, logger, hostnames }: NodeDomainsDeps,
  domainId: string,
  { companyId, hostname }: KnownDomain,
  certificate: SealedCertificate,
): Promise<void> => {
  const opened = await vault.open(certificate, certificateBinding(companyId, domainId, certificate.digest));
  const material = opened.ok ? parseMaterial(opened.plaintext) : undefined;
  if (material) return hostnames.certify(hostname, material);
  const code = opened.ok ? 'malformed' : opened.code;
  logger.error({ hostname, code }, 'edge: the certificate of a host name cannot be opened');
};
