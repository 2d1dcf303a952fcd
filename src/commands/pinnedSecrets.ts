import { hasVersion, newestVersion } from '../domain/edgeSecret/index.ts';
import type { EdgeWorkerCommand, PinnedSecret, Schedule } from '../domain/edgeWorker/index.ts';
import { edgeSecretId } from '../domain/identifiers.ts';
import type { Aggregates } from './aggregates.ts';
import { canonicalJson } from './canonicalJson.ts';
import { type Envelope, sha256 } from './envelope.ts';
import { notSent, type Outcome } from './outcome.ts';
import type { ReadSubmission } from './submission.ts';

/** A request that comes a second time pins what it pinned the first time, whatever was stored or removed meanwhile. */
export const secretsToPin = async (
  aggregates: Aggregates,
  { departmentId }: { readonly departmentId: string },
  { workerId, versionId }: { readonly workerId: string; readonly versionId: string },
  { variables, secretNames }: ReadSubmission['settings'],
) => {
  const twice = secretNames.find((name) => Object.hasOwn(variables, name));
  if (twice !== undefined) {
    const reason = `${twice} is a plain variable and a secret at once. Take it out of one of the two.`;
    return notSent('SettingsInvalid', reason, { field: 'secretNames', details: { name: twice } });
  }
  if (secretNames.length === 0) return { ok: true, value: [] } as const;
  const { state } = await aggregates.edgeWorker.load(workerId);
  const earlier = state.status === 'absent' ? undefined : state.revisions.find((each) => each.versionId === versionId);
  return earlier ? ({ ok: true, value: earlier.secrets } as const) : pinSecrets(aggregates, departmentId, secretNames);
};

/** The newest version of each, as a revision pins them: by name, in order. */
const pinSecrets = async (
  { edgeSecret }: Pick<Aggregates, 'edgeSecret'>,
  departmentId: string,
  names: readonly string[],
): Promise<
  | { readonly ok: true; readonly value: readonly PinnedSecret[] }
  | Extract<Outcome<never, 'SecretNotFound'>, { ok: false }>
> => {
  const pinned: PinnedSecret[] = [];
  for (const name of [...new Set(names)].sort()) {
    const newest = newestVersion((await edgeSecret.load(edgeSecretId(sha256, departmentId, name))).state);
    if (!newest) {
      const reason = `This department has no secret named ${name}. Store it first.`;
      return notSent('SecretNotFound', reason, { field: 'secretNames', details: { name } });
    }
    pinned.push({ name, version: newest.version, digest: newest.digest });
  }
  return { ok: true, value: pinned };
};

/** Without secrets and schedules it is what it was before there were any. */
export const environmentDigestOf = ({
  variables,
  secretNames,
  secrets,
  schedules,
}: {
  readonly variables: Readonly<Record<string, string>>;
  readonly secretNames: readonly string[];
  readonly secrets: readonly PinnedSecret[];
  readonly schedules: readonly Schedule[];
}): string =>
  sha256(
    canonicalJson({
      ...{ secretNames: [...secretNames].sort(), variables },
      ...(secrets.length > 0 && { secrets }),
      ...(schedules.length > 0 && { schedules }),
    }),
  );

/**
 * A revision that pins a removed secret would fail on the way; better that nobody waits for it. One that goes after this
 * look is refused by the step that needs it.
 */
export const refuseGoneSecret = async (
  aggregates: Aggregates,
  { departmentId, workerId }: { readonly departmentId: string; readonly workerId: string },
  command: EdgeWorkerCommand,
  envelope: Envelope,
) => {
  const { state } = await aggregates.edgeWorker.load(workerId, { maxAgeMs: Number.POSITIVE_INFINITY });
  if (state.status !== 'absent' && state.revisions.every((each) => each.secrets.length === 0)) return undefined;
  const rehearsed = await aggregates.edgeWorker.send(workerId, command, { ...envelope, dryRun: true });
  if (!rehearsed.ok || rehearsed.events.length === 0 || rehearsed.replayed || rehearsed.state.status === 'absent')
    return undefined;
  const { ticket, revisions } = rehearsed.state;
  const target = revisions.find((each) => each.versionId === ticket?.versionId);
  const gone = target && (await findGoneSecret(aggregates, departmentId, target.secrets));
  if (!target || !gone) return undefined;
  const { name, version } = gone;
  const reason =
    `Revision ${target.revision} reads version ${version} of the secret ${name}, which was removed. ` +
    `Store ${name} again and submit a new revision.`;
  return notSent('SecretGone', reason, { field: 'revision', details: { name, version } });
};

/** The first of these that was removed since it was pinned. */
const findGoneSecret = async (
  { edgeSecret }: Pick<Aggregates, 'edgeSecret'>,
  departmentId: string,
  pinned: readonly PinnedSecret[],
): Promise<PinnedSecret | undefined> => {
  for (const each of pinned) {
    const { state } = await edgeSecret.load(edgeSecretId(sha256, departmentId, each.name));
    if (!hasVersion(state, each)) return each;
  }
  return undefined;
};
