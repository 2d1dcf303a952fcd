import { sha256 } from '../../src/commands/envelope.ts';
import type { ArtifactStore } from '../../src/platform/artifacts/port.ts';

/** The port in memory, on the test's clock. `beforeRemove` runs between the decision to remove and the removal. */
export const createMemoryArtifacts = (now: () => number) => {
  const touched = new Map<string, number>();
  const bytes = new Map<string, Uint8Array>();
  let interlude: (() => Promise<void>) | undefined;
  const store: ArtifactStore = {
    put: async (content) => {
      const digest = sha256(content);
      const created = !touched.has(digest);
      touched.set(digest, now());
      bytes.set(digest, content);
      return { digest, created };
    },
    get: async (digest) => bytes.get(digest),
    has: async (digest) => touched.has(digest),
    remove: async (digest, { unlessTouchedAfter = Number.POSITIVE_INFINITY } = {}) => {
      const work = interlude;
      interlude = undefined;
      await work?.();
      const at = touched.get(digest);
      if (at === undefined || at > unlessTouchedAfter) return false;
      bytes.delete(digest);
      return touched.delete(digest);
    },
    async *list() {
      for (const [digest, touchedAt] of touched) yield { digest, bytes: bytes.get(digest)?.length ?? 0, touchedAt };
    },
  };
  return {
    store,
    digests: (): readonly string[] => [...touched.keys()],
    beforeRemove: (work: () => Promise<void>): void => {
      interlude = work;
    },
  };
};
