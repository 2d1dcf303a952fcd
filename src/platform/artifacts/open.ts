import { openFolderStore } from './folderStore.ts';
import type { ArtifactStore } from './port.ts';
import type { S3Address } from './s3Address.ts';
import type { S3Credentials } from './s3Objects.ts';

/** Where artifacts are kept other than in a folder. */
export type S3Place = { readonly address: S3Address; readonly credentials: S3Credentials };

export type OpenArtifacts = {
  readonly store: ArtifactStore;
  /** Throws ArtifactStoreUnavailable, with what to do, when artifacts cannot be written, listed, read or removed. */
  check(): Promise<void>;
  close(): Promise<void>;
};

/** The store at `s3`, or, when that is undefined, the folder. Asks nothing of an object store yet. */
export const openArtifacts = async (s3: S3Place | undefined, folder: string): Promise<OpenArtifacts> => {
  // A folder has shown that it can be written by being opened.
  if (s3 === undefined) {
    return { store: await openFolderStore(folder), check: async () => undefined, close: async () => undefined };
  }
  // Loaded only where it is used: the SDK is large.
  const [{ openS3Objects }, { createS3Store }] = await Promise.all([import('./s3Objects.ts'), import('./s3Store.ts')]);
  const store = createS3Store(openS3Objects(s3.address, s3.credentials), s3.address.prefix);
  return { store, check: store.check, close: async () => store.close() };
};
