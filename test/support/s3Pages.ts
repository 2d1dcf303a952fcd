const entryOf = /<Contents>.*?<\/Contents>/gs;
const keyOf = (entry: string): string => /<Key>(.*?)<\/Key>/s.exec(entry)?.[1] ?? '';

/** The query of a list as the server understands it: where the page before ended, in place of a token of ours. */
export const withoutToken = (url: string): string => {
  const [path = '', query] = url.split('?');
  const given = new URLSearchParams(query);
  const token = given.get('continuation-token');
  if (token === null) return url;
  given.delete('continuation-token');
  given.set('start-after', Buffer.from(token, 'base64url').toString('utf8'));
  return `${path}?${given}`;
};

/**
 * The answer to a list as S3 gives it: keys in order, and so many at most. The server's own pages need a cipher that OpenSSL
 * has retired, and its order is that of the folder.
 */
export const asPage = (xml: string, size: number): string => {
  const entries = (xml.match(entryOf) ?? []).toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const shown = entries.slice(0, size);
  const last = shown.at(-1);
  const isCut = entries.length > shown.length && last !== undefined;
  const token = isCut ? Buffer.from(keyOf(last)).toString('base64url') : '';
  return xml
    .replace(entryOf, '')
    .replace(/<IsTruncated>.*?<\/IsTruncated>/, `<IsTruncated>${isCut}</IsTruncated>`)
    .replace('</ListBucketResult>', () => {
      const next = isCut ? `<NextContinuationToken>${token}</NextContinuationToken>` : '';
      return `${shown.join('')}${next}</ListBucketResult>`;
    });
};
