import type { StepOutcome } from '../../port.ts';
import type { Step, StepInput } from '../context.ts';
import { versionFact } from '../ledger.ts';
import { type Looked, lookFor } from '../look.ts';
import { done, refused, settle, unseen } from '../outcome.ts';
import type { Version } from '../schemas.ts';
import { versionForm } from '../upload.ts';
import { findTagged } from '../versions.ts';

const asked = 'GET versions';

const find = ({ context, spec, attempt, signal }: StepInput): Promise<Looked<Version>> =>
  findTagged(context, signal, spec.scriptName, attempt.ticketId);

/** The version that the ledger names, unless somebody has deleted it. One that cannot be read yet is there. */
const known = async ({ context, spec, attempt, signal }: StepInput): Promise<Looked<string>> => {
  const id = attempt.ledger?.[versionFact];
  if (id === undefined) return { seen: 'no' };
  const read = await context.api.readVersion(signal, spec.scriptName, id, 'step');
  if (read.verdict === 'absent') return { seen: 'no' };
  return read.verdict === 'done' || read.verdict === 'lagging' ? { seen: 'yes', value: id } : read;
};

const is = (id: string, how: string): StepOutcome => done(how, { [versionFact]: id });

type Content =
  | { readonly ok: true; readonly bundle: Uint8Array; readonly secrets: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly outcome: StepOutcome };

const stop = (outcome: StepOutcome): Content => ({ ok: false, outcome });

const readContent = async ({ context, spec }: StepInput): Promise<Content> => {
  const bundle = await context.artifacts.get(spec.bundleDigest).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'ArtifactCorrupt') return 'corrupt' as const;
    return 'away' as const;
  });
  if (bundle === 'away') return stop({ outcome: 'retry', detail: 'The artifact store cannot be read.' });
  if (bundle === 'corrupt') {
    return stop(refused('BundleCorrupt', `The bytes of bundle ${spec.bundleDigest} do not have this digest`));
  }
  if (!bundle) return stop(refused('BundleMissing', `The artifact store has no bundle ${spec.bundleDigest}`));
  // What a reader throws may say more than it should: its text goes nowhere.
  const secrets = await context.secretValues(spec).catch(() => undefined);
  if (!secrets) return stop({ outcome: 'retry', detail: 'The secrets cannot be read.' });
  return secrets.ok ? { ok: true, bundle, secrets: secrets.values } : stop(refused(secrets.code, secrets.detail));
};

const post = async (input: StepInput): Promise<StepOutcome> => {
  const { context, spec, attempt, signal } = input;
  const content = await readContent(input);
  if (!content.ok) return content.outcome;
  const { bundle, secrets } = content;
  const form = versionForm(spec, attempt.ticketId, secrets, bundle);
  const made = await context.api.createVersion(signal, spec.scriptName, form, Object.values(secrets));
  if (made.verdict !== 'done') return settle(made, 'POST versions', attempt);
  return done('uploaded, without traffic', { [versionFact]: made.result.id, asked: 'POST versions', answered: 'made' });
};

/**
 * A ticket has one version, tagged with its id. Only a first attempt posts without looking: any earlier one may have posted
 * and not have lived to say so.
 */
export const versionStep: Step = {
  perform: async (input) => {
    const { context, attempt, signal } = input;
    const remembered = await known(input);
    if (!('seen' in remembered)) return settle(remembered, 'GET version', attempt);
    if (remembered.seen === 'yes') return is(remembered.value, 'uploaded before');
    if (attempt.attempt === 1 || context.foundAbsent.has(attempt)) return post(input);
    const seen = await lookFor(context, signal, () => find(input));
    if (!('seen' in seen)) return settle(seen, asked, attempt);
    return seen.seen === 'yes' ? is(seen.value.id, 'uploaded by an earlier attempt') : post(input);
  },
  probe: async (input) => {
    const { context, signal, attempt } = input;
    const seen = await lookFor(context, signal, () => find(input));
    if (!('seen' in seen)) return unseen(seen, asked);
    if (seen.seen === 'yes') {
      const facts = { asked, found: `version ${seen.value.id} with tag ${attempt.ticketId}` };
      return done('it was uploaded', { ...facts, [versionFact]: seen.value.id });
    }
    context.foundAbsent.add(attempt);
    const found = `no version with tag ${attempt.ticketId} after ${context.readLagMs} ms`;
    return { outcome: 'retry', detail: 'it was not uploaded', facts: { asked, found } };
  },
};
