import type { Step } from '../context.ts';
import { done, settle, unseen } from '../outcome.ts';

const asked = 'GET subdomain';

/** An address below workers.dev, where the installation has one. Addresses of versions without traffic stay off. */
export const subdomainStep: Step = {
  perform: async ({ context, spec, attempt, signal }) => {
    if (context.workersSubdomain === '') return done('workers.dev is left as it is');
    const found = await context.api.readSubdomain(signal, spec.scriptName);
    if (found.verdict !== 'done') return settle(found, asked, attempt);
    if (found.result.enabled) return done('workers.dev is on');
    const changed = await context.api.changeSubdomain(signal, spec.scriptName, true);
    if (changed.verdict !== 'done') return settle(changed, 'POST subdomain', attempt);
    return done('workers.dev was switched on', { asked: 'POST subdomain', answered: 'on' });
  },
  probe: async ({ context, spec, signal }) => {
    if (context.workersSubdomain === '') return done('workers.dev is left as it is');
    const found = await context.api.readSubdomain(signal, spec.scriptName);
    if (found.verdict !== 'done') return unseen(found, asked);
    if (found.result.enabled) return done('workers.dev is on', { asked, found: 'on' });
    return { outcome: 'retry', detail: 'workers.dev is off', facts: { asked, found: 'off' } };
  },
};
