import type { Faults } from './faults.ts';
import type { Process } from './process.ts';
import type { Draws } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import { settings } from './settings.ts';

export type Version = {
  readonly id: string;
  readonly ticketId: string;
  readonly revision: number;
  readonly at: number;
};
/** `ticketId` is '' when somebody deployed by hand. */
export type Row = { readonly version: Version; readonly ticketId: string; readonly by: string; readonly at: number };
export type Script = {
  readonly name: string;
  readonly versions: Version[];
  readonly rows: Row[];
  readonly presence: { readonly paused: boolean; readonly at: number }[];
};

/** A request as a provider sends it: what it would change, for which ticket. */
export type Call<Value> = {
  readonly name: string;
  readonly changes: boolean;
  readonly ticketId: string;
  readonly attempt: number;
  readonly take: () => Value;
};
export type Answer<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  /** Known to have changed nothing. */
  | { readonly kind: 'unreachable' | 'conflict' }
  | { readonly kind: 'tooMany'; readonly afterMs: number }
  | { readonly kind: 'refused'; readonly code: string }
  /** HTML instead of JSON, a gateway's status, a broken connection, nobody waited: it may have happened, or happen yet. */
  | { readonly kind: 'unclear'; readonly how: string };

/** What goes on outside, as it happens there. */
export type OutsideWatch = {
  callBegan(process: Process, call: Call<unknown>): void;
  uncleared(call: Call<unknown>): void;
  versionMade(script: Script, version: Version): void;
  deployed(script: Script, row: Row): void;
  /** What a deployment would put on the air is on the air already. */
  shown(ticketId: string): void;
  note(line: string): void;
};

export type Cloud = {
  readonly scripts: ReadonlyMap<string, Script>;
  request<Value>(process: Process, call: Call<Value>, signal: AbortSignal): Promise<Answer<Value>>;
  /** What a list shows: not necessarily what was made in the last moments. */
  versions(script: string): readonly Version[];
  rows(script: string): readonly Row[];
  paused(script: string): boolean;
  upload(script: string, ticketId: string, revision: number): Version;
  deploy(script: string, version: Version, ticketId: string, by: string): void;
  setPaused(script: string, paused: boolean): void;
  remove(script: string): void;
};

export const createCloud = (scheduler: Scheduler, draws: Draws, faults: Faults, watch: OutsideWatch): Cloud => {
  const scripts = new Map<string, Script>();
  const scriptOf = (name: string): Script => {
    const script = scripts.get(name) ?? { name, versions: [], rows: [], presence: [] };
    scripts.set(name, script);
    return script;
  };
  const seen = <Item extends { readonly at: number }>(items: readonly Item[] | undefined): readonly Item[] => {
    const until = scheduler.now() - (draws.chance(0.3) ? draws.between(0, settings.readLagMs) : 0);
    return (items ?? []).filter(({ at }) => at <= until);
  };
  let versions = 0;
  return {
    scripts,
    request: (process, call, signal) => {
      if (call.changes) watch.callBegan(process, call);
      const fault = faults.cloud(call.changes);
      watch.note(
        `${process.name} asks ${call.name} for ${call.ticketId}#${call.attempt}${fault === 'none' ? '' : ` (${fault})`}`,
      );
      return new Promise((resolve) => {
        const unclear = (how: string): void => {
          if (call.changes) watch.uncleared(call);
          resolve({ kind: 'unclear', how });
        };
        if (signal.aborted) return unclear('nobody waited');
        signal.addEventListener('abort', () => unclear('nobody waited any more'), { once: true });
        const there = draws.between(5, 150);
        const back = there + draws.between(5, 150);
        const happen = (ms: number): void =>
          void scheduler.at(scheduler.now() + ms, () => {
            watch.note(`outside: ${call.name} of ${call.ticketId}#${call.attempt}`);
            call.take();
          });
        switch (fault) {
          case 'none':
            scheduler.at(scheduler.now() + there, () => {
              const value = call.take();
              if (call.changes) watch.note(`outside: ${call.name} of ${call.ticketId}#${call.attempt}`);
              process.after(back - there, () => resolve({ kind: 'ok', value }));
            });
            return;
          case 'unreachable':
          case 'conflict':
            process.after(back, () => resolve({ kind: fault }));
            return;
          case 'tooMany': {
            const afterMs = draws.between(2, 30) * 1_000;
            process.after(back, () => resolve({ kind: 'tooMany', afterMs }));
            return;
          }
          case 'refused':
            process.after(back, () => resolve({ kind: 'refused', code: '10021' }));
            return;
          case 'lostBefore':
            process.after(back, () => unclear('522 and a page of HTML'));
            return;
          case 'lostAfter':
            happen(there);
            process.after(back, () => unclear('504'));
            return;
          case 'late':
            happen(draws.between(300, settings.lateEffectMs));
            process.after(back, () => unclear('connection reset'));
            return;
          case 'silent':
            if (draws.chance(0.5)) happen(draws.between(300, settings.lateEffectMs));
            return;
          default:
            fault satisfies never;
        }
      });
    },
    versions: (name) => seen(scripts.get(name)?.versions),
    rows: (name) => seen(scripts.get(name)?.rows),
    paused: (name) => seen(scripts.get(name)?.presence).at(-1)?.paused ?? false,
    upload: (name, ticketId, revision) => {
      const script = scriptOf(name);
      versions += 1;
      const version = { id: `v${versions}`, ticketId, revision, at: scheduler.now() };
      watch.versionMade(script, version);
      script.versions.push(version);
      return version;
    },
    deploy: (name, version, ticketId, by) => {
      const script = scripts.get(name);
      if (!script) return;
      const row = { version, ticketId, by, at: scheduler.now() };
      script.rows.push(row);
      watch.deployed(script, row);
    },
    setPaused: (name, paused) => void scripts.get(name)?.presence.push({ paused, at: scheduler.now() }),
    remove: (name) => void scripts.delete(name),
  };
};
