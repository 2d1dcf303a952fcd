import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Aggregates, createAggregates } from '../../src/commands/aggregates.ts';
import { createCredential, renameCredential } from '../../src/commands/credential.ts';
import { createDepartment } from '../../src/commands/department.ts';
import type { Envelope } from '../../src/commands/envelope.ts';
import { createWebhook } from '../../src/commands/webhook.ts';
import { maxWebhooks } from '../../src/commands/webhookSlots.ts';
import { createWorkspace } from '../../src/commands/workspace.ts';
import { systemClock, systemRandom } from '../../src/platform/clock/system.ts';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import { createSshKeys } from '../../src/platform/ssh/keys.ts';
import { createMemoryLog, type MemoryLog } from '../support/memoryLog.ts';
import { createMemoryVault } from '../support/memoryVault.ts';

// A name is claimed in one stream and used in another, so that a crash between the two leaves it held by nobody.

const workspaceId = randomUUID();
const owner = { userId: randomUUID(), email: 'a@example.com', displayName: 'A' };
const envelope = (commandId: string = randomUUID()): Envelope => ({
  ...{ commandId, commandDigest: 'd', actor: { kind: 'user', id: 'user-1' }, authMethod: 'session', workspaceId },
  ...{ departmentId: '', requestId: 'r1', correlationId: 'c1', causationId: '' },
});

type Outcome = Promise<{ readonly ok: boolean; readonly rejection?: { readonly rejected: string } }>;
type Creation = {
  /** Leaves one name that all of them want. */
  readonly prepare?: (aggregates: Aggregates) => Promise<void>;
  readonly create: (aggregates: Aggregates, request: Envelope) => Outcome;
  readonly created: string;
  readonly refusal: string;
};

const vault = createMemoryVault();
const webhook = (aggregates: Aggregates, request: Envelope) =>
  createWebhook(
    { aggregates, vault, random: systemRandom, clock: systemClock, outbound: { check: () => undefined } },
    workspaceId,
    { url: 'https://hooks.example/in', description: '', eventTypes: ['*'], departmentIds: [] },
    request,
  );

const creations: Readonly<Record<string, Creation>> = {
  workspace: {
    create: (aggregates, request) => createWorkspace({ aggregates }, { name: 'W', slug: 'wanted' }, owner, request),
    ...{ created: 'WorkspaceCreated', refusal: 'NameTaken' },
  },
  department: {
    create: (aggregates, request) =>
      createDepartment({ aggregates }, workspaceId, { name: 'D', slug: 'wanted' }, request),
    ...{ created: 'DepartmentCreated', refusal: 'NameTaken' },
  },
  credential: {
    create: (aggregates, request) =>
      createCredential(
        { aggregates, vault, sshKeys: createSshKeys() },
        workspaceId,
        { name: 'Wanted', description: '', value: { kind: 'generic', fields: { KEY: 'a-value' } } },
        request,
      ),
    ...{ created: 'CredentialCreated', refusal: 'NameTaken' },
  },
  'last webhook': {
    prepare: async (aggregates) => {
      for (let place = 1; place < maxWebhooks; place += 1) await webhook(aggregates, envelope());
    },
    ...{ create: webhook, created: 'WebhookCreated', refusal: 'WebhookLimitReached' },
  },
};

/** A process of its own. Before the nth append it waits for `meanwhile`, which may throw: then it never happens. */
const processOn = (log: MemoryLog, nth = 0, meanwhile: () => Promise<void> = async () => {}): Aggregates => {
  let appends = 0;
  const slow: EventLog = {
    ...log,
    append: async (...args) => {
      appends += 1;
      if (appends === nth) await meanwhile();
      return log.append(...args);
    },
  };
  return createAggregates({ log: slow, now: Date.now });
};

class Crash extends Error {}
const crash = () => Promise.reject(new Crash());

