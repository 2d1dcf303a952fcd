import type { FoundWorker, Inventory } from '../port.ts';
import type { CloudflareContext } from './context.ts';
import { isOurName, isPausedMessage, pausedTag, readMessage } from './names.ts';
import { mainVersion } from './onAir.ts';
import type { Deployment, Version } from './schemas.ts';
import type { Answer, Failure } from './verdict.ts';

/** What a version says of itself never changes, so that it is asked for once. */
export type VersionMemory = Map<string, Version['annotations']>;

const rememberedVersions = 5_000;
const atOnce = 4;

/** Reads wait for the budget here: a survey has time, and half of it is worth nothing. */
const patiently = async <Result>(
  { clock }: CloudflareContext,
  signal: AbortSignal,
  ask: () => Promise<Answer<Result>>,
): Promise<Answer<Result>> => {
  for (;;) {
    const answer = await ask();
    if (answer.verdict !== 'retry' || answer.afterMs === undefined || signal.aborted) return answer;
    await clock.sleep(answer.afterMs, signal);
  }
};

/** Every script of ours with what is on the air, or nothing at all. One that goes while this looks is not there. */
export const takeInventory = async (
  context: CloudflareContext,
  memory: VersionMemory,
  signal: AbortSignal,
): Promise<Inventory> => {
  const names = await listNames(context, signal);
  if (!Array.isArray(names)) return { ok: false, detail: names.detail };
  const workers: FoundWorker[] = [];
  const waiting = [...names];
  let failure: Failure | undefined;
  const hand = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined && !failure; name = waiting.shift()) {
      const found = await describeScript(context, memory, name, signal);
      if (!found) continue;
      if ('verdict' in found) failure = found;
      else workers.push(found);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, hand));
  if (failure) return { ok: false, detail: failure.detail };
  return { ok: true, workers: workers.sort((a, b) => (a.scriptName < b.scriptName ? -1 : 1)) };
};

const listNames = async (context: CloudflareContext, signal: AbortSignal): Promise<string[] | Failure> => {
  const names: string[] = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const listed = await patiently(context, signal, () => context.api.listScripts(signal, page));
    if (listed.verdict !== 'done') return listed;
    pages = listed.pages;
    names.push(...listed.result.map(({ id }) => id).filter(isOurName));
  }
  return [...new Set(names)];
};

const describeScript = async (
  context: CloudflareContext,
  memory: VersionMemory,
  scriptName: string,
  signal: AbortSignal,
): Promise<FoundWorker | Failure | undefined> => {
  const { api } = context;
  const listed = await patiently(context, signal, () => api.listDeployments(signal, scriptName, 'survey'));
  if (listed.verdict === 'absent') return undefined;
  if (listed.verdict !== 'done') return listed;
  const [top] = listed.result.deployments;
  if (!top) return { scriptName, ...unknown, state: 'not_deployed', by: '' };
  const by = top.author_email ?? '';
  if (isPausedMessage(top.annotations.message)) {
    const { revision, bundleDigest } = readMessage(top.annotations.message) ?? unknown;
    return { scriptName, revision, bundleDigest, ticketId: '', state: 'paused', by };
  }
  const annotations = await annotationsOf(context, memory, scriptName, mainVersion(top), signal);
  if (annotations && 'verdict' in annotations) return annotations;
  return { scriptName, ...shownBy(top, annotations), by };
};

const unknown = { revision: 0, bundleDigest: '', ticketId: '' } as const;

/** A version that is not ours, or whose annotations nobody can read, says nothing. */
const shownBy = (top: Deployment, annotations: Version['annotations'] | undefined) => {
  // Two versions at once were put there by hand: no one revision is on the air.
  if (top.versions.length > 1) return { ...unknown, state: 'split' };
  if (annotations?.tag === pausedTag) return { ...unknown, state: 'placeholder' };
  const named = annotations && readMessage(annotations.message);
  if (!named) return { ...unknown, state: 'active' };
  return { revision: named.revision, bundleDigest: named.bundleDigest, ticketId: annotations.tag, state: 'active' };
};

const annotationsOf = async (
  context: CloudflareContext,
  memory: VersionMemory,
  scriptName: string,
  versionId: string,
  signal: AbortSignal,
): Promise<Version['annotations'] | Failure | undefined> => {
  const remembered = memory.get(versionId);
  if (remembered) return remembered;
  const read = await patiently(context, signal, () => context.api.readVersion(signal, scriptName, versionId, 'survey'));
  if (read.verdict === 'absent' || read.verdict === 'lagging') return undefined;
  if (read.verdict !== 'done') return read;
  const [oldest] = memory.keys();
  if (memory.size >= rememberedVersions && oldest !== undefined) memory.delete(oldest);
  memory.set(versionId, read.result.annotations);
  return read.result.annotations;
};
