import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

const packages = createRequire(import.meta.url);

const runtimes: Readonly<Record<string, string>> = {
  'linux x64': '@cloudflare/workerd-linux-64',
  'linux arm64': '@cloudflare/workerd-linux-arm64',
  'darwin x64': '@cloudflare/workerd-darwin-64',
  'darwin arm64': '@cloudflare/workerd-darwin-arm64',
};

/**
 * Path of the runtime. The platform package is asked directly, because the script that links it into `workerd` does not
 * run where install scripts are blocked. Throws when this platform has no runtime or it was not installed.
 */
export const findWorkerdBinary = (): string => {
  const name = runtimes[`${process.platform} ${process.arch}`];
  if (name === undefined) throw new Error(`workerd does not run on ${process.platform} ${process.arch}`);
  const path = packages.resolve(`${name}/bin/workerd`);
  if (!existsSync(path)) throw new Error(`The package ${name} has no binary; install it again`);
  return path;
};
