import type { StepOutcome, WorkerSpec } from '../port.ts';
import type { StepInput } from './context.ts';
import { deploymentFact } from './ledger.ts';
import { lookFor } from './look.ts';
import { pausedMessage, pausedTag, readMessage } from './names.ts';
import { describe, showsOnly } from './onAir.ts';
import { done, refused, settle } from './outcome.ts';
import type { Version } from './schemas.ts';
import { stubForm } from './upload.ts';

/** Takes a worker off the air (503), or puts its live revision back. Looks first; doing it again is doing nothing. */
export const present = async (input: StepInput, paused: boolean): Promise<StepOutcome> => {
  const { context, spec, signal } = input;
  const listed = await context.api.listDeployments(signal, spec.scriptName, 'step');
  if (listed.verdict === 'absent' && paused) return done('there is no script that could answer');
  if (listed.verdict === 'absent') return gone(spec);
  if (listed.verdict !== 'done') return settle(listed, 'GET deployments');
  const versions = await context.api.listVersions(signal, spec.scriptName);
  if (versions.verdict !== 'done') return settle(versions, 'GET versions');
  const [top] = listed.result.deployments;
  const { items } = versions.result;
  const found = describe(top);
  const fits = (version: Version): boolean => (paused ? isStub(version) : isLive(version, spec));
  if (top && items.some((version) => fits(version) && showsOnly(top, version.id))) {
    return done(paused ? 'off the air' : 'on the air', { asked: 'GET deployments', found });
  }
  const target = items.find(fits)?.id ?? (paused ? await uploadStub(input) : undefined);
  if (target === undefined) return gone(spec);
  if (typeof target !== 'string') return target;
  return putOnAir(input, target, paused, found);
};

const isStub = ({ annotations }: Version): boolean => annotations.tag === pausedTag;

const isLive = ({ annotations }: Version, spec: WorkerSpec): boolean =>
  readMessage(annotations.message)?.versionId === spec.versionId;

const gone = ({ revision }: WorkerSpec): StepOutcome =>
  refused('live_version_missing', `Cloudflare has no version of revision ${revision} any more. Deploy it again.`);

/** Its id, or the outcome that ends it here: a stub that nobody deploys does no harm. */
const uploadStub = async ({ context, spec, signal }: StepInput): Promise<string | StepOutcome> => {
  const made = await context.api.createVersion(signal, spec.scriptName, stubForm(), []);
  return made.verdict === 'done' ? made.result.id : settle(made, 'POST versions');
};

/** By force: the stub has no secrets, which to Cloudflare looks as if they had changed. Those of a version are its own. */
const putOnAir = async (input: StepInput, versionId: string, paused: boolean, found: string): Promise<StepOutcome> => {
  const { context, spec, attempt, signal } = input;
  const message = paused ? pausedMessage(spec) : attempt.ticketId;
  const made = await lookFor(context, signal, async () => {
    const answer = await context.api.createDeployment(signal, spec.scriptName, versionId, message, true);
    if (answer.verdict === 'lagging' || answer.verdict === 'absent') return { seen: 'no' };
    return answer.verdict === 'done' ? { seen: 'yes', value: answer.result.id } : answer;
  });
  if (!('seen' in made)) return settle(made, 'POST deployments');
  if (made.seen === 'no') return { outcome: 'retry', detail: `Version ${versionId} cannot be deployed yet.` };
  const facts = { asked: 'POST deployments', found, [deploymentFact]: made.value };
  return done(paused ? 'taken off the air' : 'put back on the air', facts);
};
