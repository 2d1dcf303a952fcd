import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** Beside the bundled program. */
const program = fileURLToPath(new URL('./cloudflareStandIn.js', import.meta.url));

const announced = z.object({
  baseUrl: z.string(),
  token: z.string(),
  accountId: z.string(),
  frontDoorUrl: z.string(),
});

export type StandIn = z.output<typeof announced> & { close(): Promise<void> };

/**
 * A server that keeps state and refuses like Cloudflare's API, without running any worker: what the tests of this program
 * use. Throws when it does not start.
 */
export const startStandIn = async (zone: string): Promise<StandIn> => {
  if (!existsSync(program)) throw new Error('The stand-in for Cloudflare is not built: run `npm run build`.');
  const child = spawn(process.execPath, [program, '--zone', zone], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, 'line'), ended.then(() => [''])]);
  const told = announced.safeParse(parse(line));
  if (!told.success) {
    child.kill();
    throw new Error('The stand-in for Cloudflare did not start.');
  }
  return {
    ...told.data,
    close: async () => {
      child.kill();
      await ended;
    },
  };
};

const parse = (line: unknown): unknown => {
  try {
    return JSON.parse(String(line));
  } catch {
    return undefined;
  }
};
