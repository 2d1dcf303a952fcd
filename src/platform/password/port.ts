/** Passwords are kept as self-describing hash strings; how many are worked on at once is bounded. */
export type Passwords = {
  /** Throws PasswordsBusy when too many wait. */
  hash(password: string): Promise<string>;
  /** An undefined hash (nobody has this address) takes as long as a wrong password and answers false. */
  verify(hash: string | undefined, password: string): Promise<boolean>;
};

export class PasswordsBusy extends Error {
  override readonly name = 'PasswordsBusy';
}
