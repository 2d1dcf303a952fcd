/** A Cap'n Proto text literal. Written byte by byte, so that no content can end the literal or change its bytes. */
export const textLiteral = (value: string): string => {
  let out = '"';
  for (const byte of Buffer.from(value, 'utf8')) {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    out += plain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return `${out}"`;
};

export const textList = (values: readonly string[]): string => `[${values.map(textLiteral).join(', ')}]`;
