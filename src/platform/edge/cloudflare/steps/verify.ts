import type { StepOutcome } from '../../port.ts';
import type { Step, StepInput } from '../context.ts';
import { describe } from '../onAir.ts';
import { notYet, settle, unseen } from '../outcome.ts';
import type { Failure } from '../verdict.ts';
import { noVersion, settled, versionOf, waitForOurs } from './deployment.ts';

const check = async (
  input: StepInput,
  cannotLook: (failure: Failure, asked: string) => StepOutcome,
): Promise<StepOutcome> => {
  const { attempt } = input;
  const version = await versionOf(input);
  if (!('seen' in version)) return cannotLook(version, 'GET versions');
  if (version.seen === 'no') return noVersion(attempt);
  const seen = await waitForOurs(input, version.value);
  if (!('seen' in seen)) return cannotLook(seen, 'GET deployments');
  if (seen.seen === 'no') return noVersion(attempt);
  const found = describe(seen.value.top);
  // The next attempt begins from the start and puts it there again.
  return (
    settled(seen.value) ?? notYet(`Not what was deployed: ${found}.`, { asked: 'GET deployments', found }, attempt)
  );
};

/** Does Cloudflare itself say that the version of this ticket takes all requests? */
export const verifyStep: Step = {
  perform: (input) => check(input, (failure, asked) => settle(failure, asked, input.attempt)),
  probe: (input) => check(input, unseen),
};