describe.each(Object.entries(creations))('A name of a %s', (_, { prepare, create, created, refusal }) => {
  const aLog = async () => {
    const log = createMemoryLog();
    await prepare?.(processOn(log));
    return { log, before: log.events.length, count: () => log.events.filter(({ type }) => type === created).length };
  };

  test('that a crashed creation left held is had by whoever wants it next, and by the crashed one no more', async () => {
    const { log, before, count } = await aLog();
    const had = count();
    const request = envelope();
    await expect(create(processOn(log, 2, crash), request)).rejects.toBeInstanceOf(Crash);
    expect(log.events.length).toBe(before + 1);
    expect(await create(processOn(log), envelope())).toMatchObject({ ok: true });
    expect(await create(processOn(log), request)).toMatchObject({ ok: false, rejection: { rejected: refusal } });
    expect(count()).toBe(had + 1);
  });

  test('goes to the crashed creation when it is tried again before anybody else wants it', async () => {
    const { log, count } = await aLog();
    const had = count();
    const request = envelope();
    await expect(create(processOn(log, 2, crash), request)).rejects.toBeInstanceOf(Crash);
    expect(await create(processOn(log), request)).toMatchObject({ ok: true });
    expect(await create(processOn(log), envelope())).toMatchObject({ ok: false, rejection: { rejected: refusal } });
    expect(count()).toBe(had + 1);
  });

  test('is had by one of two when the first stands still between claim and creation, however long', async () => {
    const { log, count } = await aLog();
    const had = count();
    const second = () => create(processOn(log), envelope()).then((outcome) => void expect(outcome.ok).toBe(true));
    const first = await create(processOn(log, 2, second), envelope());
    expect(first).toMatchObject({ ok: false, rejection: { rejected: refusal } });
    expect(count()).toBe(had + 1);
  });

  test('is had by exactly one of many who want it at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { log, count } = await aLog();
      const had = count();
      const turns = (nth: number) => async () => {
        for (let turn = 0; turn < (nth * 7 + round) % 13; turn += 1) await new Promise((done) => setImmediate(done));
      };
      const wanting = Array.from({ length: 4 }, (_, each) =>
        create(processOn(log, 1 + ((each + round) % 3), turns(each)), envelope()),
      );
      const outcomes = await Promise.all(wanting);
      expect({ round, ok: outcomes.filter(({ ok }) => ok).length, created: count() - had }).toEqual({
        ...{ round, ok: 1, created: 1 },
      });
    }
  });
});

describe('A name that was claimed for a renaming', () => {
  const value = { kind: 'generic', fields: { KEY: 'a-value' } } as const;
  const start = async () => {
    const log = createMemoryLog();
    const deps = (aggregates: Aggregates) => ({ aggregates, vault, sshKeys: createSshKeys() });
    const create = (name: string) =>
      createCredential(deps(processOn(log)), workspaceId, { name, description: '', value }, envelope());
    const made = await create('old');
    if (!made.ok) throw new Error(made.rejection.rejected);
    const { credentialId } = made.value;
    const rename = (aggregates: Aggregates, name: string, request = envelope()) =>
      renameCredential({ aggregates }, { workspaceId, credentialId }, name, request);
    return { log, create, rename };
  };

  test('and left by a crash is had by whoever wants it next; the renaming that comes again is refused', async () => {
    const { log, create, rename } = await start();
    const request = envelope();
    await expect(rename(processOn(log, 2, crash), 'Wanted', request)).rejects.toBeInstanceOf(Crash);
    expect(await create('wanted')).toMatchObject({ ok: true });
    expect(await rename(processOn(log), 'Wanted', request)).toMatchObject({ rejection: { rejected: 'NameTaken' } });
    // Its own name it still has, and may have another.
    expect(await create('old')).toMatchObject({ rejection: { rejected: 'NameTaken' } });
    expect(await rename(processOn(log), 'other')).toMatchObject({ ok: true, value: { name: 'other' } });
    expect(await create('old')).toMatchObject({ ok: true });
    expect(await create('Other')).toMatchObject({ rejection: { rejected: 'NameTaken' } });
  });

  test('and left by a crash is had by the same credential when it is tried again', async () => {
    const { log, create, rename } = await start();
    const request = envelope();
    await expect(rename(processOn(log, 2, crash), 'Wanted', request)).rejects.toBeInstanceOf(Crash);
    expect(await rename(processOn(log), 'Wanted', request)).toMatchObject({ ok: true });
    expect(await create('wanted')).toMatchObject({ rejection: { rejected: 'NameTaken' } });
    expect(await create('old')).toMatchObject({ ok: true });
  });
});
