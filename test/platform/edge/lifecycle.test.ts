import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLauncher } from '../../../src/platform/edge/workerd/launch.ts';
import {
  answering,
  call,
  deploy,
  isAlive,
  never,
  newFolder,
  newScriptName,
  newTicket,
  openNode,
  revisionOf,
  runningPids,
  until,
} from './support.ts';

describe('converge', () => {
  it('puts back after a restart exactly what should run, paused where it should be', async () => {
    const dataDir = await newFolder();
    const first = await openNode({ dataDir });
    const scripts = Array.from({ length: 6 }, newScriptName);
    const specs = await Promise.all(
      scripts.map((script, at) => revisionOf(first, script, 1, answering(`worker ${at}`))),
    );
    for (const spec of specs) await deploy(first.provider, spec);
    await first.provider.close();

    const { provider } = await openNode({ dataDir });
    const desired = specs.slice(1).map((spec, at) => ({ spec, paused: at === 0 }));
    const report = await provider.converge(desired);
    expect([...report.started].sort()).toEqual(scripts.slice(1).sort());
    expect(report).toMatchObject({ stopped: [], kept: [], failed: [] });
    const [gone = '', paused = '', ...up] = specs.map(({ scriptName }) => scriptName);
    expect(await call(provider, gone)).toMatchObject({ status: 404 });
    expect(await call(provider, paused)).toMatchObject({ status: 503 });
    for (const script of up) expect((await call(provider, script)).body).toMatch(/^worker \d$/);
  });

  it('stops what should not run, keeps what runs right, replaces what runs wrong, and says what failed', async () => {
    const node = await openNode();
    const { provider } = node;
    const [kept, wrong, unwanted, broken] = [newScriptName(), newScriptName(), newScriptName(), newScriptName()];
    const keptSpec = await revisionOf(node, kept, 1, answering('kept'));
    await deploy(provider, keptSpec);
    const [pid = 0] = runningPids(node);
    await deploy(provider, await revisionOf(node, wrong, 1, answering('wrong')));
    await deploy(provider, await revisionOf(node, unwanted, 1, answering('unwanted')));
    const report = await provider.converge([
      { spec: keptSpec, paused: false },
      { spec: await revisionOf(node, wrong, 2, answering('right')), paused: false },
      { spec: await revisionOf(node, broken, 1, 'export default {};'), paused: false },
    ]);
    expect(report).toMatchObject({
      started: [wrong],
      stopped: [unwanted],
      kept: [kept],
      failed: [{ scriptName: broken, detail: expect.stringContaining('WorkerHandlerMissing') }],
    });
    expect(isAlive(pid)).toBe(true);
    expect((await call(provider, kept)).body).toBe('kept');
    expect((await call(provider, wrong)).body).toBe('right');
    expect(await call(provider, unwanted)).toMatchObject({ status: 404 });
    await until('the replaced processes are gone', () => runningPids(node).length === 2);
  });

  it('leaves the prepared process of a living deployment to its ticket', async () => {
    const node = await openNode();
    const { provider } = node;
    const script = newScriptName();
    const first = await revisionOf(node, script, 1, answering('one'));
    const second = await revisionOf(node, script, 2, answering('two'));
    await deploy(provider, first);
    await provider.perform('start', second, newTicket(), never);
    expect(await provider.converge([{ spec: first, paused: false }])).toMatchObject({ kept: [script] });
    expect(await provider.probe('start', second, newTicket(), never)).toMatchObject({ outcome: 'done' });
  });

  it('keeps only the bundles of what runs', async () => {
    const node = await openNode();
    const { provider } = node;
    const script = newScriptName();
    await deploy(provider, await revisionOf(node, script, 1, answering('one')));
    const second = await revisionOf(node, script, 2, answering('two'));
    await deploy(provider, second);
    expect(readdirSync(join(node.dataDir, 'node', 'bundles'))).toEqual([`${second.bundleDigest}.mjs`]);
  });
});

