import { createBuilder } from '../../../src/platform/builder/builder.ts';
import { type Built, isRefused } from '../../../src/platform/builder/port.ts';
import { type BuildKey, temporaryBuildKey } from '../../../src/platform/evidence/keys.ts';
import { projectOf, shop } from '../builder/projects.ts';

export const signer: BuildKey = temporaryBuildKey();

/** A project with a package inside, built for real. */
export const buildExample = async (): Promise<Built> => {
  const builder = createBuilder({ signer, builderVersion: '9.9.9' });
  try {
    const built = await builder.build(projectOf(shop, { compatibilityFlags: ['nodejs_compat'] }));
    if (isRefused(built)) throw new Error(built.reason);
    return built;
  } finally {
    builder.close();
  }
};
