import { type SubmissionLimits, submissionLimits } from './limits.ts';
import type { Refused, SourceFile } from './port.ts';
import { readTarGz } from './readTarGz.ts';
import { readZip } from './readZip.ts';

export type ArchiveKind = 'tar.gz' | 'zip';

/** By the first bytes, never by a name or a content type that a caller chose. */
export const archiveKind = (bytes: Uint8Array): ArchiveKind | undefined => {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'tar.gz';
  if (bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5)) return 'zip';
  return undefined;
};

/** Files of a `.tar.gz` or `.zip`, sorted by path, or why not, with the offending entry named. */
export const readArchive = async (
  bytes: Uint8Array,
  limits: SubmissionLimits = submissionLimits,
): Promise<SourceFile[] | Refused> => {
  if (bytes.length > limits.archiveBytes)
    return {
      rejected: 'ArchiveTooLarge',
      reason: `The archive is ${bytes.length} bytes; ${limits.archiveBytes} are allowed.`,
      details: { entry: '', limit: limits.archiveBytes },
    };
  const kind = archiveKind(bytes);
  switch (kind) {
    case 'tar.gz':
      return readTarGz(bytes, limits);
    case 'zip':
      return readZip(bytes, limits);
    case undefined:
      return {
        rejected: 'ArchiveBroken',
        reason: 'The upload is neither a gzip-compressed tar nor a zip archive.',
        details: { entry: '' },
      };
    default:
      return kind satisfies never;
  }
};
