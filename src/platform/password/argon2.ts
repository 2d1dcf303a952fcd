import { hash, type Options, verify } from '@node-rs/argon2';
import { argon2Cost, isWeaker, parseArgon2 } from './argon2Hash.ts';
import { type ImportedCost, type Passwords, PasswordsBusy } from './port.ts';
import { isScrypt, nobodysScrypt, parseScrypt, type ScryptHash, verifyScrypt } from './scrypt.ts';

/** Argon2id is the default of the package. */
const cost: Options = argon2Cost;

/**
 * Each hash holds 19 MiB and a core, so few run at once, few wait, and the rest are told to come back. While there are
 * imported scrypt hashes, whose cost `imported` tells, everybody's check does the work of one of those, too.
 */
export const createPasswords = (
  options: {
    readonly concurrency?: number;
    readonly queue?: number;
    readonly imported?: () => ImportedCost | undefined;
    /** For tests that count the work. */
    readonly onWork?: (kind: 'argon2' | 'scrypt') => void;
  } = {},
): Passwords => {
  const inTurn = createSlots(options.concurrency ?? 2, options.queue ?? 64);
  const { imported = () => undefined, onWork = () => {} } = options;
  // What an unknown address is verified against; made once, on first use.
  let nobody: Promise<string> | undefined;
  const hashOfNobody = () => {
    nobody ??= hash('nobody has this password', cost);
    return nobody;
  };
  const byArgon2 = async (stored: string | undefined, password: string): Promise<boolean> => {
    // Awaited for everybody: whoever comes first must not tell an unknown address by the time this takes.
    const nobodys = await hashOfNobody();
    onWork('argon2');
    const matches = await verify(stored ?? nobodys, password).catch(() => false);
    return matches && stored !== undefined;
  };
  const byScrypt = async (stored: ScryptHash | undefined, password: string): Promise<boolean> => {
    const dummy = imported();
    const against = stored ?? (dummy && nobodysScrypt(dummy));
    if (!against) return false;
    onWork('scrypt');
    const matches = await verifyScrypt(against, password).catch(() => false);
    return matches && stored !== undefined;
  };
  return {
    hash: (password) => inTurn(() => hash(password, cost)),
    verify: (stored, password) =>
      inTurn(async () => {
        const scrypt = stored === undefined ? undefined : parseScrypt(stored);
        const argon2 = stored !== undefined && parseArgon2(stored) ? stored : undefined;
        const matches = [await byArgon2(argon2, password), await byScrypt(scrypt, password)];
        return matches.includes(true);
      }),
    isOutdated: (stored) => {
      const argon2 = parseArgon2(stored);
      return isScrypt(stored) || (argon2 !== undefined && isWeaker(argon2));
    },
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
