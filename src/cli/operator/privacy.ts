/** From here on this process and its children make files for their owner alone: a log holds hashes and settings in the clear. */
export const keepFilesPrivate = (): void => {
  process.umask(0o077);
};
