import type { Attempt } from '../port.ts';
import { deploymentFact } from './ledger.ts';
import { isPausedMessage } from './names.ts';

import type { Deployment } from './schemas.ts';

/**
 * Who is on the air, seen from one ticket: its own version; a pause that came after it; somebody who deployed after it
 * (`overtaken`); or something from before it (`other`).
 */
export type OnAir =
  | { readonly is: 'ours' | 'pausedSince' | 'overtaken'; readonly top: Deployment; readonly own: Deployment }
  | { readonly is: 'other'; readonly top: Deployment | undefined };

export const judge = (deployments: readonly Deployment[], versionId: string, attempt: Attempt): OnAir => {
  const [top, ...below] = deployments;
  if (!top) return { is: 'other', top };
  if (showsOnly(top, versionId)) return { is: 'ours', top, own: top };
  const { ticketId, ledger } = attempt;
  const own = below.find(({ id, annotations }) => annotations.message === ticketId || id === ledger?.[deploymentFact]);
  if (!own) return { is: 'other', top };
  return { is: isPausedMessage(top.annotations.message) ? 'pausedSince' : 'overtaken', top, own };
};

export const showsOnly = ({ versions }: Deployment, versionId: string): boolean =>
  versions.length === 1 && versions[0]?.version_id === versionId;

/** The version with the larger part of the traffic. */
export const mainVersion = ({ versions }: Deployment): string =>
  versions.reduce((most, each) => (each.percentage > most.percentage ? each : most), { version_id: '', percentage: -1 })
    .version_id;

export const describe = (top: Deployment | undefined): string => {
  if (!top) return 'nothing on the air';
  const from = top.source ? ` from ${top.source}` : '';
  return `version ${mainVersion(top)}, deployed by ${top.author_email || 'somebody unknown'}${from}`;
};
