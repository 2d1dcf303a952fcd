import { hash, type Options, verify } from '@node-rs/argon2';
import { type Passwords, PasswordsBusy } from './port.ts';

/** Argon2id (the default of the package), the least that is recommended for servers: 19 MiB, two passes, one lane. */
const cost: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each hash holds 19 MiB and a core, so few run at once, few wait, and the rest are told to come back. */
export const createPasswords = (
  options: { readonly concurrency?: number; readonly queue?: number } = {},
): Passwords => {
  const inTurn = createSlots(options.concurrency ?? 2, options.queue ?? 64);
  // What an unknown address is verified against; made once, on first use.
  let nobody: Promise<string> | undefined;
  const hashOfNobody = () => {
    nobody ??= hash('nobody has this password', cost);
    return nobody;
  };
  return {
    hash: (password) => inTurn(() => hash(password, cost)),
    verify: (stored, password) =>
      inTurn(async () => {
        // Awaited for everybody: whoever comes first must not tell an unknown address by the time this takes.
        const nobodys = await hashOfNobody();
        const matches = await verify(stored ?? nobodys, password).catch(() => false);
        return matches && stored !== undefined;
      }),
  };
};

const createSlots = (concurrency: number, queue: number) => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running >= concurrency) {
      if (waiting.length >= queue) throw new PasswordsBusy('Too many passwords are being checked.');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      // The slot passes on to the next in line, or becomes free.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
};
