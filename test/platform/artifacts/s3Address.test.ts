import { expect, it } from 'vitest';
import { readS3Address } from '../../../src/platform/artifacts/s3Address.ts';

const r2 = 'endpoint=https://0123.r2.cloudflarestorage.com';

it('an address names bucket, prefix, endpoint and region, and R2 needs no region', () => {
  expect(readS3Address(`s3://artifacts/opslog/a?${r2}`)).toEqual({
    ok: true,
    address: {
      ...{ bucket: 'artifacts', prefix: 'opslog/a/', endpoint: 'https://0123.r2.cloudflarestorage.com' },
      ...{ region: 'auto', pathStyle: true },
    },
  });
  expect(readS3Address('s3://artifacts?region=eu-central-1')).toEqual({
    ok: true,
    address: { bucket: 'artifacts', prefix: '', endpoint: undefined, region: 'eu-central-1', pathStyle: false },
  });
  expect(
    readS3Address('s3://artifacts/?endpoint=http://127.0.0.1:9000/&region=us-east-1&pathStyle=false'),
  ).toMatchObject({
    ok: true,
    address: { prefix: '', endpoint: 'http://127.0.0.1:9000', pathStyle: false },
  });
});

it.each([
  ['nothing', '', 'must look like'],
  ['https://artifacts.example', '', 'must look like'],
  ['s3://', '', 'names no bucket'],
  ['s3://Artifacts', r2, 'names no bucket'],
  ['s3://artifacts/a b', r2, 'prefix'],
  ['s3://artifacts/a//b', r2, 'prefix'],
  [`s3://artifacts/${'a'.repeat(701)}`, r2, 'prefix'],
  ['s3://artifacts', '', 'needs a region'],
  ['s3://artifacts', 'region=EU%20West', 'needs a region'],
  ['s3://artifacts', 'endpoint=ftp://host', 'needs as endpoint'],
  ['s3://artifacts', 'endpoint=https://host/artifacts', 'needs as endpoint'],
  ['s3://artifacts', 'endpoint=host', 'needs as endpoint'],
  ['s3://artifacts', `${r2}&pathStyle=1`, 'pathStyle'],
  ['s3://artifacts', `${r2}&acl=public-read`, 'knows only'],
])('%s?%s is refused, and it says why', (place, options, why) => {
  expect(readS3Address(options === '' ? place : `${place}?${options}`)).toEqual({
    ok: false,
    problem: expect.stringContaining(why),
  });
});

it.each([
  's3://key:hunter2hunter2@artifacts',
  's3://artifacts?endpoint=https://key:hunter2hunter2@host',
  's3://artifacts?region=eu-west-1&secret=hunter2hunter2',
  'hunter2hunter2',
])('what is refused is never repeated, since it may be a secret: %s', (text) => {
  const read = readS3Address(text);
  expect(read.ok).toBe(false);
  expect(JSON.stringify(read)).not.toContain('hunter2');
});
