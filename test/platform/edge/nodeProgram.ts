import { join } from 'node:path';
import { openFolderStore } from '../../../src/platform/artifacts/folderStore.ts';
import { systemClock } from '../../../src/platform/clock/system.ts';
import { createWorkerdProvider } from '../../../src/platform/edge/workerd/index.ts';
import { createLauncher } from '../../../src/platform/edge/workerd/launch.ts';
import { silentLog } from '../../../src/platform/log/port.ts';

const [, , dataDir = '', watcher = 'false'] = process.argv;
const artifacts = await openFolderStore(join(dataDir, 'artifacts'));
const provider = await createWorkerdProvider({
  dataDir: join(dataDir, 'node'),
  artifacts,
  log: silentLog,
  clock: systemClock,
  launcher: await createLauncher({ watcher: watcher === 'true' }),
});
const { digest } = await artifacts.put(Buffer.from('export default { fetch() { return new Response("up"); } };'));
const spec = {
  workspaceId: 'workspace',
  departmentId: 'department',
  workerId: 'worker',
  scriptName: 'dw-program',
  versionId: 'version',
  revision: 1,
  bundleDigest: digest,
  compatibilityDate: '2026-01-01',
  compatibilityFlags: [],
  variables: {},
  secrets: [],
  schedules: [],
};
for (const step of provider.steps) {
  await provider.perform(step, spec, { ticketId: 'ticket', attempt: 1 }, new AbortController().signal);
}
process.send?.('running');
