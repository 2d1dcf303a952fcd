import { createHash } from 'node:crypto';

/** Where identifiers come from: 32 hex digits, or a UUID for versions and deployments. */
export type Ids = {
  hex(): string;
  uuid(): string;
};

/** The same seed gives the same ids in the same order, so that a failing run can be repeated. */
export const createIds = (seed = 'cloudflare'): Ids => {
  let count = 0;
  const next = (): string => {
    count += 1;
    return createHash('sha256').update(`${seed}:${count}`).digest('hex').slice(0, 32);
  };
  return {
    hex: next,
    uuid: () => {
      const hex = next();
      const parts = [
        hex.slice(0, 8),
        hex.slice(8, 12),
        `4${hex.slice(13, 16)}`,
        `a${hex.slice(17, 20)}`,
        hex.slice(20),
      ];
      return parts.join('-');
    },
  };
};
