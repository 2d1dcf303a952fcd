const formsOf = (secret: string): readonly string[] => {
  const bytes = Buffer.from(secret);
  const encoded = [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')];
  const written = [secret, JSON.stringify(secret).slice(1, -1), ...encoded];
  // Half a surrogate pair has no form in an address.
  return bytes.toString() === secret ? [...written, encodeURIComponent(secret)] : written;
};

/** Takes secrets out of a text that somebody else wrote, also as JSON, in an address, in base64 or in hex. */
export const createScrubber = (secrets: readonly string[]): ((text: string) => string) => {
  const forms = new Set(secrets.filter((each) => each !== '').flatMap(formsOf));
  // The longest first: one secret may be a part of another.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((cleaned, form) => cleaned.replaceAll(form, '•••'), text);
};
