import { describe, expect, test } from 'vitest';
import { reserve } from '../../src/commands/workspace.ts';
import { holdCredentialNames } from '../../src/sagas/holdCredentialNames.ts';
import { apiToken, type CredentialWorld, must, startCredentialWorld } from '../support/credentialWorld.ts';
import { createMemoryVault } from '../support/memoryVault.ts';

// Names of a version that told more spellings apart: held by their small letters alone.

const start = () => startCredentialWorld(createMemoryVault());

/** As that version wrote it down. */
const createdBefore = async (world: CredentialWorld, name: string): Promise<string> => {
  const { aggregates, workspaceId } = world;
  const credentialId = crypto.randomUUID();
  must({
    ...(await reserve(
      aggregates,
      'credential',
      `${workspaceId}/${name.toLowerCase()}`,
      `${credentialId}/1`,
      world.envelope(),
    )),
    value: name,
  });
  const value = {
    ...({ details: { kind: 'apiToken', provider: 'p' }, keyId: 'k', digest: 'd' } as const),
    encryptedData: { iv: 'aXY=', tag: 'dA==', data: 'ZA==' },
  };
  const data = { workspaceId, departmentId: '', name, description: '', ...value };
  must({
    ...(await aggregates.credential.send(credentialId, { type: 'CreateCredential', data }, world.envelope())),
    value,
  });
  return credentialId;
};

const holdAll = (world: CredentialWorld) => world.react(holdCredentialNames(world.aggregates));
const taken = { ok: false, rejection: { rejected: 'NameTaken' } };

describe('A credential of before', () => {
  test('keeps all spellings of its name once they were held', async () => {
    const world = await start();
    const credentialId = await createdBefore(world, 'Straße');
    await holdAll(world);
    for (const name of ['STRASSE', 'straße', 'Straße', 'straẞe'])
      expect(await world.create(name, apiToken('b')), name).toMatchObject(taken);
    must(await world.rename(credentialId, 'strasse'));
    must(await world.rename(credentialId, 'other'));
    must(await world.create('Straße', apiToken('b')));
  });

  test('gives all spellings back when it is deleted', async () => {
    const world = await start();
    const credentialId = await createdBefore(world, 'Straße');
    await holdAll(world);
    must({ ok: (await world.remove(credentialId)).ok, value: true });
    must(await world.create('STRASSE', apiToken('b')));
    expect(await world.create('Straße', apiToken('b'))).toMatchObject(taken);
  });

  test('goes on beside another one that has the same name now, and neither is ever spelled like the other', async () => {
    const world = await start();
    const [one, other] = [await createdBefore(world, 'σας'), await createdBefore(world, 'σασ')];
    await holdAll(world);
    expect(await world.create('ΣΑΣ', apiToken('b'))).toMatchObject(taken);
    expect(await world.rename(one, 'σασ')).toMatchObject(taken);
    expect(await world.rename(other, 'σας')).toMatchObject(taken);
    must(await world.rename(other, 'free'));
    must(await world.rename(other, 'free again'));
    must({ ok: (await world.remove(one)).ok, value: true });
    must(await world.create('ΣΑΣ', apiToken('b')));
  });

  test('has its exact name for itself before that, too', async () => {
    const world = await start();
    await createdBefore(world, 'Straße');
    expect(await world.create('Straße', apiToken('b'))).toMatchObject(taken);
  });

  test('is asked for nothing where its name is held as it is, however often it is seen', async () => {
    const world = await start();
    await createdBefore(world, 'Plain');
    must(await world.create('Straße', apiToken('b')));
    const before = world.log.events.length;
    await holdAll(world);
    expect(world.log.events.length).toBe(before);
  });
});
