import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeDepartment } from '../../src/commands/department.ts';
import { decode } from '../../src/commands/envelope.ts';
import { reserve } from '../../src/commands/workspace.ts';
import type { JobData } from '../../src/domain/job/index.ts';
import { systemRandom } from '../../src/platform/clock/system.ts';
import { open } from '../../src/platform/vault/aesGcm.ts';
import type { Vault } from '../../src/platform/vault/port.ts';
import { openVault } from '../../src/platform/vault/vault.ts';
import { deleteOrphanedCredentials } from '../../src/sagas/deleteOrphanedCredentials.ts';
import type { OpenedCredential } from '../../src/sagas/openedCredential.ts';
import { enqueueCredentialShredding, shredCredentials } from '../../src/sagas/shredCredentials.ts';
import { useCredential } from '../../src/sagas/useCredential.ts';
import { apiToken, type CredentialWorld, must, startCredentialWorld } from '../support/credentialWorld.ts';
import { createMemoryVault } from '../support/memoryVault.ts';
import { anSshPair } from '../support/sshPair.ts';

let folder: string;
let vault: Vault;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opslog-credentials-'));
  ({ vault } = await openVault({ keysDir: folder, random: systemRandom }));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const textsOf = (opened: OpenedCredential): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries('fields' in opened ? opened.fields : opened).flatMap(([name, each]) =>
      Buffer.isBuffer(each) ? [[name, each.toString()]] : [],
    ),
  );
const hourMs = 3_600_000;

