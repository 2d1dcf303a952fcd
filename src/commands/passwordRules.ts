/**
 * Length is what makes a password; of those that are long enough, only such are refused as everybody tries first: known
 * favourites, repetitions, runs, and the address itself. No rules about kinds of characters, and nothing is altered.
 */
const favourites: ReadonlySet<string> = new Set([
  ...[
    '123456789012',
    '1234567890123',
    '12345678901234',
    '123123123123',
    '1q2w3e4r5t6y',
    'qwertyuiop12',
    'qwertyuiop123',
  ],
  ...['qwertyuiopasdfghjkl', 'password1234', 'password12345', 'password123456', 'passwordpassword', 'administrator'],
  ...['administrator1', 'adminadminadmin', 'iloveyou1234', 'letmeinletmein', 'welcome12345', 'changemechangeme'],
  ...[
    'correcthorsebatterystaple',
    'correct horse battery staple',
    'abcdefghijkl',
    'abcdefghijklmnop',
    'trustno1trustno1',
  ],
]);

/** Why nobody should have this password; undefined when there is nothing against it. */
export const objectionTo = (password: string, email: string): string | undefined => {
  const plain = password.toLowerCase();
  const [name = ''] = email.split('@', 1);
  if (plain === email || (name.length >= 4 && plain.replaceAll(name, '').length < 6)) {
    return 'A password must not be the e-mail address.';
  }
  if (favourites.has(plain)) return 'This password is one of the first that anybody tries.';
  return new Set(plain).size < 4 ? 'A password needs more than a few different characters.' : undefined;
};
