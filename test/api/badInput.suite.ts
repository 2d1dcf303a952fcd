import { beforeAll, describe, expect, test } from 'vitest';
import { gzipBomb, tarGz, zip } from '../platform/builder/archives.ts';
import { type ApiWorld, aCompany, type Company, helloWorker, problemOf } from '../support/api.ts';

export const badInputSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  let company: Company;
  beforeAll(async () => {
    world = await shared();
    company = await aCompany(world);
  });

  const submitFiles = (files: readonly object[], settings: object = {}) =>
    world.ask('POST', `${company.worker}/revisions`, { token: company.token, body: { files, ...settings } });

  const submitArchive = (bytes: Uint8Array, type: 'gzip' | 'zip' = 'gzip', query = '') =>
    world.ask('POST', `${company.worker}/revisions${query}`, {
      token: company.token,
      bytes,
      headers: { 'content-type': `application/${type}` },
    });

  const index = { path: 'index.ts', content: 'export default { fetch: () => new Response("hi") };\n' };
  const entry = { name: 'index.ts', data: index.content };
  const manyFiles = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ path: `src/f${at}.ts`, content: 'export {};' }));

  type Refused = { title: string; status: number; field?: unknown; details?: unknown };

  /** What is refused must have left nothing behind: no fact in the log, no artifact in the store. */
  const refusal = async (submit: () => ReturnType<typeof submitFiles>): Promise<Refused> => {
    const before = await world.holdings();
    const answered = await submit();
    expect(await world.holdings()).toEqual(before);
    expect(answered.status).toBeLessThan(500);
    return problemOf(answered);
  };

  test('A name that is longer than names of fields are may be a secret: it is not repeated, and a misspelt one is', async () => {
    const secret = `Cn7-${'4f1e9c7a2b'.repeat(4)}`;
    const create = (query: string, more: object) =>
      world.ask('POST', `/workspaces${query}`, { token: company.token, body: { name: 'N', slug: 'n', ...more } });
    const answers = [
      await create('', { [secret]: 1 }),
      await create(`?${secret}=1`, {}),
      await create(`?${secret}=1&${secret}=2`, {}),
    ];
    for (const answered of answers) {
      expect(problemOf(answered).title).toBe('RequestInvalid');
      expect(answered.text).not.toContain(secret.slice(0, 20));
    }
    expect((await create('', { nmae: 1 })).text).toContain('nmae');
  });

  describe('A submission as an archive is refused, and leaves nothing behind, when', () => {
    test.each([
      ['it is no archive', new TextEncoder().encode('this is no archive'), 'ArchiveBroken', ''],
      ['it is cut off', tarGz([entry]).subarray(0, 60), 'ArchiveBroken', undefined],
      ['it is empty', new Uint8Array(), 'BodyMalformed', undefined],
      ['it has no files', tarGz([]), 'SubmissionEmpty', undefined],
      ['a path leaves the project', tarGz([entry, { name: '../x', data: 'x' }]), 'SubmissionPathRefused', '../x'],
      ['a path is absolute', tarGz([entry, { name: '/etc/x', data: 'x' }]), 'SubmissionPathRefused', '/etc/x'],
      ['it holds a symbolic link', tarGz([entry, { name: 'link', type: '2' }]), 'ArchiveEntryRefused', 'link'],
      ['it holds a hard link', tarGz([entry, { name: 'link', type: '1' }]), 'ArchiveEntryRefused', 'link'],
      ['a name is there twice', tarGz([entry, entry]), 'SubmissionPathDuplicate', 'index.ts'],
      [
        'names differ in case only',
        tarGz([entry, { name: 'INDEX.ts', data: 'x' }]),
        'SubmissionPathDuplicate',
        'INDEX.ts',
      ],
      [
        'a file is not UTF-8',
        tarGz([{ name: 'index.ts', data: Uint8Array.of(0xff, 0xfe) }]),
        'SubmissionFileNotText',
        'index.ts',
      ],
    ] as const)('%s', async (_what, bytes, title, named) => {
      const problem = await refusal(() => submitArchive(bytes));
      expect(problem.title).toBe(title);
      if (named !== undefined) expect(problem.details).toMatchObject({ entry: named });
    });

    test('a zip holds a path that leaves the project', async () => {
      const bytes = zip([entry, { name: 'a/../../x', data: 'x' }]);
      expect(await refusal(() => submitArchive(bytes, 'zip'))).toMatchObject({ title: 'SubmissionPathRefused' });
    });

    test('it unpacks to a bomb', async () => {
      const bytes = gzipBomb(tarGz([]).subarray(0, 0), 1);
      expect(bytes.length).toBeLessThan(5 * 1024 * 1024);
      expect(await refusal(() => submitArchive(bytes))).toMatchObject({ status: 413, title: 'ArchiveTooLarge' });
    });

    test('it holds 10,000 files', async () => {
      const entries = manyFiles(10_000).map(({ path, content }) => ({ name: path, data: content }));
      expect(await refusal(() => submitArchive(tarGz(entries)))).toMatchObject({ title: 'SubmissionTooLarge' });
      expect(await refusal(() => submitArchive(zip(entries), 'zip'))).toMatchObject({ title: 'SubmissionTooLarge' });
    });

    test('its settings file is not acceptable, naming the setting', async () => {
      const settings = { name: 'opslog.json', data: '{"compatibilityDate":"yesterday"}' };
      expect(await refusal(() => submitArchive(tarGz([entry, settings])))).toMatchObject({
        title: 'SettingsInvalid',
        field: 'opslog.json:compatibilityDate',
      });
      const broken = { name: 'opslog.json', data: '{' };
      expect(await refusal(() => submitArchive(tarGz([entry, broken])))).toMatchObject({ title: 'SettingsInvalid' });
    });
  });

  describe('A submission as JSON is refused, and leaves nothing behind, when', () => {
    test.each([
      ['a path leaves the project', [index, { path: '../x', content: '' }], 'SubmissionPathRefused', 'files[1].path'],
      ['a path is absolute', [index, { path: '/x', content: '' }], 'SubmissionPathRefused', 'files[1].path'],
      ['a path is there twice', [index, index], 'SubmissionPathDuplicate', 'files[1].path'],
      ['a file is not text', [{ path: 'index.ts', contentBase64: '//4=' }], 'SubmissionFileNotText', undefined],
      ['base64 is not base64', [{ path: 'index.ts', contentBase64: '???' }], 'SubmissionFileNotText', undefined],
      ['there is no file', [], 'SubmissionEmpty', 'files'],
      ['there are 10,000 files', manyFiles(10_000), 'SubmissionTooLarge', undefined],
      ['no entry point can be found', [{ path: 'main.ts', content: '' }], 'EntryPointMissing', 'entryPoint'],
      ['a file has no content', [{ path: 'index.ts' }], 'RequestInvalid', 'files[0]'],
    ] as const)('%s', async (_what, files, title, field) => {
      const problem = await refusal(() => submitFiles(files));
      expect(problem.title).toBe(title);
      if (field !== undefined) expect(problem.field).toBe(field);
    });

    test('the named entry point is not there', async () => {
      expect(await refusal(() => submitFiles([index], { entryPoint: 'src/main.ts' }))).toMatchObject({
        title: 'EntryPointMissing',
      });
    });

    test('the source does not parse, with file, line and column', async () => {
      const broken = { path: 'src/index.ts', content: 'export default {\n  fetch() { return new Response( }\n};\n' };
      expect(await refusal(() => submitFiles([broken]))).toMatchObject({
        title: 'SourceSyntaxInvalid',
        status: 422,
        details: { file: 'src/index.ts', line: 2, column: expect.any(Number) },
      });
    });

    test('an import does not resolve, with file, line and column', async () => {
      const source = {
        path: 'index.ts',
        content: "import { x } from './nowhere';\nexport default { fetch: () => x };\n",
      };
      expect(await refusal(() => submitFiles([source]))).toMatchObject({
        title: 'ImportUnresolved',
        details: { file: 'index.ts', line: 1, column: expect.any(Number) },
      });
    });

    test('it names a secret that is not there', async () => {
      expect(await refusal(() => submitFiles([index], { secretNames: ['API_KEY'] }))).toMatchObject({
        title: 'SecretNotFound',
        field: 'secretNames',
      });
    });

    test('a setting is not acceptable, with a pointer to each', async () => {
      const problem = await refusal(() =>
        submitFiles([index], { compatibilityDate: '2026-02-30', language: 'cobol', variables: { '1x': 'y' } }),
      );
      expect(problem).toMatchObject({
        title: 'RequestInvalid',
        errors: expect.arrayContaining([
          expect.objectContaining({ pointer: '/compatibilityDate' }),
          expect.objectContaining({ pointer: '/language' }),
        ]),
      });
    });

    test('a variable is no well-formed text', async () => {
      expect(await refusal(() => submitFiles([index], { variables: { GREETING: '\ud800' } }))).toMatchObject({
        title: 'RequestInvalid',
        field: 'variables.GREETING',
      });
      const settings = { path: 'opslog.json', content: '{"variables":{"GREETING":"\\ud800"}}' };
      expect(await refusal(() => submitFiles([index, settings]))).toMatchObject({
        title: 'SettingsInvalid',
        field: 'opslog.json:variables.GREETING',
      });
    });

    test('its variables are more in all than every revision may pin', async () => {
      const variables = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`V${at}`, '漢'.repeat(1_000)]));
      expect(await refusal(() => submitFiles([index], { variables }))).toMatchObject({
        title: 'RequestInvalid',
        field: 'variables',
      });
    });

    test('what its packages say of themselves is more than the log takes as one fact', async () => {
      const [name, license] = ['漢'.repeat(100_000), 'x'.repeat(300_000)];
      const packaged = [
        { path: 'index.ts', content: "import 'p';\nexport default { fetch() {} };\n" },
        { path: 'node_modules/p/package.json', content: JSON.stringify({ name, license, main: 'index.js' }) },
        { path: 'node_modules/p/index.js', content: 'console.log(1);' },
      ];
      expect(await refusal(() => submitFiles(packaged))).toMatchObject({ title: 'SubmissionTooLarge', status: 413 });
    });

    test('an import is a very long name, told in a short answer', async () => {
      const answered = await submitFiles([{ path: 'index.ts', content: `import '${'x'.repeat(500_000)}';` }]);
      expect(problemOf(answered)).toMatchObject({ title: 'ImportUnresolved', details: { file: 'index.ts', line: 1 } });
      expect(answered.text.length).toBeLessThan(10_000);
    });

    test('its entry point exports no handler', async () => {
      expect(await refusal(() => submitFiles([{ path: 'index.ts', content: 'export const x = 1;' }]))).toMatchObject({
        title: 'EntryPointMissing',
      });
    });
  });

  describe('A submission in any form', () => {
    test('may hold a package whose name and version are no well-formed text', async () => {
      const manifest = '{"name":"p\\ud800","version":"1\\udfff","license":"\\u0000\\ud800","main":"index.js"}';
      const answered = await submitFiles([
        { path: 'index.ts', content: "import 'p';\nexport default { fetch() {} };\n" },
        { path: 'node_modules/p/package.json', content: manifest },
        { path: 'node_modules/p/index.js', content: 'console.log(1);' },
      ]);
      expect(answered.status).toBe(201);
    });

    test('is built into the same revision: JSON, tar.gz and zip of the same files have the same digests', async () => {
      const json = await submitFiles(helloWorker('same').files);
      const entries = helloWorker('same').files.map(({ path, content }) => ({ name: path, data: content }));
      const packed = await submitArchive(tarGz(entries));
      const zipped = await submitArchive(zip(entries), 'zip');
      const digests = ({ body }: typeof json) => {
        const { sourceDigest, bundleDigest } = Object(body);
        return { sourceDigest, bundleDigest };
      };
      expect([json.status, packed.status, zipped.status]).toEqual([201, 201, 201]);
      expect(digests(packed)).toEqual(digests(json));
      expect(digests(zipped)).toEqual(digests(json));
    });

    test('takes its settings from the file in it, and the parameters win', async () => {
      const settings = {
        name: 'opslog.json',
        data: JSON.stringify({ compatibilityDate: '2026-02-01', variables: { GREETING: 'hi' }, workspace: 'ours' }),
      };
      const fromFile = await submitArchive(tarGz([entry, settings]));
      expect(fromFile.body).toMatchObject({ compatibilityDate: '2026-02-01', variableNames: ['GREETING'] });
      const overridden = await submitArchive(tarGz([entry, settings]), 'gzip', '?compatibilityDate=2026-03-01');
      expect(overridden.body).toMatchObject({ compatibilityDate: '2026-03-01', variableNames: ['GREETING'] });
    });
  });
};
