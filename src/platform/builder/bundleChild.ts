import { bundle } from './bundle.ts';
import { type BundleAnswer, bundleJob } from './bundleProtocol.ts';

/** The bundling process: one job at a time over the channel, and gone, with esbuild, as soon as its parent is. */
const answer = (message: BundleAnswer): void => {
  process.send?.(message);
};

process.on('message', (message) => {
  bundle(bundleJob.parse(message)).then(
    (result) => answer({ answer: result }),
    (error: unknown) => answer({ crashed: error instanceof Error ? error.message : String(error) }),
  );
});

process.on('disconnect', () => {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } finally {
    process.exit();
  }
});
