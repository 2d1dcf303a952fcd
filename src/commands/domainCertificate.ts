import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { CertificateFacts } from '../domain/edgeDomain/index.ts';

/** PEM texts: the certificate first, then its chain in order; and the private key, unencrypted. */
export type CertificateMaterial = { readonly certificate: string; readonly privateKey: string };

export type ReadCertificate =
  | { readonly ok: true; readonly facts: CertificateFacts; readonly material: CertificateMaterial }
  | { readonly ok: false; readonly field: 'certificate' | 'privateKey'; readonly reason: string };

const maxCertificates = 10;
const certificateBlock = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
const keyBlock =
  /-----BEGIN (?:RSA |EC |ENCRYPTED )?PRIVATE KEY-----[\s\S]+?-----END (?:RSA |EC |ENCRYPTED )?PRIVATE KEY-----/g;

type Refused = Extract<ReadCertificate, { ok: false }>;
const refused = (field: Refused['field'], reason: string): Refused => ({ ok: false, field, reason });

/**
 * Whether this can be served for the host name, and what may be shown of it. No answer repeats any of the texts. The
 * chain is not checked against any root: a company may have its own.
 */
export const readCertificate = (
  { certificate, privateKey }: CertificateMaterial,
  hostname: string,
  now: number,
): ReadCertificate => {
  const chain = parseChain(certificate);
  if ('ok' in chain) return chain;
  const [leaf] = chain;
  if (!leaf) return refused('certificate', 'There is no certificate in PEM form.');
  const key = parseKey(privateKey);
  if ('ok' in key) return key;
  if (!leaf.checkPrivateKey(key)) {
    return refused('privateKey', 'The private key does not belong to the first certificate.');
  }
  if (leaf.checkHost(hostname, { subject: 'never' }) === undefined) {
    return refused('certificate', `The certificate does not name ${hostname} among its subject alternative names.`);
  }
  const facts = factsOf(leaf);
  // OpenSSL reads a certificate whose times are no times.
  if (Number.isNaN(facts.notBefore) || Number.isNaN(facts.notAfter)) {
    return refused('certificate', 'Its times of validity cannot be read.');
  }
  if (facts.notAfter <= now) return refused('certificate', `The certificate expired on ${dayOf(facts.notAfter)}.`);
  if (facts.notBefore > now) return refused('certificate', `It is not valid before ${dayOf(facts.notBefore)}.`);
  const material = {
    certificate: chain.map((each) => each.toString()).join(''),
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  return isServable(material) ? { ok: true, facts, material } : refused('certificate', 'It cannot be used for TLS.');
};

/** The last word has what will serve it: it is stricter than what only reads. */
const isServable = ({ certificate: cert, privateKey: key }: CertificateMaterial): boolean => {
  try {
    createSecureContext({ cert, key });
    return true;
  } catch {
    return false;
  }
};

const parseChain = (text: string): readonly X509Certificate[] | Refused => {
  const blocks = text.match(certificateBlock) ?? [];
  if (blocks.length > maxCertificates)
    return refused('certificate', `A chain has ${maxCertificates} certificates at most.`);
  const chain: X509Certificate[] = [];
  for (const block of blocks) {
    const before = chain.at(-1);
    const next = parseOne(block);
    if (!next) return refused('certificate', `Certificate ${chain.length + 1} cannot be read.`);
    if (before && !(before.checkIssued(next) && before.verify(next.publicKey))) {
      return refused(
        'certificate',
        `Certificate ${chain.length + 1} did not issue the one before it. Order the chain.`,
      );
    }
    chain.push(next);
  }
  return chain;
};

const parseOne = (block: string): X509Certificate | undefined => {
  try {
    return new X509Certificate(block);
  } catch {
    return undefined;
  }
};

/** Others are read, but no handshake comes about with them (RFC 8446, section 4.2.3). */
const curvesOfTls: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

const parseKey = (text: string): KeyObject | Refused => {
  const [block, another] = text.match(keyBlock) ?? [];
  if (block === undefined) return refused('privateKey', 'There is no private key in PEM form.');
  if (another !== undefined) return refused('privateKey', 'There is more than one private key.');
  if (/ENCRYPTED/.test(block)) return refused('privateKey', 'The private key is encrypted. Decrypt it first.');
  try {
    const key = createPrivateKey(block);
    const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
    switch (key.asymmetricKeyType) {
      case 'rsa':
      case 'rsa-pss':
        return modulusLength < 2_048 ? refused('privateKey', 'An RSA key needs 2048 bits or more.') : key;
      case 'ec':
        return curvesOfTls.has(namedCurve) ? key : refused('privateKey', 'An EC key is on P-256, P-384 or P-521.');
      case 'ed25519':
        return key;
      default:
        return refused('privateKey', 'TLS takes an RSA, EC or Ed25519 key.');
    }
  } catch {
    // What OpenSSL says about a key is not repeated.
    return refused('privateKey', 'The private key cannot be read.');
  }
};

const factsOf = (leaf: X509Certificate): CertificateFacts => ({
  names: [...(leaf.subjectAltName ?? '').matchAll(/(?:^|, )DNS:([^",\s]+)/g)].map((match) => match[1] ?? ''),
  issuer: leaf.issuer.replaceAll('\n', ', '),
  notBefore: Date.parse(leaf.validFrom),
  notAfter: Date.parse(leaf.validTo),
  fingerprint: leaf.fingerprint256,
});

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
