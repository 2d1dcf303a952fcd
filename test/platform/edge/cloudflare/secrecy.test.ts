import { describe, expect, test } from 'vitest';
import { createScrubber } from '../../../../src/platform/edge/cloudflare/scrub.ts';
import type { Fault } from '../../../support/cloudflare/faults.ts';
import { createWorld, never } from './world.ts';

const canary = 'canary-7f3a/+="quoted"';
const forms = [canary, JSON.stringify(canary), Buffer.from(canary).toString('base64'), encodeURIComponent(canary)];

const faults: readonly Fault[] = [
  { kind: 'before', status: 400, code: 10021, message: `Uncaught Error: ${canary} at worker.js:1` },
  { kind: 'before', status: 400, code: 10054, message: `binding KEY: ${forms.join(' ')}` },
  { kind: 'after', status: 500, code: 10013, message: `trace ${canary}` },
  { kind: 'html', status: 522, effect: true },
  { kind: 'lose', effect: true },
  { kind: 'truncate' },
];

describe('Neither the token nor a secret is in anything that is kept', () => {
  test.each(faults)('after $kind at an upload', async (fault) => {
    const world = await createWorld();
    world.secrets.set('KEY@1', canary);
    world.cloudflare.fail({ step: 'version.create' }, fault);
    await world.deploy('t1', { secrets: [{ name: 'KEY', version: 1, digest: 'd'.repeat(32) }] });
    const kept = `${JSON.stringify(world.log.events, (_, value) => (typeof value === 'bigint' ? String(value) : value))}${world.logged}`;
    for (const form of [...forms, world.cloudflare.token]) expect(kept).not.toContain(form);
    expect(world.recorded('t1').length).toBeGreaterThan(2);
  });

  test.each(['deployment.list', 'domain.list', 'script.delete', 'script.list'] as const)(
    'the token, echoed by %s',
    async (step) => {
      const world = await createWorld();
      await world.deploy('t1');
      const message = `bad header: Bearer ${world.cloudflare.token}`;
      world.cloudflare.fail({ step }, { kind: 'before', status: 403, code: 9109, message }, 10);
      const { provider, domain } = world;
      const outcomes = [
        await provider.attachDomain(domain('a.example.com'), never),
        await provider.remove(domain('a.example.com').scriptName, never),
        await provider.inventory(never),
        await world.present(1, true),
      ];
      expect(JSON.stringify([outcomes, world.logged])).not.toContain(world.cloudflare.token);
      expect(JSON.stringify(outcomes)).toContain('bad header');
    },
  );

  test('a reader or a store that throws a secret is not quoted', async () => {
    const world = await createWorld({
      secretValues: async () => {
        throw new Error(canary);
      },
    });
    await world.submit();
    await world.admit('t1', 1);
    expect(await world.attempt('t1')).toBe('pending');
    expect(JSON.stringify(world.recorded('t1'))).not.toContain(canary);
  });

  test('a short secret is taken out of a sentence and does no harm to an answer', async () => {
    const world = await createWorld();
    world.secrets.set('KEY@1', 'e');
    expect(await world.deploy('t1', { secrets: [{ name: 'KEY', version: 1, digest: 'd'.repeat(32) }] })).toBe(
      'completed',
    );
    expect(createScrubber(['abc', 'abcdef', ''])('xabcdefx abc')).toBe('x•••x •••');
  });
});
