import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decode } from '../../src/commands/envelope.ts';
import type { JobData } from '../../src/domain/job/index.ts';
import { systemRandom } from '../../src/platform/clock/system.ts';
import type { WorkerSpec } from '../../src/platform/edge/port.ts';
import type { Vault } from '../../src/platform/vault/port.ts';
import { openVault } from '../../src/platform/vault/vault.ts';
import { createSecretReader } from '../../src/sagas/readSecrets.ts';
import { enqueueShredding, shredRemovedSecrets } from '../../src/sagas/shredRemovedSecrets.ts';
import { createMemoryVault } from '../support/memoryVault.ts';
import { type SecretWorld, startSecretWorld } from '../support/secretWorld.ts';

let folder: string;
let vault: Vault;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opslog-secrets-'));
  ({ vault } = await openVault({ keysDir: folder, random: systemRandom }));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const value = <Value>(outcome: { ok: boolean; value?: Value }): Value => {
  if (!outcome.ok || outcome.value === undefined) throw new Error(`Refused: ${JSON.stringify(outcome)}`);
  return outcome.value;
};

const specOf = (world: SecretWorld, secrets: WorkerSpec['secrets'], more: Partial<WorkerSpec> = {}): WorkerSpec => ({
  ...world.tenant,
  ...{ workerId: world.workerId, scriptName: 'dw-1', versionId: 'v1', revision: 1, bundleDigest: '' },
  ...{ compatibilityDate: '', compatibilityFlags: [], variables: {}, secrets, schedules: [], ...more },
});

describe('Storing a secret', () => {
  test('keeps nothing in the log that can be read, and no key that nothing was sealed with', async () => {
    const memory = createMemoryVault();
    const world = startSecretWorld(memory);
    value(await world.put('A', 'one-plain-value'));
    value(await world.put('A', 'one-plain-value'));
    expect(JSON.stringify(world.log.events.map(({ data }) => data))).not.toContain('one-plain-value');
    expect(memory.living()).toHaveLength(1);
  });

  test('twice at once by the same request makes one version and leaves one key', async () => {
    const memory = createMemoryVault();
    const world = startSecretWorld(memory);
    const [first, second] = await Promise.all([
      world.put('A', 'same-plain-value-1'),
      world.put('A', 'same-plain-value-1'),
    ]);
    expect([value(first).version, value(second).version]).toEqual([1, 1]);
    expect(memory.living()).toHaveLength(1);
    expect(world.types().filter((type) => type === 'EdgeSecretStored')).toHaveLength(1);
  });

  test('that is refused after the key was made destroys that key', async () => {
    const memory = createMemoryVault();
    const world = startSecretWorld({
      ...memory,
      // Somebody else is quicker, between the look and the append.
      seal: async (plaintext, aad) => {
        const sealed = await memory.seal(plaintext, aad);
        if (plaintext === 'slow-plain-value-1') value(await world.put('A', 'quick-plain-value-1'));
        return sealed;
      },
    });
    value(await world.put('A', 'zero-plain-value-1'));
    const { revision } = await world.aggregates.edgeSecret.load(world.secretId('A'));
    const request = {
      ...({ commandId: 'c1', commandDigest: '', actor: { kind: 'user', id: 'u' }, authMethod: 'session' } as const),
      ...{ ...world.tenant, requestId: '', correlationId: '', causationId: '', expectedRevision: revision },
    };
    expect(await world.put('A', 'slow-plain-value-1', request)).toMatchObject({
      rejection: { rejected: 'RevisionMismatch' },
    });
    expect(memory.living()).toHaveLength(2);
  });

  test('gives equal values of different departments and names different digests', async () => {
    const [one, other] = [startSecretWorld(vault), startSecretWorld(vault)];
    const digests = [
      await one.put('A', 'equal-plain-value-1'),
      await one.put('B', 'equal-plain-value-1'),
      await other.put('A', 'equal-plain-value-1'),
    ].map((stored) => value(stored).digest);
    expect(new Set(digests).size).toBe(3);
  });
});

