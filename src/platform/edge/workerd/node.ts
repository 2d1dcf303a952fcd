import type { ArtifactStore } from '../../artifacts/port.ts';
import type { WorkerSpec } from '../port.ts';
import type { SecretReader } from '../secretReader.ts';
import { findWorkerdBinary } from './binary.ts';
import { type Bundles, openBundles } from './bundles.ts';
import { type Department, newDepartment, slotsOf } from './department.ts';
import { type Fences, openFences } from './fence.ts';
import { type NodeFolder, openNodeFolder } from './folder.ts';
import { createLauncher, type Launcher } from './launch.ts';
import type { NodeContext } from './settings.ts';
import { type SlotStart, startSlot } from './slot.ts';

/** This machine as a place for workers: its folder, what it holds, and what runs on it. */
export type EdgeNode = {
  readonly context: NodeContext;
  readonly folder: NodeFolder;
  readonly bundles: Bundles;
  readonly fences: Fences;
  readonly departments: ReadonlyMap<string, Department>;
  readonly departmentOf: (scriptName: string) => Department;
  readonly start: (spec: WorkerSpec, signal: AbortSignal) => Promise<SlotStart>;
  /** Removes the bundles of what no longer runs. */
  readonly sweepBundles: () => Promise<void>;
  /** Aborts when the node closes: nothing is started after that. */
  readonly closing: AbortController;
};

export type NodeInput = {
  readonly dataDir: string;
  readonly artifacts: ArtifactStore;
  readonly context: NodeContext;
  readonly launcher?: Launcher | undefined;
  readonly secretValues: SecretReader;
};

/** Opens the node's folder and clears what an earlier run left. Throws when the folder is in use or there is no runtime. */
export const openNode = async ({
  dataDir,
  artifacts,
  context,
  launcher,
  secretValues,
}: NodeInput): Promise<EdgeNode> => {
  const binary = findWorkerdBinary();
  const launch = launcher ?? (await createLauncher());
  const folder = await openNodeFolder(dataDir);
  if (folder.killedLeftovers > 0) {
    context.log.warn({ count: folder.killedLeftovers }, 'edge: killed worker processes of an earlier run');
  }
  const bundles = openBundles(folder.bundles, artifacts);
  const departments = new Map<string, Department>();
  const closing = new AbortController();

  const ensureBundle = async (digest: string): Promise<void> => {
    const fetched = await bundles.ensure(digest);
    if (!fetched.ok) throw new Error(fetched.detail);
  };
  return {
    context,
    folder,
    bundles,
    fences: openFences(folder.fences),
    departments,
    departmentOf: (scriptName) => {
      const existing = departments.get(scriptName);
      if (existing !== undefined) return existing;
      const department = newDepartment(scriptName);
      departments.set(scriptName, department);
      return department;
    },
    start: (spec, signal) =>
      startSlot(
        { context, folder, launch, binary, spec, secretValues, ensureBundle: () => ensureBundle(spec.bundleDigest) },
        AbortSignal.any([signal, closing.signal]),
      ),
    sweepBundles: () =>
      bundles.sweep(() => new Set([...departments.values()].flatMap(slotsOf).map(({ spec }) => spec.bundleDigest))),
    closing,
  };
};
