import { createServer } from 'node:http';
import type { Context } from './context.ts';
import { createDashboard, type Dashboard } from './dashboard.ts';
import { createFaults, type Fault, type Match, type Planned } from './faults.ts';
import { listen, shut } from './listen.ts';
import type { Behaviour, CloudflareOptions, ZoneOptions } from './options.ts';
import { createPipeline } from './pipeline.ts';
import { createRateLimiter } from './rateLimit.ts';
import type { LoggedRequest } from './requestLog.ts';
import { describeServed, type Served, type ServedRequest, serve } from './serving.ts';
import type { CloudflareState, Zone } from './state.ts';
import { type LogLine, openTailSockets } from './tailSockets.ts';
import { createView, type View } from './view.ts';
import { createWorld } from './world.ts';

export type FrontDoor = { readonly url: string; close(): Promise<void> };

/** A Cloudflare of one process: the API over HTTP, its state in memory. */
export type Cloudflare = {
  /** Ends in `/client/v4`. */
  readonly baseUrl: string;
  /** Of the first token. */
  readonly token: string;
  /** Of the first account. */
  readonly accountId: string;
  readonly state: CloudflareState;
  readonly view: View;
  /** Limits, read lag and rate: what is changed here holds from the next request on. */
  readonly behaviour: Behaviour;
  /** Everything received, oldest first. */
  readonly requests: readonly LoggedRequest[];
  /** The next `times` requests that match go wrong in this way. */
  fail(match: Match, fault: Fault, times?: number): Planned;
  /** What a person does by hand. */
  readonly act: Dashboard;
  addZone(zone: ZoneOptions): Zone;
  /** Sends log lines of one invocation to those who tail the script; says how many got them. */
  emitLog(script: string, lines: readonly LogLine[]): number;
  /** How many websockets listen to a script. */
  tailListeners(script: string): number;
  /** Which Worker answers at this host now. */
  serve(hostname: string, request?: ServedRequest): Served;
  /** A second listener that answers by Host header what `serve` says: 200 with JSON, or 404. */
  startFrontDoor(port?: number): Promise<FrontDoor>;
  close(): Promise<void>;
};

const openFrontDoor = async (state: CloudflareState, port: number): Promise<FrontDoor> => {
  const door = createServer((request, response) => {
    const served = serve(state, request.headers.host ?? '', { path: (request.url ?? '/').replace(/\?.*$/, '') });
    response.writeHead(served.answered ? 200 : 404, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify(describeServed(served))}\n`);
  });
  const bound = await listen(door, port);
  return { url: `http://127.0.0.1:${bound}`, close: () => shut(door) };
};

export const startCloudflare = async (options: CloudflareOptions = {}): Promise<Cloudflare> => {
  const { now, ids, state, behaviour, firstAccount, tokens, addZone } = createWorld(options);
  const account = state.accounts.get(firstAccount);
  const [token] = tokens;
  if (account === undefined || token === undefined) throw new Error('Cloudflare needs an account and a token');
  const requests: LoggedRequest[] = [];
  const faults = createFaults();
  let closed = false;
  let port = 0;

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
      if (!closed) console.error(error);
    });
  });
  const sockets = openTailSockets(server, state, now);
  const context: Context = {
    state,
    behaviour,
    ids,
    now,
    socketUrl: () => `ws://127.0.0.1:${port}`,
    closeTail: (id) => {
      state.tails.delete(id);
      sockets.close(id);
    },
  };
  const limiter = createRateLimiter(behaviour, now);
  const handle = createPipeline({ context, tokens, faults, limiter, requests, closed: () => closed });
  port = await listen(server, options.port ?? 0);

  const doors: FrontDoor[] = [];
  const tailsOf = (script: string) => [...state.tails.values()].filter(({ scriptName }) => scriptName === script);
  return {
    baseUrl: `http://127.0.0.1:${port}/client/v4`,
    token: token.value,
    accountId: firstAccount,
    state,
    view: createView(state, account),
    behaviour,
    requests,
    fail: (match, fault, times = 1) => faults.plan(match, fault, times),
    act: createDashboard(context, account, 'person@opslog.test'),
    addZone,
    emitLog: (script, lines) => sockets.emit(tailsOf(script), script, lines),
    tailListeners: (script) => tailsOf(script).reduce((sum, { id }) => sum + sockets.listeners(id), 0),
    serve: (hostname, request = {}) => serve(state, hostname, request),
    startFrontDoor: async (doorPort = 0) => {
      const door = await openFrontDoor(state, doorPort);
      doors.push(door);
      return door;
    },
    close: async () => {
      closed = true;
      sockets.closeAll();
      await Promise.all([shut(server), ...doors.map((door) => door.close())]);
    },
  };
};
