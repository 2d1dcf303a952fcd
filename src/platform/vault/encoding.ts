/** A string with half a surrogate pair is not text: UTF-8 would replace it in silence. */
export class NotText extends Error {
  override readonly name = 'NotText';
}

/** UTF-8. Throws NotText; the message does not quote the string. */
export const toUtf8 = (text: string): Buffer => {
  if (/\p{Surrogate}/u.test(text)) throw new NotText('A string to seal must be well-formed Unicode.');
  return Buffer.from(text, 'utf8');
};

/** Each part as its length in bytes (32 bits, big-endian) and its UTF-8: different lists never give the same bytes. */
export const joinParts = (parts: readonly string[]): Buffer =>
  Buffer.concat(
    parts.map(toUtf8).flatMap((bytes) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );

/** Undefined unless the text is exactly what encoding these bytes gives: no stray characters, no loose last bits. */
export const fromBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
};
