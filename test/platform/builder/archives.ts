import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

/** Hand-made archives: what no well-behaved packer would write. */
export type TarEntry = {
  readonly name: string | Uint8Array;
  readonly data?: string | Uint8Array;
  /** The type flag: `0` file, `1` hard link, `2` symlink, `3` device, `5` folder, `x` pax header. */
  readonly type?: string;
  readonly size?: number;
};

const bytesOf = (data: string | Uint8Array): Buffer => Buffer.from(typeof data === 'string' ? Buffer.from(data) : data);

const tarHeader = ({ name, data = '', type = '0', size = bytesOf(data).length }: TarEntry): Buffer => {
  const header = Buffer.alloc(512);
  bytesOf(name).copy(header, 0, 0, 100);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write(type, 156);
  if (type === '1' || type === '2') header.write('/etc/passwd', 157);
  header.write('ustar\0', 257);
  header.write('00', 263);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
};

const padded = (data: Buffer): Buffer => Buffer.concat([data, Buffer.alloc((512 - (data.length % 512)) % 512)]);

export const paxRecord = (key: string, value: string): string => {
  const body = ` ${key}=${value}\n`;
  let length = body.length + 1;
  while (`${length}${body}`.length !== length) length += 1;
  return `${length}${body}`;
};

export const tar = (entries: readonly TarEntry[]): Buffer =>
  Buffer.concat([
    ...entries.map((entry) => Buffer.concat([tarHeader(entry), padded(bytesOf(entry.data ?? ''))])),
    Buffer.alloc(1024),
  ]);

export const tarGz = (entries: readonly TarEntry[]): Buffer => gzipSync(tar(entries));

/** A few megabytes that unpack to `gigabytes`: gzip allows members one after the other, so one is packed and repeated. */
export const gzipBomb = (first: Uint8Array, gigabytes: number): Buffer => {
  const member = gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 });
  return Buffer.concat([gzipSync(first), ...Array.from({ length: gigabytes * 16 }, () => member)]);
};

export type ZipEntry = {
  readonly name: string | Uint8Array;
  readonly data?: string | Uint8Array;
  readonly packed?: Uint8Array;
  readonly method?: number;
  readonly flags?: number;
  readonly unixMode?: number;
  readonly declaredSize?: number;
  readonly crc?: number;
  readonly localName?: string;
  /** Point at the data of another entry instead of having its own. */
  readonly sameDataAs?: number;
};

export const zip = (entries: readonly ZipEntry[]): Buffer => {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const entry of entries) {
    const data = bytesOf(entry.data ?? '');
    const method = entry.method ?? 8;
    const packed = Buffer.from(entry.packed ?? (method === 8 ? deflateRawSync(data) : data));
    const name = bytesOf(entry.name);
    const localName = bytesOf(entry.localName ?? entry.name);
    const shared = Buffer.alloc(22);
    shared.writeUInt16LE(entry.flags ?? 0x800, 0);
    shared.writeUInt16LE(method, 2);
    shared.writeUInt32LE(entry.crc ?? crc32(data), 8);
    shared.writeUInt32LE(packed.length, 12);
    shared.writeUInt32LE(entry.declaredSize ?? data.length, 16);
    shared.writeUInt16LE(name.length, 20);
    const local = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4, 20, 0]), shared, Buffer.alloc(2), localName, packed]);
    local.writeUInt16LE(localName.length, 26);
    const central = Buffer.concat([Buffer.from([0x50, 0x4b, 1, 2, 20, 3, 20, 0]), shared, Buffer.alloc(16), name]);
    central.writeUInt32LE(((entry.unixMode ?? 0o100644) << 16) >>> 0, 38);
    central.writeUInt32LE(entry.sameDataAs === undefined ? offset : (offsets[entry.sameDataAs] ?? 0), 42);
    offsets.push(offset);
    if (entry.sameDataAs === undefined) {
      parts.push(local);
      offset += local.length;
    }
    directory.push(central);
  }
  const size = directory.reduce((total, part) => total + part.length, 0);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length % 65536, 8);
  end.writeUInt16LE(entries.length % 65536, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
};
