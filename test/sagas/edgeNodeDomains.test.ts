import { describe, expect, onTestFinished, test } from 'vitest';
import { putDomainCertificate } from '../../src/commands/edgeDomainCertificate.ts';
import { sha256 } from '../../src/commands/envelope.ts';
import { edgeDomainId } from '../../src/domain/identifiers.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { type NodeHostnames, startNodeDomains } from '../../src/sagas/edgeNodeDomains.ts';
import { issue } from '../support/certificates.ts';
import { anEnvelope, startDomainWorld } from '../support/domainWorld.ts';

const name = 'www.example.com';
const clock = { now: () => Date.now(), sleep: async () => {} };

/** A node that remembers what it was told to serve. */
const node = async (world: ReturnType<typeof startDomainWorld>) => {
  const routes = new Map<string, string>();
  const certificates = new Map<string, string>();
  const hostnames: NodeHostnames = {
    route: (hostname, scriptName) => void routes.set(hostname, scriptName),
    unroute: (hostname) => void routes.delete(hostname),
    certify: (hostname, material) =>
      void (material ? certificates.set(hostname, material.certificate) : certificates.delete(hostname)),
  };
  const follower = await startNodeDomains({
    ...{ log: world.log, domains: world.aggregates.edgeDomain, vault: world.vault, hostnames, clock },
    ...{ logger: silentLog, knownDomains: async () => ({ ids: [], position: 0n }) },
  });
  onTestFinished(() => follower.stop());
  const caughtUp = async () => expect.poll(async () => follower.applied() >= (await world.log.head())).toBe(true);
  return { routes, certificates, caughtUp };
};

const certify = async (world: ReturnType<typeof startDomainWorld>, tenant: Parameters<typeof anEnvelope>[0]) => {
  const given = issue([name]);
  const { aggregates, vault, watch } = world;
  watch(given.privateKey, 'the key of a certificate');
  const domainId = edgeDomainId(sha256, name);
  const put = await putDomainCertificate({ aggregates, vault, clock }, tenant, domainId, given, anEnvelope(tenant));
  expect(put).toMatchObject({ ok: true });
  return given.certificate;
};

describe('A node', () => {
  test('learns its host names and certificates from the log when it starts', async () => {
    const world = startDomainWorld();
    const sales = world.worker('company-1', 'sales');
    await world.attach(sales, name);
    const certificate = await certify(world, sales);
    await world.settle();
    const { routes, certificates } = await node(world);
    expect([...routes.keys()]).toEqual([name]);
    expect(certificates.get(name)).toBe(certificate);
  });

  test('follows: another certificate, and the end of the name with both; the keys of what went open nothing', async () => {
    const world = startDomainWorld();
    const sales = world.worker('company-1', 'sales');
    const { routes, certificates, caughtUp } = await node(world);
    await world.attach(sales, name);
    await world.settle();
    await caughtUp();
    expect(routes.size).toBe(1);
    await certify(world, sales);
    const second = await certify(world, sales);
    await world.settle();
    await caughtUp();
    expect(certificates.get(name)).toBe(second);
    expect(world.vault.living()).toHaveLength(1);
    await world.detach(sales, name);
    await caughtUp();
    expect([routes.size, certificates.size]).toEqual([0, 0]);
    await world.settle();
    expect(world.vault.living()).toEqual([]);
  });
});
