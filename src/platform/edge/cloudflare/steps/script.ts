import type { StepOutcome } from '../../port.ts';
import type { Step, StepInput } from '../context.ts';
import { toCloudflareCrons } from '../cron.ts';
import { deploymentFact, hasDeployed, mayHaveDeployed, versionFact } from '../ledger.ts';
import { type Looked, lookFor } from '../look.ts';
import { isOurName, ownTag, pausedTag, readMessage, scriptTags } from '../names.ts';
import { judge } from '../onAir.ts';
import { done, refused, settle, unseen } from '../outcome.ts';
import type { ScriptSettings } from '../schemas.ts';
import { stubForm } from '../upload.ts';
import type { Failure } from '../verdict.ts';

const asked = 'GET script-settings';

const look = async ({ context, spec, signal }: StepInput): Promise<Looked<ScriptSettings>> => {
  const read = await context.api.readSettings(signal, spec.scriptName);
  if (read.verdict === 'absent') return { seen: 'no' };
  return read.verdict === 'done' ? { seen: 'yes', value: read.result } : read;
};

/** What could not go on the air in the end is said before anything is made. */
const refuseSpec = ({ spec }: StepInput): StepOutcome | undefined => {
  if (!isOurName(spec.scriptName)) {
    return refused('script_name_invalid', `${spec.scriptName} is not the name of a script of this platform.`);
  }
  const crons = toCloudflareCrons(spec.schedules);
  return crons.ok ? undefined : refused(crons.code, crons.detail);
};

/** Where something of this ticket may be on the air, not being able to look is no reason to give up. */
const cannotLook = ({ attempt }: StepInput, failure: Failure, what: string): StepOutcome =>
  mayHaveDeployed(attempt) ? unseen(failure, what) : settle(failure, what);

/**
 * A script of our name that we did not make is left alone. Somebody may have taken our tag off one that is ours; then its
 * versions tell.
 */
const recognise = async (input: StepInput, settings: ScriptSettings): Promise<StepOutcome> => {
  const { context, spec, signal } = input;
  if (settings.tags?.includes(ownTag)) return isThere(input, 'the script, with our tag');
  const versions = await context.api.listVersions(signal, spec.scriptName);
  if (versions.verdict !== 'done') return cannotLook(input, versions, 'GET versions');
  const ours = versions.result.items.some(
    ({ annotations: { tag, message } }) => tag === pausedTag || readMessage(message) !== undefined,
  );
  if (ours) return isThere(input, 'the script, without our tag, with our versions');
  const detail = `Somebody else has made a script named ${spec.scriptName}. Delete it, or give it the tag ${ownTag}.`;
  return refused('script_not_ours', detail, { asked: 'GET versions', found: 'a script without anything of ours' });
};

/** Whether an earlier attempt has put this ticket on the air is found out first: the steps that follow go by it. */
const isThere = async (input: StepInput, found: string): Promise<StepOutcome> => {
  const { context, spec, attempt, signal } = input;
  const versionId = attempt.ledger?.[versionFact];
  if (versionId === undefined || hasDeployed(attempt)) return done('the script is there', { found });
  const listed = await context.api.listDeployments(signal, spec.scriptName, 'step');
  if (listed.verdict !== 'done') return cannotLook(input, listed, 'GET deployments');
  const onAir = judge(listed.result.deployments, versionId, attempt);
  return done('the script is there', { found, ...(onAir.is !== 'other' && { [deploymentFact]: onAir.own.id }) });
};

/**
 * Versions need a script to belong to, and only an upload that is on the air at once makes one: so it is made with a
 * module that answers 503. Nothing leads to it yet.
 */
const create = async ({ context, spec, signal }: StepInput): Promise<StepOutcome> => {
  const made = await context.api.uploadScript(signal, spec.scriptName, stubForm(scriptTags(spec)));
  if (made.verdict !== 'done') return settle(made, 'PUT script');
  return done('the script was made, answering 503', { asked: 'PUT script', answered: 'made' });
};

export const scriptStep: Step = {
  perform: async (input) => {
    const wrong = refuseSpec(input);
    if (wrong) return wrong;
    const { context, attempt, signal } = input;
    // An upload over a live script would take it off the air: after an earlier attempt, "not there" must be certain.
    const isSure = attempt.attempt === 1 || context.foundAbsent.has(attempt);
    const seen = isSure ? await look(input) : await lookFor(context, signal, () => look(input));
    if (!('seen' in seen)) return cannotLook(input, seen, asked);
    return seen.seen === 'yes' ? recognise(input, seen.value) : create(input);
  },
  probe: async (input) => {
    const { context, attempt, signal } = input;
    const seen = await lookFor(context, signal, () => look(input));
    if (!('seen' in seen)) return unseen(seen, asked);
    if (seen.seen === 'yes') return recognise(input, seen.value);
    context.foundAbsent.add(attempt);
    return { outcome: 'retry', detail: 'the script is not there', facts: { asked, found: 'no script' } };
  },
};
