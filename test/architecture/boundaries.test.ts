import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { catalog } from '../../src/domain/catalog.ts';

const src = join(import.meta.dirname, '../../src');

const files: readonly string[] = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);

const importPattern = /^(?:import|export)\s[^;]*?from\s+'([^']+)'|^import\s+'([^']+)'|import\('([^']+)'\)/gm;

/** What a file imports: paths inside src as such, packages by name. */
const importsOf = (file: string): readonly string[] => {
  const text = readFileSync(join(src, file), 'utf8');
  return [...text.matchAll(importPattern)].map(([, from, bare, lazy]) => {
    const target = from ?? bare ?? lazy ?? '';
    return target.startsWith('.') ? relative(src, join(src, dirname(file), target)) : target;
  });
};

const violations = (inside: (file: string) => boolean, allowed: (target: string, file: string) => boolean) =>
  files.filter(inside).flatMap((file) =>
    importsOf(file)
      .filter((target) => !allowed(target, file))
      .map((target) => `${file} imports ${target}`),
  );

const within = (folder: string) => (file: string) => file.startsWith(`${folder}/`);
const isPort = (target: string) => /^platform\/[^/]+\/port\.ts$/.test(target);
const isNode = (target: string) => target.startsWith('node:');
const fromFolders =
  (...folders: readonly string[]) =>
  (target: string) =>
    folders.some((folder) => target.startsWith(`${folder}/`));

describe('Who may import what', () => {
  test('the domain imports no package and no other folder', () => {
    expect(violations(within('domain'), fromFolders('domain'))).toEqual([]);
  });

  test('no aggregate imports another', () => {
    const aggregate = (path: string) => /^domain\/([^/]+)\//.exec(path)?.[1];
    expect(
      violations(
        (file) => aggregate(file) !== undefined,
        (target, file) => aggregate(target) === undefined || aggregate(target) === aggregate(file),
      ),
    ).toEqual([]);
  });

  test('commands know the domain, the ports of the platform, and zod', () => {
    const allowed = (target: string) =>
      fromFolders('domain', 'commands')(target) || isPort(target) || isNode(target) || target === 'zod';
    expect(violations(within('commands'), allowed)).toEqual([]);
  });

  test('read tables know the domain, the decoding of events, the database port, and kysely', () => {
    const allowed = (target: string) =>
      fromFolders('domain', 'projections')(target) ||
      target.startsWith('commands/envelope') ||
      isPort(target) ||
      isNode(target) ||
      target === 'kysely';
    expect(violations(within('projections'), allowed)).toEqual([]);
  });

  test('sagas know the domain, commands, and the ports of the platform', () => {
    const allowed = (target: string) =>
      fromFolders('domain', 'commands', 'sagas')(target) || isPort(target) || isNode(target);
    expect(violations(within('sagas'), allowed)).toEqual([]);
  });

  test('the API knows commands, queries and ports, express, zod and the metrics registry, but no driver', () => {
    const packages = new Set(['express', 'zod', 'prom-client']);
    const allowed = (target: string) =>
      fromFolders('domain', 'commands', 'projections', 'api')(target) ||
      isPort(target) ||
      isNode(target) ||
      packages.has(target);
    expect(violations(within('api'), allowed)).toEqual([]);
  });

  test('the platform knows the kernel and drivers, nothing of the features', () => {
    const kernel = new Set(['domain/kernel.ts', 'domain/identifiers.ts', 'domain/caseless.ts']);
    const allowed = (target: string) => {
      const inside = /^(domain|commands|projections|sagas|api|cli|client|demo)\//.test(target);
      return !inside || kernel.has(target);
    };
    expect(violations(within('platform'), allowed)).toEqual([]);
  });

  test('only the platform imports drivers', () => {
    const drivers =
      /^(pg|pg-copy-streams|mysql2|nats|lmdb|esbuild|@grpc|@eventstore|@electric-sql|@aws-sdk|workerd|ssh2|@node-rs|pino)/;
    expect(
      violations(
        (file) => !within('platform')(file),
        (target) => !drivers.test(target),
      ),
    ).toEqual([]);
  });

  test('only send appends facts to the log; the snapshots that it takes are the one other thing in it', () => {
    const appending = files.filter((file) => /\blog\.append\(/.test(readFileSync(join(src, file), 'utf8')));
    expect([...appending].sort()).toEqual(['commands/send.ts', 'commands/snapshots.ts']);
  });
});

describe('Shape of the code', () => {
  test('a source file holds one idea: none is longer than 350 lines', () => {
    const long = files
      .map((file) => [file, readFileSync(join(src, file), 'utf8').split('\n').length] as const)
      .filter(([file, lines]) => lines > 350 && file !== 'client/api.ts');
    expect(long).toEqual([]);
  });

  test('nothing is silenced: no any, no suppressed error, no double cast', () => {
    const silenced = /:\s*any\s*[;,)=\]>|]|<any>|as any;|@ts-ignore|@ts-expect-error|as unknown as/;
    expect(files.filter((file) => silenced.test(readFileSync(join(src, file), 'utf8')))).toEqual([]);
  });
});

describe('Names', () => {
  const names = Object.values(catalog).flatMap(({ category, events }) =>
    Object.keys(events).map((event) => ({ category, event })),
  );

  test('an event is a noun and a past participle, and never says only that something changed', () => {
    const participle = /(ed|Began|Became[A-Z][a-z]+|Sent|Left|Put|Found|Redriven)$/;
    expect(names.filter(({ event }) => !participle.test(event) || /(Updated|Changed)$/.test(event))).toEqual([]);
  });

  test('an event name belongs to one aggregate', () => {
    const all = names.map(({ event }) => event);
    expect(all.filter((event, index) => all.indexOf(event) !== index)).toEqual([]);
  });

  test('a category has no dash, since the dash ends it in the name of a stream', () => {
    expect(names.filter(({ category }) => !/^[a-z][A-Za-z]*$/.test(category))).toEqual([]);
  });
});