describe('Using a credential', () => {
  test('gives the value of every kind, as it was given', async () => {
    const world = await startCredentialWorld(vault);
    const privateKey = anSshPair({
      passphrase: 'pass-plain-phrase-1',
      cipher: 'aes256-ctr',
      rounds: 1,
    });
    const cases = [
      [{ kind: 'sshKey', userName: 'deploy', privateKey: privateKey.private, passphrase: 'pass-plain-phrase-1' }],
      [{ kind: 'sshPassword', userName: 'root', password: 'päss-plain-word-1' }],
      [apiToken('tok-plain-token-1')],
      [{ kind: 'registryLogin', registry: 'ghcr.io', userName: 'u', password: 'p-plain-password-1' }],
      [{ kind: 'generic', fields: { A: 'a\nb', B: '"' } }],
    ] as const;
    const expected = [
      { privateKey: privateKey.private, passphrase: 'pass-plain-phrase-1' },
      { password: 'päss-plain-word-1' },
      { token: 'tok-plain-token-1' },
      { password: 'p-plain-password-1' },
      { A: 'a\nb', B: '"' },
    ];
    for (const [index, [value]] of cases.entries()) {
      const { credentialId } = must(await world.create(`c${index}`, value));
      expect(await world.use({ credentialId }, async (opened) => textsOf(opened))).toEqual({
        ...{ ok: true, value: expected[index] },
      });
    }
  });

  test('a key that was made here opens a session key pair with its public half', async () => {
    const world = await startCredentialWorld(vault);
    const { credentialId, details } = must(
      await world.create('made', { kind: 'sshKey', userName: 'deploy', generate: true }),
    );
    const used = await world.use({ credentialId }, async (opened) => {
      const key = opened.kind === 'sshKey' ? ssh2.utils.parseKey(opened.privateKey) : new Error('another kind');
      return key instanceof Error ? '' : `${key.type} ${key.getPublicSSH().toString('base64')}`;
    });
    expect(used).toEqual({ ok: true, value: details.kind === 'sshKey' && details.publicKey });
  });

  test('leaves nothing in the bytes that were handed out, also when the work throws', async () => {
    const world = await startCredentialWorld(vault);
    const { credentialId } = must(await world.create('c', apiToken('zeroed-plain-token-1')));
    const kept: Buffer[] = [];
    const work = async (opened: OpenedCredential) => {
      if (opened.kind === 'apiToken') kept.push(opened.token);
      expect(kept.at(-1)?.toString()).toBe('zeroed-plain-token-1');
    };
    await world.use({ credentialId }, work);
    await expect(
      world.use({ credentialId }, async (opened) => {
        await work(opened);
        throw new Error('the server is away');
      }),
    ).rejects.toThrow('the server is away');
    expect(kept.map((bytes) => bytes.every((byte) => byte === 0))).toEqual([true, true]);
  });

  test('is on record with who, what and why, once an hour for each purpose and subject', async () => {
    const world = await startCredentialWorld(vault);
    const { credentialId } = must(await world.create('c', apiToken('a-plain-token-1')));
    const use = (more = {}) => world.use({ credentialId, ...more }, async () => 'used');
    for (let times = 0; times < 3; times += 1) await use();
    await Promise.all([use(), use()]);
    expect(world.types('CredentialUsed')).toHaveLength(1);
    await use({ subjectId: 'server-2' });
    await use({ purpose: 'website.deploy' });
    world.travel(hourMs);
    await use();
    expect(world.types('CredentialUsed')).toHaveLength(4);
    const [first] = world.types('CredentialUsed');
    expect(first?.data).toEqual({
      ...{ credentialId, version: 1, purpose: 'server.connect', subjectId: 'server-1' },
      windowStart: Date.UTC(2026, 0, 1, 12),
    });
    expect(first && decode(first)?.meta).toMatchObject({
      ...{ actor: { kind: 'system', id: 'test' }, workspaceId: world.workspaceId },
      ...{ correlationId: 'c2', causationId: 'e2', requestId: 'r2' },
    });
  });

  test('that cannot be recorded does not happen', async () => {
    const world = await startCredentialWorld(vault);
    const { credentialId } = must(await world.create('c', apiToken('a-plain-token-1')));
    world.log.fail();
    let isOpened = false;
    const using = world.use({ credentialId }, async () => {
      isOpened = true;
    });
    await expect(using).rejects.toThrow();
    expect(isOpened).toBe(false);
  });

  test('of another workspace or department, deleted or never made, is one answer, and no use', async () => {
    const world = await startCredentialWorld(vault);
    const bound = must(await world.create('bound', apiToken('a-plain-token-1'), { departmentId: world.departmentId }));
    const gone = must(await world.create('gone', apiToken('a-plain-token-1')));
    must({ ok: (await world.remove(gone.credentialId)).ok, value: true });
    const { context } = world;
    const never = await world.use({ credentialId: randomUUID() }, async () => 'opened');
    expect(never).toMatchObject({ ok: false, code: 'credential_missing' });
    const tried = [
      { credentialId: bound.credentialId, context: { ...context, workspaceId: randomUUID() } },
      { credentialId: bound.credentialId, context: { ...context, departmentId: randomUUID() } },
      { credentialId: bound.credentialId, context: { ...context, departmentId: '' } },
      { credentialId: gone.credentialId },
    ];
    for (const each of tried) expect(await world.use(each, async () => 'opened')).toEqual(never);
    expect(world.types('CredentialUsed')).toEqual([]);
    expect(await world.use(bound, async () => 'opened')).toEqual({ ok: true, value: 'opened' });
  });

  test('ends with the removal of the department itself, before anything of it is deleted', async () => {
    const world = await startCredentialWorld(vault);
    const { workspaceId, departmentId } = world;
    const bound = must(await world.create('bound', apiToken('a-plain-token-1'), { departmentId }));
    await removeDepartment(world, { workspaceId, departmentId }, world.envelope({ departmentId }));
    expect(await world.use(bound, async () => 'opened')).toMatchObject({ code: 'credential_missing' });
  });

  test('gives the newest value, and says what to do when its key is not here', async () => {
    const world = await startCredentialWorld(vault);
    const { credentialId } = must(await world.create('c', apiToken('one-plain-token-1')));
    must(await world.replace(credentialId, apiToken('two-plain-token-1')));
    expect(await world.use({ credentialId }, async (opened) => textsOf(opened))).toEqual({
      ...{ ok: true, value: { token: 'two-plain-token-1' } },
    });
    for (const each of world.types('CredentialReplaced')) await vault.destroy(String(each.data['keyId']));
    expect(await world.use({ credentialId }, async () => 'opened')).toMatchObject({ ok: false });
  });
});

