// Workflows of three steps on DBOS Transact with its defaults, so many under way at once.
// <database url> <workflows> <at once>: prints one JSON line.
import { DBOS } from '@dbos-inc/dbos-sdk';

const [systemDatabaseUrl, workflows, atOnce] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];

DBOS.setConfig({ name: 'bench', systemDatabaseUrl, logLevel: 'error', runAdminServer: false });
let steps = 0;
const step = (name) => DBOS.runStep(async () => ({ name, count: ++steps }), { name });
const saga = DBOS.registerWorkflow(
  async () => {
    await step('reserve');
    await step('charge');
    return step('ship');
  },
  { name: 'saga' },
);
await DBOS.launch();

const measure = async (count) => {
  let left = count;
  steps = 0;
  const startedAt = performance.now();
  const hand = async () => {
    while (left > 0) {
      left -= 1;
      await saga();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, hand));
  const seconds = (performance.now() - startedAt) / 1_000;
  if (steps !== 3 * count) throw new Error(`${steps} steps of ${count} workflows were done`);
  return seconds;
};

await measure(Math.ceil(workflows / 5));
const seconds = await measure(workflows);
process.stdout.write(`${JSON.stringify({ done: workflows, seconds })}\n`);
await DBOS.shutdown();
process.exit(0);
