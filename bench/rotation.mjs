// Measures a rotation of the master key: node bench/rotation.mjs [data keys, 100000] [folder, a temporary one]. Its bare limit, in the
// same run: as many small files written, synced and renamed, 16 at a time.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const [count = 100_000, parent = tmpdir()] = [process.argv[2] && Number(process.argv[2]), process.argv[3]];
const project = fileURLToPath(new URL('..', import.meta.url));
const out = join(project, 'node_modules/.cache', `opslog-rotation-${process.pid}`);
const folder = mkdtempSync(join(parent, 'opslog-rotation-'));
mkdirSync(out, { recursive: true });
process.once('exit', () => {
  for (const each of [folder, out]) rmSync(each, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

const atOnce = async (total, work) => {
  let next = 0;
  const worker = async () => {
    while (next < total) await work(next++);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
};

const seconds = async (work) => {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  const value = await work();
  const { user, system } = process.cpuUsage(before);
  const rounded = (number) => Number(number.toFixed(2));
  return { value, seconds: rounded((performance.now() - startedAt) / 1_000), cpu: rounded((user + system) / 1e6) };
};

const bundle = async (entry) => {
  const outfile = join(out, `${entry}.mjs`);
  await build({
    entryPoints: [join(project, 'src/platform/vault', `${entry}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'warning',
  });
  return import(pathToFileURL(outfile).href);
};

/** The preparation need not survive a power cut. */
const unsynced = (files) => ({
  ...files,
  sync: async () => {},
  write: async (path, bytes) => {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(bytes).finally(() => file.close());
    return true;
  },
});

const { openVault } = await bundle('vault');
const { keyFiles } = await bundle('files');
const random = { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) };
const keysDir = join(folder, 'keys');
const prepared = await openVault({ keysDir, random, files: unsynced(keyFiles) });
let sample;
await atOnce(count - 1, async () => {
  sample = await prepared.vault.seal('a secret', ['workspace']);
});

const bareDir = join(folder, 'bare');
await mkdir(bareDir);
const bareCount = Math.min(count, 10_000);
const bare = await seconds(() =>
  atOnce(bareCount, async (index) => {
    const file = await open(join(bareDir, `${index}.aside`), 'wx', 0o600);
    await file.writeFile('x'.repeat(150));
    await file.sync();
    await file.close();
    await rename(join(bareDir, `${index}.aside`), join(bareDir, `${index}`));
  }),
);

const { vault, keyring } = await openVault({ keysDir, random });
// A reader that never stops: whether it is ever refused is the point, how long it waits is shown.
const waits = [];
let isRotating = true;
const reading = (async () => {
  while (isRotating) {
    const read = await seconds(() => vault.open(sample, ['workspace']));
    if (!read.value.ok) throw new Error(`A read failed during the rotation: ${read.value.code}`);
    waits.push(read.seconds * 1_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
})();
const rotation = await seconds(() => keyring.rotate());
isRotating = false;
await reading;
const retirement = await seconds(() => keyring.retire(1));
if (!retirement.value.ok) throw new Error('The old version is still needed.');
waits.sort((a, b) => a - b);
const rate = rotation.value.rewrapped / rotation.seconds;
const bareRate = bareCount / bare.seconds;
process.stdout.write(
  `${JSON.stringify({
    rewrapped: rotation.value.rewrapped,
    unreadable: rotation.value.unreadable.length,
    rotationSeconds: rotation.seconds,
    rotationCpuSeconds: rotation.cpu,
    bareCpuMicrosecondsEach: Math.round((bare.cpu / bareCount) * 1e6),
    retirementSeconds: retirement.seconds,
    perSecond: Math.round(rate),
    barePerSecond: Math.round(bareRate),
    ratioToBare: Number((rate / bareRate).toFixed(2)),
    readsMeanwhile: waits.length,
    readMedianMs: waits[Math.floor(waits.length / 2)],
    readWorstMs: waits.at(-1),
    peakMiB: Math.round(process.resourceUsage().maxRSS / 1_024),
  })}\n`,
);