describe('A sealed value', () => {
  const sealedOf = (world: CredentialWorld, type = 'CredentialCreated') =>
    world.types(type).flatMap((stored) => {
      const event = decode(stored);
      return event?.type === 'CredentialCreated' || event?.type === 'CredentialReplaced' ? [event.data] : [];
    });

  test('is AES-256-GCM by the function that the test vectors check, authenticated with the workspace id byte by byte', async () => {
    const keys: Buffer[] = [];
    const files = await mkdtemp(join(tmpdir(), 'opslog-credentials-'));
    const random = {
      ...systemRandom,
      bytes: (count: number) => {
        const bytes = systemRandom.bytes(count);
        // The vault wipes its own; these are for looking afterwards.
        if (count === 32) keys.push(Buffer.from(bytes));
        return bytes;
      },
    };
    const watched = (await openVault({ keysDir: files, random })).vault;
    const world = await startCredentialWorld(watched);
    must(await world.create('c', apiToken('tok-plain-token-1')));
    const [sealed] = sealedOf(world);
    const key = keys.at(-1);
    if (!sealed || !key) throw new Error('Nothing was sealed.');
    const plain = open(key, sealed.encryptedData, Buffer.from(world.workspaceId));
    expect(plain.toString()).toContain('"secrets":{"token":"tok-plain-token-1"}');
    for (const aad of ['', `${world.workspaceId} `, randomUUID()])
      expect(open(key, sealed.encryptedData, Buffer.from(aad))).toBe('not authentic');
    await rm(files, { recursive: true, force: true });
  });

  test('that was put in the place of another one of the same workspace opens as nothing', async () => {
    const world = await startCredentialWorld(vault);
    const one = must(await world.create('one', apiToken('one-plain-token-1')));
    const two = must(await world.create('two', apiToken('two-plain-token-1')));
    const [first, second] = sealedOf(world);
    if (!first || !second) throw new Error('Nothing was sealed.');
    const swapping: Pick<Vault, 'open'> = {
      open: (sealed, aad) => vault.open(sealed.keyId === first.keyId ? second : sealed, aad),
    };
    const deps = { aggregates: world.aggregates, log: world.log, vault: swapping, clock: { now: () => 0 } };
    const wanted = { purpose: 'p', subjectId: 's', part: 'test', context: world.context };
    const attempt = (credentialId: string) =>
      useCredential(deps, { ...wanted, credentialId }, async (opened) => textsOf(opened));
    expect(await attempt(one.credentialId)).toMatchObject({ ok: false, code: 'credential_unreadable' });
    expect(await attempt(two.credentialId)).toEqual({ ok: true, value: { token: 'two-plain-token-1' } });
  });

  test('leaves no key that nothing was sealed with, whatever was refused or came twice', async () => {
    const memory = createMemoryVault();
    const world = await startCredentialWorld(memory);
    const how = world.envelope();
    const [first, second] = await Promise.all([
      world.create('c', apiToken('a-plain-token-1'), {}, how),
      world.create('c', apiToken('a-plain-token-1'), {}, how),
    ]);
    expect(must(first)).toEqual(must(second));
    expect(memory.living()).toHaveLength(1);
    expect(await world.create('C', apiToken('b'))).toMatchObject({ rejection: { rejected: 'NameTaken' } });
    expect(await world.create('d', apiToken('b'), {}, { ...world.envelope(), dryRun: true })).toMatchObject({
      ok: true,
    });
    must(await world.replace(must(first).credentialId, apiToken('a-plain-token-1')));
    expect(memory.living()).toHaveLength(1);
  });
});

describe('Names', () => {
  test('that a crash left held are had again', async () => {
    const world = await startCredentialWorld(createMemoryVault());
    const { aggregates, workspaceId } = world;
    const one = must(await world.create('one', apiToken('a-plain-token-1')));
    const hold = (name: string, tenure: number) =>
      reserve(aggregates, 'credential', `${workspaceId}/${name}`, `${one.credentialId}/${tenure}`, world.envelope());
    // It crashed between the claim and the renaming, and was then renamed to something else.
    await hold('claimed', 2);
    must(await world.rename(one.credentialId, 'other'));
    must(await world.create('claimed', apiToken('b')));
    // It crashed between the deletion and giving the name back.
    await hold('left', 2);
    must({ ok: (await world.remove(one.credentialId)).ok, value: true });
    must(await world.create('left', apiToken('b')));
  });
});

