import { execFileSync } from 'node:child_process';

/** The suite runs the sources, but worker threads and the command line run the bundle: build it once, first. */
export default function setup(): void {
  execFileSync(process.execPath, ['build.mjs'], { stdio: 'inherit' });
}
