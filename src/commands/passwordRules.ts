import { isCommonPassword } from './commonPasswords.ts';
import { notSent } from './outcome.ts';

/** How long a password that the program made lets its owner in to change it. */
export const initialPasswordMs = 24 * 60 * 60 * 1000;

export const passwordExpired = notSent(
  'PasswordExpired',
  'This password was made for you and was not changed in time. Ask the operator for another: "opslog users reset-password".',
);

/** Of an `initialUntil`; 0 is a password that its owner chose. */
export const isExpired = (initialUntil: number, now: number): boolean => initialUntil !== 0 && now >= initialUntil;

/**
 * Length is what makes a password; of those that are long enough, only such are refused as everybody tries first: the common
 * ones, repetitions, and the address itself. No rules about kinds of characters, and nothing is altered.
 */
const favourites: ReadonlySet<string> = new Set([
  ...['12345678901234', 'password123456', 'administrator1', 'adminadminadmin', 'welcome12345', 'changemechangeme'],
  ...['correcthorsebatterystaple', 'correct horse battery staple', 'trustno1trustno1'],
]);

/** Why nobody should have this password; undefined when there is nothing against it. */
export const objectionTo = (password: string, email: string): string | undefined => {
  const plain = password.toLowerCase();
  const [name = ''] = email.split('@', 1);
  if (plain === email || (name.length >= 4 && plain.replaceAll(name, '').length < 6)) {
    return 'A password must not be the e-mail address.';
  }
  if (favourites.has(plain) || isCommonPassword(plain)) return 'This password is one of the first that anybody tries.';
  return new Set(plain).size < 4 ? 'A password needs more than a few different characters.' : undefined;
};
