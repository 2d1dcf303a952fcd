const shape = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$[A-Za-z0-9+/]{11,88}\$[A-Za-z0-9+/]{22,88}$/;

export type Argon2Cost = { readonly memoryCost: number; readonly timeCost: number; readonly parallelism: number };

/** What is recommended at least for servers: 19 MiB, two passes, one lane. */
export const argon2Cost: Argon2Cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** 64 MiB and as much work as eight passes over them at most. */
const most: Argon2Cost = { memoryCost: 65_536, timeCost: 8, parallelism: 4 };

/** Undefined for what is no such hash, or asks for more memory or work than a sign-in may take. */
export const parseArgon2 = (text: string): Argon2Cost | undefined => {
  const [, m = '', t = '', p = ''] = shape.exec(text) ?? [];
  const cost = { memoryCost: Number(m), timeCost: Number(t), parallelism: Number(p) };
  if (cost.memoryCost < 8 || cost.timeCost < 1 || cost.parallelism < 1) return undefined;
  const isWithin =
    cost.memoryCost <= most.memoryCost && cost.timeCost <= most.timeCost && cost.parallelism <= most.parallelism;
  return isWithin ? cost : undefined;
};

/** Does it take less to guess at than one of ours? */
export const isWeaker = ({ memoryCost, timeCost }: Argon2Cost): boolean =>
  memoryCost < argon2Cost.memoryCost || timeCost < argon2Cost.timeCost;
