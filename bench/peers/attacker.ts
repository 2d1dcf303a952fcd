import { attackPlan, requestsOf } from '../lib/attacks.ts';
import { flood } from '../lib/load.ts';

/** A tenant that asks on and on, from `begin` to `end`; answers what it was told, by status. Argument: an attack plan. */
const plan = attackPlan.parse(JSON.parse(process.argv[2] ?? ''));
const request = requestsOf(plan);
let sent = Date.now();
const target = {
  port: plan.port,
  next: () => {
    sent += 1;
    return request(sent);
  },
};
let attack: ReturnType<typeof flood> | undefined;
process.on('message', async (message) => {
  if (message === 'begin') attack = flood(target, plan.connections);
  if (message !== 'end' || !attack) return;
  const told = await attack.stop();
  const answers = [...told].map(([status, count]) => `${count} × ${status === 0 ? 'cut off' : status}`);
  process.send?.(answers.join(', '));
});
console.log('ready');
