import ssh2 from 'ssh2';

/** Ed25519, in OpenSSH format, with the options of the library. The library writes a public half that begins with a zero without it, and that is no key. */
export const anSshPair = (options: object = {}): { readonly private: string; readonly public: string } => {
  const pair = ssh2.utils.generateKeyPairSync('ed25519', options);
  return Buffer.from(pair.public.split(' ')[1] ?? '', 'base64').length === 51 ? pair : anSshPair(options);
};
