import type {
  ControlAudit,
  ControlAuditCommand,
  ControlAuditEvent,
  ControlResult,
} from '../domain/controlAudit/index.ts';
import { derivedId } from '../domain/identifiers.ts';
import type { Actor, AuthMethod } from '../domain/kernel.ts';
import type { Clock } from '../platform/clock/port.ts';
import type { Log } from '../platform/log/port.ts';
import { type Envelope, sha256 } from './envelope.ts';
import type { Aggregate } from './send.ts';

/** An action on edge workers or credentials that was not done. `stranger`: somebody who is nothing in the workspace. */
export type RefusedAction = {
  readonly workspaceId: string;
  readonly departmentId: string;
  readonly by: 'member' | 'stranger';
  readonly actor: Actor;
  readonly authMethod: AuthMethod;
  readonly requestId: string;
  readonly correlationId: string;
  readonly ip: string;
  readonly action: string;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly result: ControlResult;
  readonly reasonCode: string;
  readonly digest: string;
};

/** `known`: the same was recorded in this window. `omitted`: counted only. `lost`: the log did not take it in time. */
export type RecordedAs = 'recorded' | 'known' | 'omitted' | 'lost';

export type RefusalRecorder = {
  /** Resolves once it is in the log, or after `waitMs` at the latest. Never rejects. */
  record(refused: RefusedAction): Promise<RecordedAs>;
  /** Something that should have been recorded was not; `error` is what kept it from being. */
  lost(count: number, error: unknown): void;
  /** Writes down what was omitted so far. */
  close(): Promise<void>;
};

export type RefusalLimits = {
  readonly windowMs: number;
  /** Written down one by one, per workspace and window. Strangers have a budget of their own, so that they hide nobody. */
  readonly perWindow: { readonly member: number; readonly stranger: number };
  readonly waitMs: number;
};

export const refusalLimits: RefusalLimits = {
  windowMs: 60_000,
  perWindow: { member: 120, stranger: 20 },
  waitMs: 500,
};

type Options = {
  readonly controlAudit: Aggregate<ControlAuditCommand, ControlAuditEvent, ControlAudit, never>;
  readonly clock: Clock;
  readonly uuid: () => string;
  readonly logger: Log;
  readonly onLost: (count: number) => void;
  readonly limits?: RefusalLimits;
};

type Window = {
  readonly start: number;
  readonly workspaceId: string;
  readonly by: string;
  taken: number;
  omitted: number;
};

