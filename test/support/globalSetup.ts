import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The suite runs the sources, but worker threads and the command line run the bundle: build it once, first. Everything
 * temporary is in one folder that goes at the end, also what tests leave that kill what would have tidied up.
 */
export default function setup(): () => void {
  const built = spawnSync(process.execPath, ['build.mjs'], { stdio: 'inherit' });
  if (built.status !== 0)
    process.stderr.write('The bundle could not be built: what runs from dist/ is not up to date.\n');
  const before = process.env['TMPDIR'];
  const folder = mkdtempSync(join(tmpdir(), 'ops-'));
  process.env['TMPDIR'] = folder;
  return () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    rmSync(folder, { recursive: true, force: true });
  };
}
