import type { Attempt, StepOutcome } from '../../port.ts';
import type { Step, StepInput } from '../context.ts';
import { deploymentFact, hasDeployed, mayHaveDeployed, versionFact } from '../ledger.ts';
import { type Looked, lookFor } from '../look.ts';
import { describe, judge, mainVersion, type OnAir } from '../onAir.ts';
import { done, notYet, refused, settle, unseen } from '../outcome.ts';
import type { Deployment } from '../schemas.ts';
import { findTagged } from '../versions.ts';

const asked = 'GET deployments';

/** From the ledger, or by its tag. */
export const versionOf = async ({ context, spec, attempt, signal }: StepInput): Promise<Looked<string>> => {
  const known = attempt.ledger?.[versionFact];
  if (known !== undefined) return { seen: 'yes', value: known };
  const seen = await findTagged(context, signal, spec.scriptName, attempt.ticketId);
  return 'seen' in seen && seen.seen === 'yes' ? { seen: 'yes', value: seen.value.id } : seen;
};

export const readOnAir = async (input: StepInput, versionId: string): Promise<Looked<OnAir>> => {
  const { context, spec, attempt, signal } = input;
  const listed = await context.api.listDeployments(signal, spec.scriptName, 'step');
  if (listed.verdict !== 'done') return listed;
  return { seen: 'yes', value: judge(listed.result.deployments, versionId, attempt) };
};

const overtaken = (top: Deployment): StepOutcome => {
  const found = describe(top);
  const detail = `Somebody has deployed over this deployment: ${found}. Deploy again to put this revision back.`;
  return refused('overtaken', detail, { asked, found, owner: top.author_email ?? '' });
};

/** The end of the step where what is on the air settles it. */
export const settled = (seen: OnAir): StepOutcome | undefined => {
  if (seen.is === 'other') return undefined;
  if (seen.is === 'overtaken') return overtaken(seen.top);
  const detail = seen.is === 'ours' ? 'on the air' : 'it was on the air, and was paused since';
  return done(detail, { asked, found: describe(seen.top), [deploymentFact]: seen.own.id });
};

/** A version that cannot be read yet may not be deployable yet either: asked again, nothing having happened. */
const post = async (input: StepInput, versionId: string, before: Deployment | undefined): Promise<StepOutcome> => {
  const { context, spec, attempt, signal } = input;
  const made = await lookFor(context, signal, async () => {
    const answer = await context.api.createDeployment(signal, spec.scriptName, versionId, attempt.ticketId, false);
    if (answer.verdict === 'lagging' || answer.verdict === 'absent') return { seen: 'no' };
    return answer.verdict === 'done' ? { seen: 'yes', value: answer.result.id } : answer;
  });
  if (!('seen' in made)) return settle(made, 'POST deployments');
  if (made.seen === 'no') {
    const detail = `Version ${versionId} cannot be deployed: it is not there, or cannot be read yet.`;
    return notYet(detail, { asked: 'POST deployments', answered: detail });
  }
  const replaced = before ? { replaced: mainVersion(before), replacedFrom: describe(before) } : {};
  return done('on the air', { asked: 'POST deployments', answered: 'made', [deploymentFact]: made.value, ...replaced });
};

/** A deployment that an earlier attempt made may not be listed yet; one that nobody made is not waited for. */
const lookBefore = (input: StepInput, versionId: string): Promise<Looked<OnAir>> => {
  if (!hasDeployed(input.attempt)) return readOnAir(input, versionId);
  return waitForOurs(input, versionId);
};

/** Until the ticket's own deployment is listed, first or below another; `other` when it is not within the window. */
export const waitForOurs = async (input: StepInput, versionId: string): Promise<Looked<OnAir>> => {
  const { context, signal } = input;
  let last: OnAir | undefined;
  const seen = await lookFor(context, signal, async () => {
    const read = await readOnAir(input, versionId);
    if (!('seen' in read) || read.seen === 'no') return read;
    last = read.value;
    return read.value.is === 'other' ? { seen: 'no' } : read;
  });
  return 'seen' in seen && seen.seen === 'no' && last ? { seen: 'yes', value: last } : seen;
};

/** The next attempt begins from the start and uploads it. */
export const noVersion = (attempt?: Attempt): StepOutcome =>
  notYet('The version of this ticket is not there.', { asked: 'GET versions', found: 'no such version' }, attempt);

/**
 * There is no precondition to a deployment: somebody may deploy by hand at any moment. What was there before is noted; who
 * came after is not deployed over.
 */
export const deploymentStep: Step = {
  perform: async (input) => {
    const { attempt } = input;
    const version = await versionOf(input);
    if (!('seen' in version)) return settle(version, 'GET versions', attempt);
    if (version.seen === 'no') return noVersion(attempt);
    const seen = await lookBefore(input, version.value);
    if (!('seen' in seen)) return mayHaveDeployed(attempt) ? unseen(seen, asked) : settle(seen, asked, attempt);
    if (seen.seen === 'no') return noVersion(attempt);
    return settled(seen.value) ?? post(input, version.value, seen.value.top);
  },
  probe: async (input) => {
    const version = await versionOf(input);
    if (!('seen' in version)) return unseen(version, 'GET versions');
    if (version.seen === 'no') return noVersion();
    const seen = await readOnAir(input, version.value);
    if (!('seen' in seen)) return unseen(seen, asked);
    if (seen.seen === 'no') return noVersion();
    const facts = { asked, found: describe(seen.value.top) };
    return settled(seen.value) ?? { outcome: 'retry', detail: 'it is not on the air', facts };
  },
};
