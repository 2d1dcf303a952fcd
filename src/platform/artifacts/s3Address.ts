/** Where the artifacts are: `s3://<bucket>[/<prefix>][?endpoint=…&region=…&pathStyle=…]`, taken apart. */
export type S3Address = {
  readonly bucket: string;
  /** '' or what ends in a slash. */
  readonly prefix: string;
  /** Undefined: Amazon's own, by region. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** The bucket in the path, where it needs no name of its own in the DNS. */
  readonly pathStyle: boolean;
};

type Read = { readonly ok: true; readonly address: S3Address } | { readonly ok: false; readonly problem: string };

const no = (problem: string): Read => ({ ok: false, problem });

const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const prefixPath = /^[A-Za-z0-9_.=-]+(\/[A-Za-z0-9_.=-]+)*$/;
const known: ReadonlySet<string> = new Set(['endpoint', 'region', 'pathStyle']);

/** A key may have 1024 bytes; this leaves what the store itself puts behind the prefix. */
const maxPrefix = 700;

/** Says what is wrong without repeating any of it, since somebody may have written credentials there. */
export const readS3Address = (text: string): Read => {
  const url = parse(text);
  if (url?.protocol !== 's3:') return no('must look like s3://bucket/prefix?endpoint=https://…&region=auto');
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    return no('must not hold credentials; they go into OPSLOG_S3_ACCESS_KEY_ID and OPSLOG_S3_SECRET_ACCESS_KEY');
  }
  if (!bucketName.test(url.host)) return no('names no bucket: 3 to 63 lower-case letters, digits, dots and dashes');
  const path = url.pathname.replace(/^\/+|\/+$/g, '');
  if (path !== '' && (!prefixPath.test(path) || path.length > maxPrefix || path.split('/').some(isDots))) {
    return no(`has a prefix of other characters than letters, digits and _ . = - / or of more than ${maxPrefix}`);
  }
  const prefix = path === '' ? '' : `${path}/`;
  return withOptions(url.searchParams, { bucket: url.host, prefix });
};

const withOptions = (given: URLSearchParams, place: Pick<S3Address, 'bucket' | 'prefix'>): Read => {
  if ([...given.keys()].some((key) => !known.has(key)))
    return no('knows only endpoint, region and pathStyle after the ?');
  const endpoint = given.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !isOrigin(endpoint)) {
    return no('needs as endpoint http(s)://host[:port] alone; the bucket goes behind s3://');
  }
  const region = given.get('region') ?? (endpoint === undefined ? '' : 'auto');
  if (!/^[a-z0-9-]{1,40}$/.test(region)) return no('needs a region, such as region=eu-central-1');
  const style = given.get('pathStyle') ?? String(endpoint !== undefined);
  if (style !== 'true' && style !== 'false') return no('needs true or false as pathStyle');
  return {
    ok: true,
    address: { ...place, endpoint: endpoint && new URL(endpoint).origin, region, pathStyle: style === 'true' },
  };
};

const parse = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

const isDots = (segment: string): boolean => segment === '.' || segment === '..';

const isOrigin = (text: string): boolean => {
  const url = parse(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
  const bare = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return bare && url.pathname === '/';
};

/** Host and port of whoever answers, for messages. */
export const hostOf = ({ endpoint, region }: S3Address): string =>
  endpoint === undefined ? `s3.${region}.amazonaws.com` : new URL(endpoint).host;
