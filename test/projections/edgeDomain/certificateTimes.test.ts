import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEveryDatabase } from '../../support/database.ts';
import { fact, type ProjectionWorld, startProjection } from '../../support/projection.ts';

const endOfTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const attached = fact('edgeDomain-d1', {
  type: 'DomainAttachmentRequested',
  data: {
    ...{ claim: 1, hostname: 'www.example.com', companyId: 'company-1', departmentId: 'department-1', adopt: false },
    ...{ workerId: 'w1', scriptName: 'dw-1', provider: 'workerd', scope: 'onprem:000000000001' },
  },
});
const certified = fact('edgeDomain-d1', {
  type: 'DomainCertificateStored',
  data: {
    ...{ claim: 1, names: ['www.example.com'], issuer: 'CN=company', fingerprint: 'AA', digest: 'd', keyId: 'k' },
    ...{ notBefore: 0, notAfter: endOfTime, replacedKeyId: '', encryptedData: { iv: '', tag: '', data: '' } },
  },
});

await onEveryDatabase('the table of host names', (target) => {
  let world: ProjectionWorld;
  beforeAll(async () => {
    world = await startProjection(target);
  }, 60_000);
  afterAll(() => world.stop());

  it('a certificate without an end, which says 9999, does not stop the table of all tenants', async () => {
    await world
      .given(attached)
      .when(certified)
      .then({ edge_domains: [{}] });
    const found = await world.queries.domain({
      ...{ companyId: 'company-1', departmentId: 'department-1', domainId: 'd1' },
    });
    expect(found?.certificate?.notAfter).toBe(endOfTime);
  });
});
