/** How ids are made from other ids, so that a retry, a race or a replay arrives at the same one. `sha256` answers hex. */
export type Sha256 = (text: string) => string;

/** A UUID in shape (version 8: custom), from the digest of the parts. */
export const derivedId = (sha256: Sha256, ...parts: readonly string[]): string => {
  const hex = sha256(parts.join('\0'));
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** A department owns at most one worker: its id follows from the department's, so first submissions race for one stream. */
export const edgeWorkerId = (sha256: Sha256, departmentId: string): string =>
  derivedId(sha256, 'edge-worker', departmentId);

/** A secret is one name of one department, so that two who store it meet in one stream. */
export const edgeSecretId = (sha256: Sha256, departmentId: string, name: string): string =>
  derivedId(sha256, 'edge-secret', departmentId, name);

/** Uses of one hour for one purpose by one subject meet in one stream, however often and on whatever node. */
export const credentialUseId = (
  sha256: Sha256,
  use: {
    readonly credentialId: string;
    readonly purpose: string;
    readonly subjectId: string;
    readonly windowStart: number;
  },
): string => derivedId(sha256, 'credential-use', use.credentialId, use.purpose, use.subjectId, String(use.windowStart));

/** One stream per host name of the installation, in ASCII and lower case, so that all who want it meet in it. */
export const edgeDomainId = (sha256: Sha256, hostname: string): string => derivedId(sha256, 'edge-domain', hostname);

/** One stream per edge, so that all who relate the same two resources in the same way meet in it. */
export const resourceRelationId = (sha256: Sha256, sourceId: string, type: string, targetId: string): string =>
  derivedId(sha256, 'resource-relation', sourceId, type, targetId);

/** 51 characters, opaque, stable over renames. */
export const scriptNameOf = (sha256: Sha256, companyId: string, departmentId: string): string =>
  `dw-${sha256(`edge-worker-v2\0${companyId}\0${departmentId}`).slice(0, 48)}`;

/** The stream that whoever wants this name must win. The name itself, perhaps an e-mail address, is only a digest in it. */
export const reservationId = (sha256: Sha256, kind: string, name: string): string =>
  `${kind}:${sha256(name).slice(0, 40)}`;
