import type { StepOutcome } from '../port.ts';
import type { CloudflareContext } from './context.ts';
import { drop } from './domains.ts';
import { isOurName } from './names.ts';
import { done, refused, settle } from './outcome.ts';

/**
 * Its domains first, each with its record; then the script, without force: that would also take what is bound to it. What
 * others refer to stays, and the answer names them.
 */
export const remove = async (
  context: CloudflareContext,
  scriptName: string,
  signal: AbortSignal,
): Promise<StepOutcome> => {
  if (!isOurName(scriptName)) {
    return refused('script_name_invalid', `${scriptName} is not the name of a script of this platform.`);
  }
  const domains = await context.api.listDomains(signal, { service: scriptName });
  if (domains.verdict !== 'done') return settle(domains, 'GET domains');
  const detached: string[] = [];
  const certificates: string[] = [];
  for (const domain of domains.result.filter(({ service }) => service === scriptName)) {
    const outcome = await drop(context, domain, signal);
    if (outcome.outcome !== 'done') return outcome;
    detached.push(domain.hostname);
    if (domain.cert_id) certificates.push(domain.cert_id);
  }
  const deleted = await context.api.deleteScript(signal, scriptName);
  if (deleted.verdict !== 'done' && deleted.verdict !== 'absent') return settle(deleted, 'DELETE script');
  const isGone = deleted.verdict === 'absent';
  return done(isGone ? 'there is no such script' : 'the script was deleted', {
    ...{ asked: 'DELETE script', answered: isGone ? 'not there' : 'deleted' },
    ...(detached.length > 0 && { domains: detached.join(', '), certificates: certificates.join(', ') }),
  });
};
