import { transform } from 'esbuild';
import { bundle } from './bundle.ts';
import { type BundleAnswer, bundleJob } from './bundleProtocol.ts';

const explain = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The bundling process: one job at a time over the channel, and gone, with esbuild, as soon as its parent is. */
const answer = (message: BundleAnswer): void => {
  process.send?.(message);
};

// esbuild works here, or it doesn't: known before a submission could be blamed for it.
const ready = transform('').then(() => undefined, explain);

const serve = async (message: unknown): Promise<void> => {
  const broken = await ready;
  if (broken !== undefined) return answer({ crashed: broken });
  try {
    answer({ answer: await bundle(bundleJob.parse(message)) });
  } catch {
    // The submission has ended esbuild; this process is of no more use.
    process.exit(1);
  }
};

process.on('message', serve);

process.on('disconnect', () => {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } finally {
    process.exit();
  }
});
