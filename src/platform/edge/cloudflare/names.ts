import { createHash } from 'node:crypto';
import type { WorkerSpec } from '../port.ts';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

export const scopeOf = (accountId: string): string => `cloud:${hash(accountId).slice(0, 12)}`;

/** Scripts of this platform; nothing else in the account is ever touched. */
export const isOurName = (scriptName: string): boolean => /^dw-[0-9a-f]{48}$/.test(scriptName);

/** The tag of every script that this platform has made. */
export const ownTag = 'opslog';
const ownPrefix = `${ownTag}-`;

/** Whose script it is, in digests: who reads the account learns no name. */
export const scriptTags = ({ workspaceId, departmentId }: WorkerSpec): readonly string[] => [
  ownTag,
  `${ownPrefix}ws-${hash(workspaceId).slice(0, 16)}`,
  `${ownPrefix}dept-${hash(departmentId).slice(0, 16)}`,
];

export const isOwnTag = (tag: string): boolean => tag === ownTag || tag.startsWith(ownPrefix);

/** `workers/tag` of the version that answers 503: what a new script begins with, and what a paused one shows. */
export const pausedTag = 'opslog-paused';

/** What is on the air, as the annotations of versions and deployments name it: a ticket is not enough to find a revision. */
export type Named = { readonly revision: number; readonly versionId: string; readonly bundleDigest: string };

export const messageOf = ({ revision, versionId, bundleDigest }: Named): string =>
  `opslog revision=${revision} version=${versionId} bundle=${bundleDigest}`;

export const readMessage = (message: string): Named | undefined => {
  const match = /opslog revision=(\d{1,10}) version=(\S{1,100}) bundle=([0-9a-f]{64})$/.exec(message);
  const [, revision, versionId, bundleDigest] = match ?? [];
  if (revision === undefined || versionId === undefined || bundleDigest === undefined) return undefined;
  return { revision: Number(revision), versionId, bundleDigest };
};

/** The message of a deployment that takes a worker off the air says what is to come back. */
export const pausedMessage = (named: Named): string => `${pausedTag} ${messageOf(named)}`;
export const isPausedMessage = (message: string): boolean => message.startsWith(`${pausedTag} `);
