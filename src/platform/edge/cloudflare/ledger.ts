import type { Attempt, Facts } from '../port.ts';

/** The name under which the ledger of a ticket keeps the id of its version. */
export const versionFact = 'cloudflareVersionId';
/** The same of its deployment: it is there once this ticket is known to have put something on the air. */
export const deploymentFact = 'cloudflareDeploymentId';

export const hasDeployed = ({ ledger }: { readonly ledger?: Facts | undefined }): boolean =>
  ledger?.[deploymentFact] !== undefined;

/** An earlier attempt came as far as deploying, and nobody has said what became of that. */
export const mayHaveDeployed = ({ attempt, ledger }: Attempt): boolean =>
  hasDeployed({ ledger }) || (attempt > 1 && ledger?.[versionFact] !== undefined);