describe('Destroying keys', () => {
  const hand = (world: CredentialWorld, credentialId: string, attempt = 1) => ({
    ...{ jobId: 'job-1', kind: 'credential.shred', workspaceId: world.workspaceId, departmentId: '' },
    ...({ subjectId: credentialId, payload: {}, attempt, mode: 'perform', context: world.context } as const),
    ...{
      step: (_: string, perform: () => Promise<JobData>) => perform(),
      progress: async () => {},
      cancelRequested: () => false,
      cancelSignal: new AbortController().signal,
    },
  });
  const never = new AbortController().signal;

  test('follows a replacement and a deletion as one job each, however often the facts are seen', async () => {
    const world = await startCredentialWorld(vault);
    const { credentialId } = must(await world.create('c', apiToken('a-plain-token-1')));
    must(await world.replace(credentialId, apiToken('b')));
    await world.remove(credentialId);
    await world.react(enqueueCredentialShredding(world.aggregates));
    expect(world.types('JobEnqueued').map(({ data }) => data['subjectId'])).toEqual([credentialId, credentialId]);
  });

  test('opens the values of before no more, leaves the newest, and is on record', async () => {
    const world = await startCredentialWorld(vault);
    const { credentialId } = must(await world.create('c', apiToken('a-plain-token-1')));
    must(await world.replace(credentialId, apiToken('b')));
    const { effect } = shredCredentials({ credentials: world.aggregates.credential, vault });
    for (const attempt of [1, 2])
      expect(await effect(hand(world, credentialId, attempt), never)).toMatchObject({ outcome: 'done' });
    expect(world.types('CredentialShredded')).toHaveLength(1);
    expect(await world.use({ credentialId }, async (opened) => textsOf(opened))).toMatchObject({
      value: { token: 'b' },
    });
    await world.remove(credentialId);
    await effect(hand(world, credentialId, 3), never);
    for (const stored of [...world.types('CredentialCreated'), ...world.types('CredentialReplaced')]) {
      const event = decode(stored);
      if (event?.type !== 'CredentialCreated' && event?.type !== 'CredentialReplaced') continue;
      expect(await vault.open(event.data, world.workspaceId)).toEqual({ ok: false, code: 'destroyed' });
    }
  });

  test('that fails half-way is uncertain, so that it is tried without end', async () => {
    const world = await startCredentialWorld(vault);
    const { credentialId } = must(await world.create('c', apiToken('a-plain-token-1')));
    await world.remove(credentialId);
    const failing = { destroy: () => Promise.reject(new Error('disk full')) };
    const { effect } = shredCredentials({ credentials: world.aggregates.credential, vault: failing });
    expect(await effect(hand(world, credentialId), never)).toMatchObject({ outcome: 'uncertain' });
    expect(world.types('CredentialShredded')).toEqual([]);
  });

  test('comes to what is bound to a removed department, also when it was created in the moment of the removal', async () => {
    const world = await startCredentialWorld(vault);
    const { workspaceId, departmentId } = world;
    const [known, late, whole] = [
      must(await world.create('known', apiToken('a-plain-token-1'), { departmentId })),
      must(await world.create('late', apiToken('a-plain-token-1'), { departmentId })),
      must(await world.create('whole', apiToken('a-plain-token-1'))),
    ];
    await removeDepartment(world, { workspaceId, departmentId }, world.envelope({ departmentId }));
    await world.react(
      deleteOrphanedCredentials({
        aggregates: world.aggregates,
        credentialsOf: async (owner) => (owner.departmentId === departmentId ? [{ ...known, departmentId }] : []),
      }),
    );
    const deletions = world.types('CredentialDeleted').map(({ stream, data }) => `${stream} ${data['reason']}`);
    expect(deletions.sort()).toEqual(
      [known, late].map(({ credentialId }) => `credential-${credentialId} department_removed`).sort(),
    );
    expect(await world.use(whole, async () => 'opened')).toMatchObject({ ok: true });
    must(await world.create('known', apiToken('b')));
  });
});
