import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { askControl } from './control.ts';
import { forwardingOf, namesOneHost, verifyHeader } from './headers.ts';
import { type Hostnames, nameOfHost } from './hostnames.ts';
import { problems, type RouterProblem, sendProblem } from './problem.ts';
import { forward } from './proxy.ts';
import type { WorkerdLimits } from './settings.ts';
import type { Slot, Upstream } from './slot.ts';
import { servernameOf, tlsOptions } from './tls.ts';
import { forwardUpgrade, refuseUpgrade } from './upgrade.ts';

/** Where a script's requests go now. A paused worker keeps its process, so it can still be verified. */
export type Route = { readonly slot: Slot; readonly paused: boolean };

export type RouterInput = {
  readonly host: string;
  readonly port: number;
  /** Where HTTPS is served, with the certificates of `hostnames`; nowhere when not given. */
  readonly tlsPort?: number | undefined;
  readonly baseDomain: string;
  readonly hostnames: Hostnames;
  readonly limits: WorkerdLimits;
  /** Shown by the platform's own verification requests only. */
  readonly verifyToken: string;
  readonly trustForwarded: boolean;
  readonly onError: (error: Error) => void;
  readonly route: (scriptName: string) => Route | 'paused' | undefined;
};

export type Router = {
  readonly port: number;
  readonly tlsPort: number | undefined;
  /** Ends the WebSockets of a script. */
  readonly cutUpgraded: (scriptName: string) => void;
  readonly close: (graceMs: number) => Promise<void>;
};

/** `<scriptName>.<baseDomain>[:port]`; anything else is no worker's host. */
export const scriptOfHost = (host: string | undefined, baseDomain: string): string | undefined => {
  const name = nameOfHost(host);
  const suffix = `.${baseDomain}`;
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;
};

/** A name that was attached goes before one that a script has anyway. */
const scriptOf = (host: string | undefined, { hostnames, baseDomain }: RouterInput): string | undefined =>
  hostnames.scriptOf(nameOfHost(host)) ?? scriptOfHost(host, baseDomain);

const sameToken = (given: string | string[] | undefined, token: string): boolean => {
  if (typeof given !== 'string') return false;
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
};

type Found =
  | { readonly ok: true; readonly slot: Slot; readonly upstream: Upstream }
  | { readonly ok: false; readonly problem: RouterProblem };

const refuse = (problem: RouterProblem): Found => ({ ok: false, problem });

const resolveRoute = (request: IncomingMessage, input: RouterInput, verifying: boolean): Found => {
  const { limits, route } = input;
  const url = request.url ?? '';
  if (url.length > limits.router.urlBytes) return refuse(problems.urlTooLong);
  if (!url.startsWith('/')) return refuse(problems.urlNotPath);
  if (!namesOneHost(request)) return refuse(problems.hostAmbiguous);
  const servername = servernameOf(request.socket);
  if (servername !== undefined && servername !== nameOfHost(request.headers.host)) {
    return refuse(problems.hostMisdirected);
  }
  const scriptName = scriptOf(request.headers.host, input);
  const found = scriptName === undefined ? undefined : route(scriptName);
  if (found === undefined) return refuse(problems.unknownHost);
  if (found === 'paused' || (found.paused && !verifying)) return refuse(problems.paused);
  const upstream = found.slot.upstream();
  if (upstream === undefined) return refuse(problems.down);
  if (found.slot.inFlight() >= limits.router.inFlightPerWorker) return refuse(problems.busy);
  if (Number(request.headers['content-length'] ?? 0) > limits.router.bodyBytes) return refuse(problems.bodyTooLarge);
  return { ok: true, slot: found.slot, upstream };
};

const answerVerification = async (upstream: Upstream, response: ServerResponse, deadlineMs: number): Promise<void> => {
  const answer = await askControl(upstream.controlSocket, deadlineMs);
  if (typeof answer === 'string') return sendProblem(response, problems.slow);
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(answer));
};

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });

/** The front door of the node: HTTP, and HTTPS where it is asked for, both sending each host to the process of its worker. */
export const startRouter = async (input: RouterInput): Promise<Router> => {
  const { limits, hostnames } = input;
  const upgraded = new Map<Duplex, string>();
  const options = {
    maxHeaderSize: limits.router.headerBytes,
    headersTimeout: limits.router.headersTimeoutMs,
    requestTimeout: limits.router.requestTimeoutMs,
    keepAliveTimeout: 65_000,
    noDelay: true,
  };
  const plain = createServer(options);
  const secure =
    input.tlsPort === undefined ? undefined : createTlsServer({ ...options, ...tlsOptions(hostnames.tls) });
  const servers = secure ? [plain, secure] : [plain];
  for (const server of servers) {
    server.maxConnections = limits.router.connections;
    answerRequests(server, input);
    answerUpgrades(server, input, upgraded);
  }
  const port = await listen(plain, input.port, input.host);
  const tlsPort = secure && (await listen(secure, input.tlsPort ?? 0, input.host).catch(closing(plain)));
  for (const server of servers) server.on('error', input.onError);
  return {
    port,
    tlsPort,
    cutUpgraded: (scriptName) => {
      for (const [socket, name] of upgraded) if (name === scriptName) socket.destroy();
    },
    close: async (graceMs) => {
      const closed = Promise.all(
        servers.map((server) => {
          const ended = new Promise<void>((resolve) => server.close(() => resolve()));
          server.closeIdleConnections();
          return ended;
        }),
      );
      await Promise.race([closed, delay(graceMs)]);
      for (const socket of upgraded.keys()) socket.destroy();
      for (const server of servers) server.closeAllConnections();
      await closed;
    },
  };
};

/** A port that is taken must not leave the other one open. */
const closing =
  (server: Server) =>
  (error: unknown): never => {
    server.close();
    throw error;
  };

const answerRequests = (server: Server, input: RouterInput): void => {
  const { limits, verifyToken, trustForwarded } = input;
  server.on('request', (request, response) => {
    const verifying = sameToken(request.headers[verifyHeader], verifyToken);
    const found = resolveRoute(request, input, verifying);
    if (!found.ok) {
      // A body of any bearable size is read and thrown away; this one is not.
      if (found.problem === problems.bodyTooLarge) response.setHeader('Connection', 'close');
      return sendProblem(response, found.problem);
    }
    if (verifying) return void answerVerification(found.upstream, response, limits.probeDeadlineMs);
    response.once('close', found.slot.enter());
    forward({
      request,
      response,
      upstream: found.upstream,
      forwarding: forwardingOf(request, trustForwarded),
      limits: limits.router,
    });
  });
};

const answerUpgrades = (server: Server, input: RouterInput, upgraded: Map<Duplex, string>): void => {
  const { limits, trustForwarded } = input;
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const found = resolveRoute(request, input, false);
    if (!found.ok) return refuseUpgrade(socket, found.problem);
    if (request.headers['transfer-encoding'] !== undefined) return refuseUpgrade(socket, problems.upgradeUnclear);
    const leave = found.slot.enter();
    upgraded.set(socket, found.slot.spec.scriptName);
    socket.once('close', () => {
      upgraded.delete(socket);
      leave();
    });
    forwardUpgrade({
      request,
      socket,
      head,
      upstream: found.upstream,
      forwarding: forwardingOf(request, trustForwarded),
      idleMs: limits.router.upstreamIdleMs,
    });
  });
};