describe('Reading what a revision pins', () => {
  test('gives exactly the versions that it names, and none of somebody else', async () => {
    const world = startSecretWorld(vault);
    const [one, two] = [
      value(await world.put('A', 'one-plain-value-1')),
      value(await world.put('A', 'two-plain-value-1')),
    ];
    expect(await world.read(specOf(world, [one]))).toEqual({ ok: true, values: { A: 'one-plain-value-1' } });
    expect(await world.read(specOf(world, [two]))).toEqual({ ok: true, values: { A: 'two-plain-value-1' } });
    const mixed = specOf(world, [{ ...one, digest: two.digest }]);
    expect(await world.read(mixed)).toMatchObject({ ok: false, code: 'secret_gone' });
    const elsewhere = specOf(world, [one], { departmentId: 'another' });
    expect(await world.read(elsewhere)).toMatchObject({ ok: false, code: 'secret_gone' });
    const foreign = specOf(world, [one], { workspaceId: 'another' });
    expect(await world.read(foreign)).toMatchObject({ ok: false, code: 'secret_unreadable' });
  });

  test('ends with the removal itself, before any key is destroyed', async () => {
    const world = startSecretWorld(vault);
    const pinned = value(await world.put('A', 'one-plain-value-1'));
    value(await world.remove('A'));
    expect(await world.read(specOf(world, [pinned]))).toMatchObject({ ok: false, code: 'secret_gone' });
    const again = value(await world.put('A', 'one-plain-value-1'));
    expect(again.version).toBe(2);
    expect(await world.read(specOf(world, [again]))).toEqual({ ok: true, values: { A: 'one-plain-value-1' } });
    expect(await world.read(specOf(world, [pinned]))).toMatchObject({ ok: false, code: 'secret_gone' });
  });

  test('says what is to be done when the keys are not there, and throws when nobody can tell now', async () => {
    const world = startSecretWorld(vault);
    const spec = specOf(world, [value(await world.put('A', 'one-plain-value-1'))]);
    const lost = createSecretReader({ log: world.log, vault: createMemoryVault() });
    expect(await lost(spec)).toMatchObject({
      ok: false,
      code: 'secret_unreadable',
      detail: expect.stringMatching(/restore/),
    });
    world.log.fail();
    await expect(world.read(spec)).rejects.toThrow();
  });
});

describe('Destroying the keys of a removed secret', () => {
  const context = { workspaceId: 'w', departmentId: 'd', requestId: '', correlationId: '', causationId: '' };
  const hand = (world: SecretWorld, attempt: number) => ({
    ...{
      jobId: 'job-1',
      kind: 'edgeSecret.shred',
      workspaceId: 'w',
      departmentId: 'd',
      subjectId: world.secretId('A'),
    },
    ...({
      payload: {},
      attempt,
      mode: 'perform',
      context,
      step: (_: string, perform: () => Promise<JobData>) => perform(),
      progress: async () => {},
      cancelRequested: () => false,
    } as const),
    cancelSignal: new AbortController().signal,
  });
  const never = new AbortController().signal;

  test('is a job of the removal, the same one however often the fact is seen', async () => {
    const world = startSecretWorld(vault);
    value(await world.put('A', 'one-plain-value-1'));
    value(await world.remove('A'));
    const reactor = enqueueShredding(world.aggregates);
    for (const stored of [...world.log.events, ...world.log.events]) {
      const event = decode(stored);
      if (event) await reactor.react(event);
    }
    expect(world.types().filter((type) => type === 'JobEnqueued')).toHaveLength(1);
  });

  test('opens nothing afterwards, is recorded, and may be done twice', async () => {
    const world = startSecretWorld(vault);
    for (const each of ['one-plain-value-1', 'two-plain-value-1']) value(await world.put('A', each));
    value(await world.remove('A'));
    const { effect } = shredRemovedSecrets({ secrets: world.aggregates.edgeSecret, vault });
    expect(await effect(hand(world, 1), never)).toMatchObject({
      outcome: 'done',
      detail: '2 data keys are destroyed.',
    });
    expect(await effect(hand(world, 2), never)).toMatchObject({ outcome: 'done' });
    expect(world.types().filter((type) => type === 'EdgeSecretShredded')).toHaveLength(1);
    for (const stored of world.log.events) {
      const event = decode(stored);
      if (event?.type !== 'EdgeSecretStored') continue;
      const { workspaceId, departmentId } = world.tenant;
      const aad = [workspaceId, departmentId, 'A', event.data.digest];
      expect(await vault.open(event.data, aad)).toEqual({ ok: false, code: 'destroyed' });
    }
  });

  test('leaves alone what was stored again after the removal', async () => {
    const world = startSecretWorld(vault);
    value(await world.put('A', 'one-plain-value-1'));
    value(await world.remove('A'));
    const again = value(await world.put('A', 'two-plain-value-1'));
    const { effect } = shredRemovedSecrets({ secrets: world.aggregates.edgeSecret, vault });
    await effect(hand(world, 1), never);
    expect(await world.read(specOf(world, [again]))).toEqual({ ok: true, values: { A: 'two-plain-value-1' } });
  });

  test('that fails half-way is uncertain, so that it is tried without end, and the next attempt finishes it', async () => {
    const world = startSecretWorld(vault);
    for (const each of ['one-plain-value-1', 'two-plain-value-1']) value(await world.put('A', each));
    value(await world.remove('A'));
    let left = 1;
    const failing = {
      destroy: async (keyId: string) => {
        if (left === 0) throw new Error('disk full');
        left -= 1;
        await vault.destroy(keyId);
      },
    };
    const { edgeSecret } = world.aggregates;
    const first = await shredRemovedSecrets({ secrets: edgeSecret, vault: failing }).effect(hand(world, 1), never);
    expect(first).toMatchObject({ outcome: 'uncertain' });
    expect(world.types()).not.toContain('EdgeSecretShredded');
    const second = await shredRemovedSecrets({ secrets: edgeSecret, vault }).effect(hand(world, 2), never);
    expect(second).toMatchObject({ outcome: 'done' });
    expect(world.types()).toContain('EdgeSecretShredded');
  });
});

