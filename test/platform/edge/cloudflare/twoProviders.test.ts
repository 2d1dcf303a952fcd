import { expect, test } from 'vitest';
import { createScriptedProvider } from '../../../support/scriptedProvider.ts';
import { createWorld, scriptName } from './world.ts';

test('a ticket is carried out where it was admitted, with both providers in one process', async () => {
  const onPrem = createScriptedProvider(['fetch', 'switch']);
  const world = await createWorld({ others: [onPrem] });
  await world.submit();
  await world.admit('t1', 1, 'deploy', onPrem);
  expect(await world.settle('t1')).toBe('completed');
  expect(onPrem.asked).toEqual(['fetch#1', 'switch#1']);
  expect(world.cloudflare.requests).toEqual([]);
  expect((await world.state()).placement).toEqual({ provider: 'workerd', scope: onPrem.scope });
  await expect(world.admit('t2', 1, 'deploy')).rejects.toThrow('EdgeWorkerPlacedElsewhere');

  const cloud = await createWorld({ others: [onPrem] });
  expect(await cloud.deploy('t1')).toBe('completed');
  expect(onPrem.asked).toHaveLength(2);
  expect(cloud.cloudflare.view.serving(scriptName)?.annotations['workers/tag']).toBe('t1');
  expect((await cloud.state()).placement).toEqual({ provider: 'cloudflare', scope: cloud.provider.scope });
});