/** Writes refused actions into the log, each once per window and bounded per workspace, whatever a caller sends. */
export const createRefusalRecorder = (options: Options): RefusalRecorder => {
  const { controlAudit, clock, logger, onLost, limits = refusalLimits } = options;
  const { windowMs, perWindow, waitMs } = limits;
  const process = options.uuid();
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  let known = new Map<string, Promise<boolean>>();
  let windows = new Map<string, Window>();
  let current = 0;

  const lost = (count: number, error: unknown): void => {
    onLost(count);
    logger.warn({ count, error: error instanceof Error ? error.name : 'Timeout' }, 'Refused actions were not audited.');
  };

  /** Appends; answers whether it is in the log. Goes on when nobody waits any more. */
  const append = (id: string, command: ControlAuditCommand, envelope: Envelope, count: number): Promise<boolean> => {
    const sending = controlAudit.send(id, command, envelope).then(
      () => true,
      (error: unknown) => {
        lost(count, error);
        return false;
      },
    );
    underWay.add(sending);
    return sending.finally(() => underWay.delete(sending));
  };

  const summarise = async (passed: Iterable<Window>): Promise<void> => {
    for (const { start, workspaceId, by, omitted } of passed) {
      if (omitted === 0) continue;
      const id = derivedId(sha256, 'control-omitted', workspaceId, by, String(start), process);
      const data = { count: omitted, windowStart: start, windowMs };
      await append(id, { type: 'RecordOmittedRefusals', data }, systemEnvelope(id, workspaceId), omitted);
    }
  };

  /** A new window forgets what the one before knew, and says what that left out. */
  const turnTo = (start: number): void => {
    if (start === current) return;
    const passed = windows;
    current = start;
    windows = new Map();
    known = new Map();
    track(underWay, summarise(passed.values()));
  };

  const windowOf = ({ workspaceId, by }: RefusedAction): Window => {
    const key = `${by} ${workspaceId}`;
    const window = windows.get(key) ?? { start: current, workspaceId, by, taken: 0, omitted: 0 };
    windows.set(key, window);
    return window;
  };

  const omit = (window: Window): 'omitted' => {
    window.omitted += 1;
    if (window.omitted === 1) {
      const end = window.start + windowMs;
      void clock
        .sleep(Math.max(0, end - clock.now()), closing.signal)
        .then(() => turnTo(startOf(clock.now(), windowMs)));
    }
    return 'omitted';
  };

  /** An answer waits for the log, but not for ever: what comes late may still get there, and is no loss yet. */
  const inTime = async <As extends RecordedAs>(
    { action, requestId }: RefusedAction,
    sending: Promise<boolean>,
    as: As,
  ): Promise<As | 'lost'> => {
    const over = new AbortController();
    const outcome = await Promise.race([sending, clock.sleep(waitMs, over.signal).then(() => 'late' as const)]);
    over.abort();
    if (outcome === 'late') logger.warn({ action, requestId }, 'The audit of a refused action is late.');
    return outcome === true ? as : 'lost';
  };

  const record = async (refused: RefusedAction): Promise<RecordedAs> => {
    turnTo(startOf(clock.now(), windowMs));
    const id = idOf(refused, current);
    const earlier = known.get(id);
    if (earlier) return inTime(refused, earlier, 'known');
    const window = windowOf(refused);
    if (window.taken >= perWindow[refused.by]) return omit(window);
    window.taken += 1;
    const mine = known;
    const sending = append(id, { type: 'RecordControlRefusal', data: dataOf(refused) }, envelopeOf(id, refused), 1);
    mine.set(id, sending);
    const outcome = await inTime(refused, sending, 'recorded');
    // What may still get there is not tried again beside itself.
    if (outcome === 'lost') void sending.then((there) => there || mine.delete(id));
    return outcome;
  };

  return {
    record,
    lost,
    close: async () => {
      closing.abort();
      const passed = windows;
      windows = new Map();
      await summarise(passed.values());
      const over = new AbortController();
      await Promise.race([Promise.allSettled(underWay), clock.sleep(waitMs, over.signal)]);
      over.abort();
    },
  };
};

const track = (underWay: Set<Promise<unknown>>, work: Promise<unknown>): void => {
  underWay.add(work);
  void work.finally(() => underWay.delete(work));
};

const startOf = (now: number, windowMs: number): number => now - (now % windowMs);

/** Who, what, on which, why, when: what is the same in all of these is the same intent, in every process. */
const idOf = (refused: RefusedAction, start: number): string => {
  const { workspaceId, actor, action, resourceType, resourceId, result, reasonCode } = refused;
  const what = [action, resourceType, resourceId, result, reasonCode];
  return derivedId(sha256, 'control-audit', workspaceId, actor.kind, actor.id, ...what, String(start));
};

const dataOf = ({ action, resourceType, resourceId, result, reasonCode, digest }: RefusedAction) => ({
  ...{ action, resourceType, resourceId, result, reasonCode, digest },
});

const envelopeOf = (commandId: string, refused: RefusedAction): Envelope => {
  const { actor, authMethod, workspaceId, departmentId, requestId, correlationId, ip } = refused;
  return {
    commandId,
    commandDigest: '',
    actor,
    authMethod,
    workspaceId,
    departmentId,
    requestId,
    correlationId,
    causationId: '',
    ip,
  };
};

const systemEnvelope = (commandId: string, workspaceId: string): Envelope => ({
  ...{ commandId, commandDigest: '', actor: { kind: 'system', id: 'control-audit' }, authMethod: 'system' },
  ...{ workspaceId, departmentId: '', requestId: '', correlationId: '', causationId: '' },
});
