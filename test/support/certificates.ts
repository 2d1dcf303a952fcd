import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

// A certificate authority of a few lines (RFC 5280, DER), so that tests need neither openssl nor keys in the repository.

const length = (count: number): Buffer => {
  if (count < 0x80) return Buffer.from([count]);
  const bytes = count < 0x100 ? [count] : [count >> 8, count & 0xff];
  return Buffer.from([0x80 | bytes.length, ...bytes]);
};
const tagged = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
};
const sequence = (...parts: readonly Buffer[]) => tagged(0x30, ...parts);
const oid = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'));
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const nameOf = (commonName: string) =>
  sequence(tagged(0x31, sequence(oid('550403'), tagged(0x0c, Buffer.from(commonName)))));
const time = (at: number) =>
  tagged(0x18, Buffer.from(`${new Date(at).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`));
const extension = (hex: string, value: Buffer) => sequence(oid(hex), tagged(0x04, value));

export type Issuer = { readonly name: string; readonly key: KeyObject; readonly certificate: string };
export type Issued = { readonly certificate: string; readonly privateKey: string; readonly issuer: Issuer };

const day = 86_400_000;

type IssueOptions = {
  readonly by?: Issuer;
  readonly from?: number;
  readonly to?: number;
  readonly authority?: boolean;
  readonly namedCurve?: string;
};

/** A certificate in PEM, by itself or by the issuer given; on P-256 unless it says otherwise. */
export const issue = (names: readonly string[], options: IssueOptions = {}): Issued => {
  const { by, from = Date.now() - day, to = Date.now() + 365 * day, authority = false } = options;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: options.namedCurve ?? 'P-256' });
  const name = names[0] ?? 'nobody';
  const serial = Buffer.concat([Buffer.from([0x01]), randomBytes(8)]);
  const alternatives = sequence(...names.map((each) => tagged(0x82, Buffer.from(each))));
  const extensions = sequence(
    extension('551d11', alternatives),
    ...(authority ? [extension('551d13', sequence(tagged(0x01, Buffer.from([0xff]))))] : []),
  );
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, serial),
    ecdsaWithSha256,
    nameOf(by?.name ?? name),
    sequence(time(from), time(to)),
    nameOf(name),
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    tagged(0xa3, extensions),
  );
  const signature = sign('sha256', body, by?.key ?? privateKey);
  const der = sequence(body, ecdsaWithSha256, tagged(0x03, Buffer.from([0]), signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  const certificate = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
  return {
    certificate,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    issuer: { name, key: privateKey, certificate },
  };
};

export const authority = (name: string): Issuer => issue([name], { authority: true }).issuer;
