import { createHash } from 'node:crypto';
import ssh2 from 'ssh2';
import type { ReadSshKey, SshKeyFacts } from './port.ts';

type Refused = Extract<ReadSshKey, { ok: false }>;
const refused = (field: Refused['field'], reason: string): Refused => ({ ok: false, field, reason });

const keyTypes: ReadonlySet<string> = new Set([
  ...['ssh-ed25519', 'ssh-rsa', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'],
]);
const leastRsaBits = 2_048;

/** One string of the SSH wire format (RFC 4251, section 5) and what follows it; undefined when it is cut off. */
const take = (bytes: Buffer): { readonly head: Buffer; readonly rest: Buffer } | undefined => {
  if (bytes.length < 4) return undefined;
  const length = bytes.readUInt32BE(0);
  if (bytes.length < 4 + length) return undefined;
  return { head: bytes.subarray(4, 4 + length), rest: bytes.subarray(4 + length) };
};

const block = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]+?)-----END OPENSSH PRIVATE KEY-----/;
const magic = 'openssh-key-v1\0';

/**
 * How often the passphrase is stretched before it opens the key: who wrote the file chose the number, up to 4,294,967,295,
 * and every round costs 15 ms. 0 for a key without a passphrase, and for what is no key of this format.
 */
export const stretchingRounds = (text: string): number => {
  const bytes = Buffer.from(block.exec(text)?.[1] ?? '', 'base64');
  if (bytes.subarray(0, magic.length).toString('latin1') !== magic) return 0;
  const cipher = take(bytes.subarray(magic.length));
  const stretching = cipher && take(cipher.rest);
  const options = stretching && take(stretching.rest);
  const salt = options && take(options.head);
  return salt && salt.rest.length >= 4 ? salt.rest.readUInt32BE(0) : 0;
};

const factsOf = (keyType: string, blob: Buffer): SshKeyFacts => ({
  keyType,
  publicKey: `${keyType} ${blob.toString('base64')}`,
  fingerprint: `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`,
});

const isWeak = (keyType: string, blob: Buffer): boolean => {
  if (keyType !== 'ssh-rsa') return false;
  const exponent = take(take(blob)?.rest ?? Buffer.alloc(0));
  const modulus = take(exponent?.rest ?? Buffer.alloc(0))?.head ?? Buffer.alloc(0);
  // A leading zero keeps the number positive.
  const first = modulus.findIndex((byte) => byte !== 0);
  const bits = first === -1 ? 0 : (modulus.length - first) * 8 - Math.clz32(modulus[first] ?? 0) + 24;
  return bits < leastRsaBits;
};

const ways = 'Give it in OpenSSH format; "ssh-keygen -p -f <file>" rewrites a key in it.';

/** Slow when the key has a passphrase, see `stretchingRounds`. */
export const parseSshKey = (text: string, passphrase: string | undefined): ReadSshKey => {
  const privateKey = `${text.trim()}\n`;
  const parsed = parse(privateKey, passphrase);
  if (parsed instanceof Error) return explain(parsed, passphrase);
  if (!parsed.isPrivateKey()) return refused('privateKey', 'This is a public key. Give the private one.');
  if (passphrase !== undefined && !(parse(privateKey, undefined) instanceof Error)) {
    return refused('passphrase', 'This key has no passphrase. Leave it out.');
  }
  const blob = parsed.getPublicSSH();
  if (!keyTypes.has(parsed.type)) return refused('privateKey', 'Give an Ed25519, ECDSA or RSA key.');
  if (isWeak(parsed.type, blob)) return refused('privateKey', `An RSA key needs ${leastRsaBits} bits or more.`);
  return belongTogether(parsed) ? { ok: true, facts: factsOf(parsed.type, blob) } : refused('privateKey', mixed);
};

const mixed = 'Its public and its private half do not belong together.';

const parse = (privateKey: string, passphrase: string | undefined) => {
  try {
    // A file that says it holds no key is answered with none, whatever the types say.
    const key: ssh2.ParsedKey | Error | undefined = ssh2.utils.parseKey(privateKey, passphrase);
    return key ?? new Error('unreadable');
  } catch {
    return new Error('unreadable');
  }
};

const belongTogether = (key: ssh2.ParsedKey): boolean => {
  try {
    const probe = Buffer.from('opslog');
    const signature = key.sign(probe);
    return Buffer.isBuffer(signature) && key.verify(probe, signature) === true;
  } catch {
    return false;
  }
};

/** What the library says of a key is not repeated: it is only looked through for what kind of fault it was. */
const explain = ({ message }: Error, passphrase: string | undefined): Refused => {
  if (/no passphrase given/i.test(message)) return refused('passphrase', 'This key is encrypted. Give its passphrase.');
  if (passphrase !== undefined && /passphrase|decrypt|integrity/i.test(message)) {
    return refused('passphrase', 'This passphrase does not open the key.');
  }
  return refused('privateKey', `This private key cannot be read. ${ways}`);
};

/** Each fails once in 256: so many in a row never do. */
const most = 16;

/**
 * Ed25519, without a comment: it would tell on which machine it was made. The library drops the first byte of a public half
 * when it is zero, and writes a key that nobody can read.
 */
export const generateSshKey = (): { readonly privateKey: string; readonly facts: SshKeyFacts } => {
  for (let attempt = 1; attempt <= most; attempt += 1) {
    const { private: privateKey } = ssh2.utils.generateKeyPairSync('ed25519');
    const parsed = parse(privateKey, undefined);
    if (!(parsed instanceof Error)) return { privateKey, facts: factsOf(parsed.type, parsed.getPublicSSH()) };
  }
  throw new Error('No key that was made can be read.');
};
