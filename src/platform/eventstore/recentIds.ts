/** Where an event was written. */
export type Written = { readonly stream: string; readonly revision: number };

const GENERATION = 32_768;

/** Ids of the newest 32,768 to 65,536 events; two generations make forgetting the oldest cheap. */
export const recentIds = () => {
  let young = new Map<string, Written>();
  let old = new Map<string, Written>();
  return {
    add: (id: string, stream: string, revision: number): void => {
      if (young.size >= GENERATION) {
        old = young;
        young = new Map();
      }
      young.set(id, { stream, revision });
    },
    revisionIn: (stream: string, id: string): number | undefined => {
      const written = young.get(id) ?? old.get(id);
      return written?.stream === stream ? written.revision : undefined;
    },
    forgetAll: (): void => {
      young.clear();
      old.clear();
    },
  };
};
