import type { StepOutcome } from '../../port.ts';
import type { Step, StepInput } from '../context.ts';
import { isOwnTag, scriptTags } from '../names.ts';
import { done, settle, unseen } from '../outcome.ts';
import type { ScriptSettings } from '../schemas.ts';

const asked = 'GET script-settings';

/** What is missing, or undefined. Tags of others stay; who switched observability off by hand is left with that. */
const changeFor = ({ spec }: StepInput, { tags, observability }: ScriptSettings): object | undefined => {
  const found = tags ?? [];
  const wanted = [...scriptTags(spec), ...found.filter((tag) => !isOwnTag(tag))];
  const sameTags = wanted.length === found.length && wanted.every((tag) => found.includes(tag));
  const decided = observability?.enabled !== undefined && observability.enabled !== null;
  if (sameTags && decided) return undefined;
  return { ...(!sameTags && { tags: wanted }), ...(!decided && { observability: { enabled: true } }) };
};

const change = async ({ context, spec, attempt, signal }: StepInput, json: object): Promise<StepOutcome> => {
  const changed = await context.api.changeSettings(signal, spec.scriptName, json);
  if (changed.verdict !== 'done') return settle(changed, 'PATCH script-settings', attempt);
  const names = Object.keys(json).join(', ');
  return done(`set: ${names}`, { asked: 'PATCH script-settings', answered: `set ${names}` });
};

export const settingsStep: Step = {
  perform: async (input) => {
    const { context, spec, attempt, signal } = input;
    const read = await context.api.readSettings(signal, spec.scriptName);
    if (read.verdict !== 'done') return settle(read, asked, attempt);
    const wanted = changeFor(input, read.result);
    return wanted ? change(input, wanted) : done('as they should be');
  },
  probe: async (input) => {
    const read = await input.context.api.readSettings(input.signal, input.spec.scriptName);
    if (read.verdict !== 'done') return unseen(read, asked);
    if (!changeFor(input, read.result)) return done('as they should be', { asked, found: 'our tags' });
    return { outcome: 'retry', detail: 'the settings are not ours yet', facts: { asked, found: 'other settings' } };
  },
};