/** A program of its own that opens a node on the folder and deploys one worker, so that it can be killed. */
const startProgram = async (dataDir: string, watcher: boolean): Promise<ChildProcess> => {
  const outfile = join(dataDir, 'program.mjs');
  const entryPoints = [join(import.meta.dirname, 'nodeProgram.ts')];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', target: 'node20.19', format: 'esm' });
  const env = { ...process.env, NODE_PATH: join(import.meta.dirname, '../../../node_modules') };
  const child = fork(outfile, [dataDir, String(watcher)], { env, execArgv: [] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const early = once(child, 'exit').then(() => Promise.reject(new Error('The program ended before its worker ran')));
  await Promise.race([once(child, 'message'), early]);
  early.catch(() => {});
  return child;
};

describe('the end of the program', () => {
  it('closes within five seconds, with a request that never ends and a worker that is stuck', async () => {
    const node = await openNode();
    const script = newScriptName();
    const source = 'export default { fetch() { while (true) {} } };';
    await deploy(node.provider, await revisionOf(node, script, 1, source));
    const pids = runningPids(node);
    const stuck = call(node.provider, script).catch(() => 'cut');
    const begun = performance.now();
    await node.provider.close();
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(await stuck).toBe('cut');
    expect(pids.map(isAlive)).toEqual([false]);
    expect(readdirSync(join(node.dataDir, 'node', 'run'))).toEqual([]);
  });

  it.each([
    ['the kernel', false],
    ['a watcher on a pipe', true],
  ])('takes every worker with it, even by kill -9: %s sees to it', async (_by, watcher) => {
    const dataDir = await newFolder();
    const child = await startProgram(dataDir, watcher);
    const [workerPid = 0] = runningPids({ dataDir });
    expect(isAlive(workerPid)).toBe(true);
    child.kill('SIGKILL');
    await until('the worker is gone too', () => !isAlive(workerPid));
    const { provider } = await openNode({ dataDir });
    expect(provider.running()).toEqual([]);
  });

  it('leaves workers that outlived it to be found and killed at the next start, and no other process', async () => {
    const dataDir = await newFolder();
    const first = await openNode({ dataDir });
    await deploy(first.provider, await revisionOf(first, newScriptName(), 1, answering('x')));
    await first.provider.close();
    const plant = (name: string, argument: string): number => {
      const run = join(dataDir, 'node', 'run', name);
      mkdirSync(run);
      const child = spawn('sh', ['-c', 'sleep 60; true', argument], { stdio: 'ignore' });
      onTestFinished(() => void child.kill('SIGKILL'));
      writeFileSync(join(run, 'pid'), `${child.pid}\n`);
      return child.pid ?? 0;
    };
    const ours = plant('aaaaaaaa', join(dataDir, 'node', 'run', 'aaaaaaaa', 'config.capnp'));
    const stranger = plant('bbbbbbbb', 'something else');
    await openNode({ dataDir });
    expect(isAlive(ours)).toBe(false);
    expect(isAlive(stranger)).toBe(true);
    expect(readdirSync(join(dataDir, 'node', 'run'))).toEqual([]);
  });

  it('is no end for a second program: a folder in use cannot be opened twice', async () => {
    const dataDir = await newFolder();
    const { provider } = await openNode({ dataDir });
    await expect(openNode({ dataDir })).rejects.toThrow(/in use/);
    await provider.close();
    await expect(openNode({ dataDir })).resolves.toBeDefined();
  });

  it('starts workers in folders whose path is too long for a socket', async () => {
    const dataDir = join(await newFolder(), 'long'.repeat(30));
    const node = await openNode({ dataDir });
    const script = newScriptName();
    expect(await deploy(node.provider, await revisionOf(node, script, 1, answering('x')))).toMatchObject({
      outcome: 'done',
    });
    expect((await call(node.provider, script)).body).toBe('x');
  });

  it('lets a watcher end in peace when only the worker ends', async () => {
    const node = await openNode({ launcher: await createLauncher({ watcher: true }) });
    const script = newScriptName();
    await deploy(node.provider, await revisionOf(node, script, 1, answering('one')));
    const [pid = 0] = runningPids(node);
    await deploy(node.provider, await revisionOf(node, script, 2, answering('two')));
    await until('the worker before is gone', () => !isAlive(pid));
    expect((await call(node.provider, script)).body).toBe('two');
  });
});
