/** Passwords are kept as self-describing hash strings; how many are worked on at once is bounded. */
export type Passwords = {
  /** Throws PasswordsBusy when too many wait. */
  hash(password: string): Promise<string>;
  /**
   * The same work for everybody: for an undefined hash (nobody has this address), a wrong password and one that was
   * imported.
   */
  verify(hash: string | undefined, password: string): Promise<boolean>;
  /** Is this hash another kind than `hash` makes, or weaker? */
  isOutdated(hash: string): boolean;
};

/** Costs of the scrypt hashes that were imported and have not been replaced yet; undefined: there are none. */
export type ImportedCost = { readonly ln: number; readonly r: number; readonly p: number };

export class PasswordsBusy extends Error {
  override readonly name = 'PasswordsBusy';
}
