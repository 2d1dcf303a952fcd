import { isAlive } from '../domain/edgeWorker/index.ts';
import { deployedUntil, desiredOf, type EdgeNodeDeps, stateOf } from './edgeNode.ts';

/** Names of scripts. */
export type ResyncReport = {
  readonly started: readonly string[];
  readonly stopped: readonly string[];
  readonly kept: readonly string[];
  /** A deployment is under way: it is left to that. */
  readonly busy: readonly string[];
  /** Runs here, and the log knows nothing of it. Left alone. */
  readonly unknown: readonly string[];
  readonly failed: readonly { readonly scriptName: string; readonly detail: string }[];
};

/** Makes a node that is at work run what the log says, one worker after the other, and says what that took. */
export const resync = async (deps: EdgeNodeDeps, signal: AbortSignal): Promise<ResyncReport> => {
  const { log, provider } = deps;
  const before = new Map(provider.running().map((each) => [each.scriptName, each.revision]));
  const runsNow = (scriptName: string) => provider.running().find((each) => each.scriptName === scriptName)?.revision;
  const report = { started: list(), stopped: list(), kept: list(), busy: list() };
  const failed: { scriptName: string; detail: string }[] = [];
  const known = new Set<string>();
  for (const workerId of await deployedUntil(deps, await log.head())) {
    signal.throwIfAborted();
    const state = await stateOf(deps, workerId, signal);
    if (!state) continue;
    const { scriptName } = state;
    known.add(scriptName);
    const wanted = desiredOf(workerId, state);
    if (isAlive(state.ticket)) report.busy.push(scriptName);
    else if (wanted) {
      await provider.restore(wanted);
      const { revision } = wanted.spec;
      const now = runsNow(scriptName);
      if (now === revision) report[before.get(scriptName) === revision ? 'kept' : 'started'].push(scriptName);
      else failed.push({ scriptName, detail: `revision ${revision} does not run; the log of this server says why` });
    } else if (before.has(scriptName)) {
      await provider.drop(scriptName);
      report.stopped.push(scriptName);
    }
  }
  return { ...report, failed, unknown: [...before.keys()].filter((scriptName) => !known.has(scriptName)) };
};

const list = (): string[] => [];
