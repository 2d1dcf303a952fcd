import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Aggregates, createAggregates } from '../../src/commands/aggregates.ts';
import { createDepartment } from '../../src/commands/department.ts';
import { submitRevision } from '../../src/commands/edgeWorker.ts';
import type { Envelope } from '../../src/commands/envelope.ts';
import { sha256 } from '../../src/commands/envelope.ts';
import { seed } from '../../src/commands/seed.ts';
import { createWorkspace } from '../../src/commands/workspace.ts';
import { edgeWorkerId, reservationId, scriptNameOf } from '../../src/domain/identifiers.ts';
import { openFolderStore } from '../../src/platform/artifacts/folderStore.ts';
import type { ArtifactStore } from '../../src/platform/artifacts/port.ts';
import type { Built } from '../../src/platform/builder/port.ts';
import { readArchive } from '../../src/platform/builder/readArchive.ts';
import { readFiles } from '../../src/platform/builder/readFiles.ts';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import type { Passwords } from '../../src/platform/password/port.ts';
import { createScheduleRules } from '../../src/platform/schedule/croner.ts';
import { startTestEventStore, type TestEventStore } from '../support/eventStore.ts';

let store: TestEventStore;
let artifacts: ArtifactStore;
let folder: string;
beforeAll(async () => {
  store = await startTestEventStore();
  folder = await mkdtemp(join(tmpdir(), 'opslog-workflows-'));
  artifacts = await openFolderStore(folder);
});
afterAll(async () => {
  await store.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Quick, and recognisable in an assertion; what a real hash is worth is tested where it is made. */
const passwords: Passwords = {
  hash: async (password) => `hash of ${sha256(password)}`,
  verify: async (hash, password) => hash === `hash of ${sha256(password)}`,
  isOutdated: () => false,
};
const secretKey = new Uint8Array(randomBytes(32));

const envelope = (commandId: string = randomUUID()): Envelope => ({
  commandId,
  commandDigest: 'digest',
  actor: { kind: 'user', id: 'user-1' },
  authMethod: 'session',
  workspaceId: '',
  departmentId: '',
  requestId: 'request-1',
  correlationId: 'correlation-1',
  causationId: '',
});

class Crash extends Error {}

/** A process that dies at the nth append: that one and all after it never happen. */
const dyingAt = (appends: number): Aggregates => {
  let left = appends;
  const log: EventLog = {
    ...store.log,
    append: (...args) => {
      left -= 1;
      return left < 0 ? Promise.reject(new Crash()) : store.log.append(...args);
    },
  };
  return createAggregates({ log, now: Date.now });
};
const living = (): Aggregates => createAggregates({ log: store.log, now: Date.now });

const streamOf = async (stream: string): Promise<string[]> => {
  const types: string[] = [];
  for await (const event of store.log.readStream(stream)) types.push(event.type);
  return types;
};

const owner = { userId: 'user-1', email: 'owner@example.com', displayName: 'Owner' };
const unique = (): string => `s-${randomBytes(6).toString('hex')}`;

const aWorkspace = async (aggregates: Aggregates): Promise<string> => {
  const created = await createWorkspace({ aggregates }, { name: 'W', slug: unique() }, owner, envelope());
  if (!created.ok) throw new Error(created.rejection.reason);
  return created.value.workspaceId;
};

describe('Creating a workspace', () => {
  test('that a crash cut short after the claim of its slug is completed by the retry', async () => {
    const slug = unique();
    const request = envelope();
    const crashed = createWorkspace({ aggregates: dyingAt(1) }, { name: 'W', slug }, owner, request);
    await expect(crashed).rejects.toBeInstanceOf(Crash);
    const retried = await createWorkspace({ aggregates: living() }, { name: 'W', slug }, owner, request);
    expect(retried).toMatchObject({ ok: true, value: { slug } });
    expect(await streamOf(`reservation-${reservationId(sha256, 'workspace', slug)}`)).toEqual(['NameReserved']);
  });

  test('wins its slug once when two race for it', async () => {
    const slug = unique();
    const race = () => createWorkspace({ aggregates: living() }, { name: 'W', slug }, owner, envelope());
    const outcomes = await Promise.all([race(), race(), race()]);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    for (const outcome of outcomes) {
      if (!outcome.ok) expect(outcome.rejection).toMatchObject({ rejected: 'NameTaken', field: 'slug' });
    }
  });

  test('under a key of another request claims no name', async () => {
    const request = envelope();
    const other = unique();
    await createWorkspace({ aggregates: living() }, { name: 'W', slug: unique() }, owner, request);
    const reused = { ...request, commandDigest: 'another' };
    const refused = await createWorkspace({ aggregates: living() }, { name: 'W', slug: other }, owner, reused);
    expect(refused).toMatchObject({ ok: false, rejection: { rejected: 'IdempotencyKeyReused' } });
    expect(await streamOf(`reservation-${reservationId(sha256, 'workspace', other)}`)).toEqual([]);
  });
});

describe('Creating a department', () => {
  test('takes a slug that another workspace has', async () => {
    const aggregates = living();
    const slug = unique();
    const [first, second] = [await aWorkspace(aggregates), await aWorkspace(aggregates)];
    const create = (workspaceId: string) =>
      createDepartment({ aggregates }, workspaceId, { name: 'D', slug }, envelope());
    expect([await create(first), await create(second), await create(first)].map(({ ok }) => ok)).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('Submitting a revision', () => {
  const built = (text: string): Built => ({
    source: new TextEncoder().encode(`source ${text}`),
    sourceDigest: sha256(`source ${text}`),
    bundle: new TextEncoder().encode(`bundle ${text}`),
    bundleDigest: sha256(`bundle ${text}`),
    sbom: '{}',
    sbomDigest: sha256('{}'),
    buildReceipt: '{}',
    warnings: [],
  });
  const submit = (
    aggregates: Aggregates,
    text: string,
    departmentId: string,
    request = envelope(),
    artifactStore = artifacts,
  ) =>
    submitRevision(
      {
        aggregates,
        artifacts: artifactStore,
        reader: {
          schedules: createScheduleRules(),
          readFiles: (files) => readFiles(files),
          readArchive: (bytes) => readArchive(bytes),
        },
        builder: { build: async () => built(text) },
        clock: { now: () => 1_000 },
        log: silentLog,
      },
      { workspaceId: 'company-1', departmentId },
      { source: { kind: 'files', files: [{ path: 'index.ts', content: '' }] }, settings: {} },
      request,
    );

  test('names worker and script after company and department', async () => {
    const departmentId = randomUUID();
    const outcome = await submit(living(), 'names', departmentId);
    const workerId = edgeWorkerId(sha256, departmentId);
    expect(outcome).toMatchObject({ ok: true, value: { revision: 1, workerId } });
    const { state } = await living().edgeWorker.load(workerId);
    expect(state).toMatchObject({ scriptName: scriptNameOf(sha256, 'company-1', departmentId) });
  });

  test('that is retried finds its revision and stores nothing again', async () => {
    const departmentId = randomUUID();
    const request = envelope();
    const first = await submit(living(), 'retry', departmentId, request);
    const second = await submit(living(), 'retry', departmentId, request);
    expect(second).toMatchObject({ ok: true, value: first.ok && first.value });
    const third = await submit(living(), 'retry', departmentId);
    expect(third).toMatchObject({ ok: true, value: { revision: 2 } });
  });

  test('hands over what it stored for cleanup when the revision cannot be recorded', async () => {
    const departmentId = randomUUID();
    const request = envelope();
    const workerId = edgeWorkerId(sha256, departmentId);
    // The worker's stream cannot be written to, all others can.
    const log: EventLog = {
      ...store.log,
      append: (stream, ...rest) =>
        stream.startsWith('edgeWorker-') ? Promise.reject(new Crash()) : store.log.append(stream, ...rest),
    };
    const broken = createAggregates({ log, now: Date.now });
    await expect(submit(broken, 'orphan', departmentId, request)).rejects.toBeInstanceOf(Crash);
    const { derivedId } = await import('../../src/domain/identifiers.ts');
    const { state } = await living().artifactCleanup.load(derivedId(sha256, 'cleanup', request.commandId));
    expect(state).toMatchObject({
      status: 'pending',
      workerId,
      digests: [built('orphan').sourceDigest, built('orphan').bundleDigest],
      requestedAt: 1_000,
      nextAttemptAt: 1_000 + 60 * 60 * 1000,
    });
  });

  test('hands over what it does not know to be stored, when the store broke off', async () => {
    const request = envelope();
    const losing: ArtifactStore = {
      ...artifacts,
      put: async (bytes) => {
        const stored = await artifacts.put(bytes);
        if (stored.digest === built('unsure').bundleDigest) throw new Crash();
        return stored;
      },
    };
    await expect(submit(living(), 'unsure', randomUUID(), request, losing)).rejects.toBeInstanceOf(Crash);
    const { derivedId } = await import('../../src/domain/identifiers.ts');
    const { state } = await living().artifactCleanup.load(derivedId(sha256, 'cleanup', request.commandId));
    expect(state).toMatchObject({ digests: [built('unsure').sourceDigest, built('unsure').bundleDigest] });
  });

  test('asks for no cleanup of what was in the store before', async () => {
    await submit(living(), 'shared', randomUUID());
    const log: EventLog = {
      ...store.log,
      append: (stream, ...rest) =>
        stream.startsWith('edgeWorker-') ? Promise.reject(new Crash()) : store.log.append(stream, ...rest),
    };
    const request = envelope();
    const broken = createAggregates({ log, now: Date.now });
    await expect(submit(broken, 'shared', randomUUID(), request)).rejects.toBeInstanceOf(Crash);
    const { derivedId } = await import('../../src/domain/identifiers.ts');
    const { state } = await living().artifactCleanup.load(derivedId(sha256, 'cleanup', request.commandId));
    expect(state).toEqual({ status: 'absent' });
  });

  test('whose worker changed since it was read stores nothing', async () => {
    const departmentId = randomUUID();
    await submit(living(), 'first', departmentId);
    const late = { ...envelope(), expectedRevision: 0 };
    const refused = await submit(living(), 'late', departmentId, late);
    expect(refused).toMatchObject({ ok: false, rejection: { rejected: 'RevisionMismatch' } });
    expect(await artifacts.has(built('late').bundleDigest)).toBe(false);
  });
});

describe('Seeding', () => {
  test('sets up administrator, Main Workspace and scope once, whatever crashes on the way', async () => {
    const scope = 'onprem:0123456789ab';
    const deps = (aggregates: Aggregates) => ({ aggregates, passwords, secretKey, clock: { now: Date.now }, scope });
    const administrator = { email: 'Admin@Example.com' };
    const common = { ...administrator, password: 'Qwertyuiop123' };
    await expect(seed(deps(living()), common)).rejects.toThrow('one of the first');
    for (const appends of [0, 1, 1, 1]) {
      await expect(seed(deps(dyingAt(appends)), administrator)).rejects.toThrow();
    }
    const seeded = await seed(deps(living()), administrator);
    const { state } = await living().workspace.load(seeded.workspaceId);
    expect(state).toMatchObject({ status: 'active', slug: 'main' });
    const { state: owner } = await living().user.load(seeded.userId);
    expect(owner).toMatchObject({ initialUntil: expect.any(Number) });
    expect(owner).not.toMatchObject({ initialUntil: 0 });
    const { state: gate } = await living().edgeMaintenance.load(scope);
    expect(gate).toMatchObject({ status: 'idle', epoch: 1 });
    const head = await store.log.head();
    const again = await seed(deps(living()), { email: 'other@example.com', password: 'another long password' });
    expect(again).toEqual({ userId: seeded.userId, workspaceId: seeded.workspaceId, email: 'admin@example.com' });
    expect(await store.log.head()).toBe(head);
  });
});
