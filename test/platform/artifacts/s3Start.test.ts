import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { doctor } from '../../../src/cli/operations/doctor.ts';
import { startFailure } from '../../../src/cli/operator/startFailure.ts';
import { startOpslog } from '../../../src/compose.ts';
import { type Config, readConfig, settings } from '../../../src/config.ts';
import { openArtifacts } from '../../../src/platform/artifacts/open.ts';
import { silentLog } from '../../../src/platform/log/port.ts';
import { accessKeyId, bucket, secretAccessKey, startTestS3, type TestS3 } from '../../support/s3.ts';

let s3: TestS3;
let folder: string;
beforeAll(async () => {
  s3 = await startTestS3();
  folder = await mkdtemp(join(tmpdir(), 'opslog-s3-start-'));
});
afterAll(async () => {
  await s3.stop();
  await rm(folder, { recursive: true, force: true });
});

const keys = { OPSLOG_S3_ACCESS_KEY_ID: accessKeyId, OPSLOG_S3_SECRET_ACCESS_KEY: `${secretAccessKey}\n` };
const configOf = (env: Readonly<Record<string, string>>): Config => {
  const read = readConfig({ OPSLOG_DATA_DIR: folder, OPSLOG_PORT: '0', OPSLOG_EDGE_PORT: '0', ...keys, ...env });
  if (!read.ok) throw new Error(read.problems.join());
  return read.config;
};
const at = (name: string) => `s3://${name}/opslog?endpoint=${s3.proxy.url}`;
const hello = new TextEncoder().encode('hello');

it('the environment says where artifacts are, and the secret is in no text of it', async () => {
  const config = configOf({ OPSLOG_ARTIFACTS_URL: at(bucket) });
  expect(config.artifacts?.credentials()).toEqual({ accessKeyId, secretAccessKey });
  expect(`${JSON.stringify(config)} ${inspect(config, { depth: 10 })}`).not.toContain(secretAccessKey);
  expect(JSON.stringify(settings())).not.toContain(secretAccessKey);
  expect(configOf({}).artifacts).toBeUndefined();
});

it.each([
  [
    { OPSLOG_ARTIFACTS_URL: 's3://artifacts?region=auto' },
    ['ACCESS_KEY_ID: OPSLOG_ART', 'SECRET_ACCESS_KEY: OPSLOG_ART'],
  ],
  [{ ...keys, OPSLOG_ARTIFACTS_URL: `https://user:${secretAccessKey}@host` }, ['OPSLOG_ARTIFACTS_URL: must look like']],
  [{ ...keys, OPSLOG_ARTIFACTS_URL: `s3://user:${secretAccessKey}@artifacts` }, ['must not hold credentials']],
])('an environment that is not right is refused by the name of each variable, without its value', (env, problems) => {
  const read = readConfig(env);
  expect(read).toEqual({ ok: false, problems: problems.map((problem) => expect.stringContaining(problem)) });
  expect(JSON.stringify(read)).not.toContain(secretAccessKey);
});

it('artifacts go to the bucket that the environment names, below its prefix, and into the folder without one', async () => {
  const { artifacts } = configOf({ OPSLOG_ARTIFACTS_URL: at(bucket) });
  s3.proxy.forget();
  const stored = await openArtifacts(artifacts, folder);
  await stored.check();
  const { digest } = await stored.store.put(hello);
  await stored.close();
  const written = s3.proxy.seen().filter(({ method }) => method === 'PUT');
  expect(written.at(-1)?.path).toMatch(new RegExp(`^/${bucket}/opslog/sha256/${digest.slice(0, 2)}/${digest}/`));
  s3.proxy.forget();
  const inFolder = await openArtifacts(undefined, join(folder, 'plain'));
  await inFolder.check();
  expect(await inFolder.store.put(hello)).toEqual({ digest, created: true });
  await inFolder.close();
  expect(s3.proxy.seen()).toEqual([]);
});

it('a process that would need the store does not start without it, and says what to do', async () => {
  const starting = startOpslog(configOf({ OPSLOG_ARTIFACTS_URL: at('elsewhere') }), { logger: silentLog });
  const error = await starting.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  expect(error).toMatchObject({ name: 'ArtifactStoreUnavailable', message: expect.stringContaining('Create it') });
  expect(startFailure(error)).toMatchObject({ code: 'unreachable', message: expect.stringContaining('Create it') });
});

it('a process that starts keeps artifacts in the store, and doctor looks at it', async () => {
  const opslog = await startOpslog(configOf({ OPSLOG_ARTIFACTS_URL: at(bucket), OPSLOG_ROLES: 'api,projector' }), {
    logger: silentLog,
  });
  try {
    s3.proxy.forget();
    await opslog.parts.artifacts.put(hello);
    expect(s3.proxy.seen().length).toBeGreaterThan(0);
    const look = () => doctor.run(opslog.parts, {}, () => undefined, new AbortController().signal);
    expect(await look()).toContainEqual(expect.objectContaining({ name: 'artifacts', status: 'ok' }));
    s3.proxy.spoil('PUT', { kind: 'answer', status: 403 });
    const found = (await look()).find(({ name }) => name === 'artifacts');
    expect(found).toMatchObject({ status: 'down', detail: expect.stringContaining('OPSLOG_S3_ACCESS_KEY_ID') });
  } finally {
    await opslog.close();
  }
});