describe('A deployment', () => {
  test('is refused by the step that needs a secret that went after the admission', async () => {
    const world = startSecretWorld(vault);
    value(await world.put('A', 'one-plain-value-1'));
    value(await world.submit(['A']));
    const { ticketId } = value(await world.admit(1));
    expect(await world.remove('A')).toMatchObject({ rejection: { rejected: 'SecretInUse' } });
    value(await world.remove('A', true));
    expect(await world.carryOut(ticketId)).toBe('failed');
    const failed = world.log.events.find(({ type }) => type === 'DeploymentFailed');
    expect(failed?.data).toMatchObject({ reasonCode: 'secret_gone', revisionState: 'failed' });
  });

  test('that was admitted is found again by its request, although the secret went meanwhile', async () => {
    const world = startSecretWorld(vault);
    value(await world.put('A', 'one-plain-value-1'));
    value(await world.submit(['A']));
    const request = {
      ...({
        commandId: 'deploy-1',
        commandDigest: '',
        actor: { kind: 'user', id: 'u' },
        authMethod: 'session',
      } as const),
      ...{ ...world.tenant, requestId: '', correlationId: '', causationId: '' },
    };
    const first = value(await world.admit(1, request));
    value(await world.remove('A', true));
    expect(value(await world.admit(1, request))).toEqual(first);
  });
});

const names = ['A', 'B'] as const;
const action = fc.oneof(
  fc.record({
    what: fc.constant('put' as const),
    name: fc.constantFrom(...names),
    text: fc.constantFrom('x', 'y', 'z'),
  }),
  fc.record({ what: fc.constant('remove' as const), name: fc.constantFrom(...names), force: fc.boolean() }),
  fc.record({ what: fc.constant('submit' as const), names: fc.subarray([...names]) }),
  fc.record({ what: fc.constant('deploy' as const), pick: fc.nat({ max: 5 }) }),
);

describe('Any sequence of storing, removing, submitting and deploying', () => {
  test('lets a worker see exactly the values that its revision pinned, or does not deploy it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 30, size: 'max' }), async (actions) => {
        const world = startSecretWorld(createMemoryVault());
        const current = new Map<string, { text: string }>();
        /** By revision: the values that were the newest when it was submitted, each as an object of its own. */
        const pinned: Map<string, { text: string }>[] = [];
        const gone = new Set<{ text: string }>();
        let live: Map<string, { text: string }> = new Map();
        const alive = (name: string): boolean => [...live.keys()].includes(name);
        for (const each of actions) {
          switch (each.what) {
            case 'put': {
              value(await world.put(each.name, `${each.text}-value`));
              const text = `${each.text}-value`;
              if (current.get(each.name)?.text !== text) current.set(each.name, { text });
              break;
            }
            case 'remove': {
              const removed = await world.remove(each.name, each.force);
              const known = world.types().includes('EdgeSecretStored') && current.has(each.name);
              if (known && alive(each.name) && !each.force) {
                expect(removed).toMatchObject({ ok: false, rejection: { rejected: 'SecretInUse' } });
                break;
              }
              for (const revision of pinned) {
                const value = revision.get(each.name);
                if (value && removed.ok) gone.add(value);
              }
              if (removed.ok) current.delete(each.name);
              break;
            }
            case 'submit': {
              const submitted = await world.submit(each.names);
              expect(submitted.ok).toBe(each.names.every((name) => current.has(name)));
              if (submitted.ok) {
                pinned.push(new Map(each.names.map((name) => [name, current.get(name) ?? { text: '' }])));
              }
              break;
            }
            case 'deploy': {
              const wanted = pinned[each.pick];
              if (!wanted) break;
              const became = await world.deploy(each.pick + 1);
              const whole = ![...wanted.values()].some((secret) => gone.has(secret));
              expect(became).toBe(whole ? 'completed' : 'SecretGone');
              if (whole) {
                live = wanted;
                expect(world.seen()).toEqual(Object.fromEntries([...wanted].map(([name, { text }]) => [name, text])));
              }
            }
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
