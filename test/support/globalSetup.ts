import { spawnSync } from 'node:child_process';

/** The suite runs the sources, but worker threads and the command line run the bundle: build it once, first. */
export default function setup(): void {
  const built = spawnSync(process.execPath, ['build.mjs'], { stdio: 'inherit' });
  if (built.status !== 0)
    process.stderr.write('The bundle could not be built: what runs from dist/ is not up to date.\n');
}
