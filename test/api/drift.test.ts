import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generatedFiles } from '../../src/api/generated.ts';
import { operations } from '../../src/api/operations.ts';
import { statuses } from '../../src/api/statuses.ts';
import { catalog } from '../../src/domain/catalog.ts';
import { version } from '../../src/version.ts';

const root = join(import.meta.dirname, '../..');
const generated = generatedFiles(version);

describe('What is written from the code', () => {
  test.each([...generated.keys()])(
    '%s is committed as the code says; run "npm run generate" when it is not',
    (path) => {
      expect(readFileSync(join(root, path), 'utf8')).toBe(generated.get(path));
    },
  );

  test('every problem code has its page, and no page is without a code', () => {
    const pages = readdirSync(join(root, 'docs/problems')).sort();
    expect(pages).toEqual(
      Object.keys(statuses)
        .map((code) => `${code}.md`)
        .sort(),
    );
  });
});

describe('The list of operations', () => {
  test('gives every operation a name of its own', () => {
    const ids = operations.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('lets a rejection of the domain be nothing but a client’s fault', () => {
    expect(Object.keys(catalog).length).toBeGreaterThan(0);
    const serverFaults = Object.entries(statuses).flatMap(([code, status]) => (status >= 500 ? [code] : []));
    expect(serverFaults.sort()).toEqual(
      [
        'ArtifactStoreUnavailable',
        'StorageFull',
        'InternalFault',
        'LogUnavailable',
        'ProjectionBehind',
        'ReadTablesUnavailable',
        'ServerBusy',
      ].sort(),
    );
  });

  test('asks for a sign-in everywhere but at the door and where nothing of a tenant is shown', () => {
    const open = operations.flatMap(({ id, access }) => (access.kind === 'public' ? [id] : []));
    expect(open.sort()).toEqual([
      'getDocs',
      'getLive',
      'getMetrics',
      'getOpenApi',
      'getProblem',
      'getReady',
      'openSession',
      'registerByInvitation',
      'showInvitation',
    ]);
  });

  test('guards everything below a workspace by a role there', () => {
    for (const { path, access } of operations) {
      if (path.startsWith('/workspaces/{workspaceId}')) expect(access).toHaveProperty('role');
    }
  });
});
