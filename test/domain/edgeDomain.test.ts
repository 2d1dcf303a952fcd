import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkHostname,
  type EdgeDomainCommand,
  type EdgeDomainEvent,
  edgeDomain,
  hostnameProblem,
  isHeld,
} from '../../src/domain/edgeDomain/index.ts';
import { isRejection } from '../../src/domain/kernel.ts';
import { specification } from '../support/decider.ts';

const { given } = specification(edgeDomain);

const owner = { companyId: 'company-1', departmentId: 'sales' };
const wanted = {
  ...{ hostname: 'www.example.com', ...owner, workerId: 'worker-1', scriptName: 'dw-1' },
  ...{ provider: 'workerd', scope: 'onprem:1', adopt: false },
};
const theirs = { ...wanted, companyId: 'company-2', departmentId: 'other', workerId: 'worker-2', scriptName: 'dw-2' };
const colleagues = { ...theirs, companyId: 'company-1' };
const claimed = (claim = 1, by = wanted): EdgeDomainEvent => ({
  type: 'DomainAttachmentRequested',
  data: { claim, ...by },
});
const attached: EdgeDomainEvent = { type: 'DomainAttached', data: { claim: 1, facts: { id: 'd1' } } };
const refused: EdgeDomainEvent = {
  type: 'DomainAttachmentRefused',
  data: { claim: 1, code: 'domain_conflict', reason: 'It is another one’s.', owner: 'their-script' },
};
const detaching: EdgeDomainEvent = { type: 'DomainDetachmentRequested', data: { claim: 1, reason: 'requested' } };
const detached: EdgeDomainEvent = { type: 'DomainDetached', data: { claim: 1, facts: {} } };
const sealed = {
  ...{ names: ['www.example.com'], issuer: 'CN=Example', notBefore: 1, notAfter: 2, fingerprint: 'AA:BB' },
  ...{ keyId: 'key-1', encryptedData: { iv: 'i', tag: 't', data: 'd' }, digest: 'digest-1' },
};
const certified: EdgeDomainEvent = {
  type: 'DomainCertificateStored',
  data: { claim: 1, ...sealed, replacedKeyId: '' },
};
const request = (by = wanted): EdgeDomainCommand => ({ type: 'RequestDomainAttachment', data: by });
const detach: EdgeDomainCommand = { type: 'RequestDomainDetachment', data: { ...owner, reason: 'requested' } };
const confirmAttached: EdgeDomainCommand = {
  type: 'ConfirmDomainAttachment',
  data: { claim: 1, facts: { id: 'd1' } },
};
const confirmDetached: EdgeDomainCommand = { type: 'ConfirmDomainDetachment', data: { claim: 1, facts: {} } };

describe('Who has a host name', () => {
  test('whoever asks first has it', () => given([]).when(request()).then([claimed()]));

  test('another workspace is told that it is taken, and by whom only that it is another workspace', () => {
    given([claimed()]).when(request(theirs)).thenRejected('DomainTaken');
    const decision = edgeDomain.decide(request(theirs), given([claimed()]).state);
    expect(JSON.stringify(decision)).toContain('another workspace of this installation');
    expect(JSON.stringify(decision)).not.toMatch(/company-1|sales/);
  });

  test('a department of the same workspace is told which department has it', () =>
    given([claimed(), attached])
      .when(request(colleagues))
      .thenRejected('DomainTaken', { details: { departmentId: 'sales' } }));

  test('who has it already and asks again changes nothing', () => {
    given([claimed()]).when(request()).thenNothing();
    given([claimed(), attached]).when(request()).thenNothing();
  });

  test('a refused attachment frees the name for anybody', () =>
    given([claimed(), refused])
      .when(request(theirs))
      .then([claimed(2, theirs)]));

  test('a name that is being detached is free for nobody before that is confirmed', () => {
    given([claimed(), attached, detaching]).when(request(theirs)).thenRejected('DomainTaken');
    given([claimed(), attached, detaching]).when(request()).thenRejected('DomainDetaching');
    given([claimed(), attached, detaching, detached])
      .when(request(theirs))
      .then([claimed(2, theirs)]);
  });

  test('news of an earlier claim changes nothing for the one that holds the name now', () => {
    const now = [claimed(), refused, claimed(2, theirs)];
    given(now).when(confirmAttached).thenNothing();
    given(now).when(confirmDetached).thenNothing();
    given(now)
      .when({ type: 'RefuseDomainAttachment', data: { claim: 1, code: 'x', reason: '', owner: '' } })
      .thenNothing();
  });
});

describe('Detaching', () => {
  test('is nobody else’s business', () => {
    const data = { companyId: 'company-2', departmentId: 'sales', reason: 'requested' };
    given([claimed(), attached]).when({ type: 'RequestDomainDetachment', data }).thenRejected('DomainNotFound');
  });

  test('waits until an attachment under way has come to an end, whatever end that is', () => {
    given([claimed(), detaching]).when(confirmDetached).thenNothing();
    const abandoned = (facts: Record<string, string>): EdgeDomainEvent => ({
      type: 'DomainAttachmentAbandoned',
      data: { claim: 1, facts },
    });
    given([claimed(), detaching])
      .when(confirmAttached)
      .then([abandoned({ id: 'd1' })]);
    given([claimed(), detaching])
      .when({ type: 'AbandonDomainAttachment', data: { claim: 1 } })
      .then([abandoned({})]);
    given([claimed(), detaching, abandoned({})])
      .when(confirmDetached)
      .then([detached]);
  });

  test('takes the certificate along', () =>
    given([claimed(), attached, certified, detaching])
      .when(confirmDetached)
      .then([
        { type: 'DomainCertificateRemoved', data: { claim: 1, keyId: 'key-1', fingerprint: 'AA:BB' } },
        detached,
      ]));

  test('of a refused name only ends the memory of it', () => given([claimed(), refused]).when(detach).then([detached]));
});

describe('Certificates', () => {
  const put = (more: Partial<typeof sealed> = {}): EdgeDomainCommand => ({
    type: 'PutDomainCertificate',
    data: { ...sealed, ...owner, ...more },
  });

  test('the same one again changes nothing; another one names the key that it replaces', () => {
    given([claimed(), attached, certified]).when(put()).thenNothing();
    const next = { ...sealed, keyId: 'key-2', digest: 'digest-2' };
    given([claimed(), attached, certified])
      .when(put(next))
      .then([{ type: 'DomainCertificateStored', data: { claim: 1, ...next, replacedKeyId: 'key-1' } }]);
  });

  test('are refused where the provider makes its own, and while the name is being detached', () => {
    given([claimed(1, { ...wanted, provider: 'cloudflare' })])
      .when(put())
      .thenRejected('DomainCertificateManaged');
    given([claimed(), detaching]).when(put()).thenRejected('DomainDetaching');
  });
});

describe('Verification', () => {
  const look = (verificationId: string, verified: boolean): EdgeDomainCommand => ({
    type: 'RecordDomainVerification',
    data: { claim: 1, verificationId, verified, detail: 'seen', facts: {} },
  });

  test('each look is recorded once', () =>
    given([claimed(), attached])
      .when(look('look-1', true))
      .then([{ type: 'DomainVerified', data: { claim: 1, verificationId: 'look-1', facts: {}, detail: 'seen' } }]));

  test('is of attached names only', () => given([claimed()]).when(look('look-1', true)).thenNothing());
});

describe('In any order of commands', () => {
  const command: fc.Arbitrary<EdgeDomainCommand> = fc
    .record({ kind: fc.nat(8), by: fc.constantFrom(wanted, theirs, colleagues), claim: fc.integer({ min: 1, max: 3 }) })
    .map(({ kind, by, claim }): EdgeDomainCommand => {
      const { companyId, departmentId } = by;
      const commands: readonly EdgeDomainCommand[] = [
        request(by),
        { type: 'ConfirmDomainAttachment', data: { claim, facts: {} } },
        { type: 'RefuseDomainAttachment', data: { claim, code: 'c', reason: 'r', owner: '' } },
        { type: 'AbandonDomainAttachment', data: { claim } },
        {
          type: 'RecordDomainVerification',
          data: { claim, verificationId: 'v', verified: true, detail: '', facts: {} },
        },
        { type: 'RequestDomainDetachment', data: { companyId, departmentId, reason: 'requested' } },
        { type: 'ConfirmDomainDetachment', data: { claim, facts: {} } },
        { type: 'PutDomainCertificate', data: { ...sealed, companyId, departmentId } },
        { type: 'RemoveDomainCertificate', data: { companyId, departmentId } },
      ];
      return commands[kind] ?? request(by);
    });

  test('nobody gets a name that another holds, and every certificate that goes is named for its key to be destroyed', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        let state = edgeDomain.initial;
        const living = new Set<string>();
        for (const each of commands) {
          const before = state;
          const decision = edgeDomain.decide(each, state);
          if (isRejection(decision)) continue;
          for (const event of decision) {
            if (event.type === 'DomainAttachmentRequested') expect(isHeld(before)).toBe(false);
            if (event.type === 'DomainCertificateStored') {
              living.delete(event.data.replacedKeyId);
              living.add(event.data.keyId);
            }
            if (event.type === 'DomainCertificateRemoved') living.delete(event.data.keyId);
            state = edgeDomain.evolve(state, event);
          }
          const kept = state.status === 'absent' || !state.certificate ? [] : [state.certificate.keyId];
          expect([...living]).toEqual(kept);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('Host names', () => {
  test.each(['www.example.com', 'a.b', 'xn--bcher-kva.example', '1a.example', `${'a'.repeat(63)}.com`])(
    '%s can be attached',
    (name) => expect(checkHostname(name, 'edge.example.com')).toBeUndefined(),
  );

  test.each([
    ['', 'DomainNameInvalid'],
    ['single', 'DomainNameInvalid'],
    ['1.2.3.4', 'DomainNameInvalid'],
    ['a_b.example.com', 'DomainNameInvalid'],
    ['-a.example.com', 'DomainNameInvalid'],
    ['a..example.com', 'DomainNameInvalid'],
    [`${'a'.repeat(64)}.com`, 'DomainNameInvalid'],
    [`${'a.'.repeat(130)}com`, 'DomainNameInvalid'],
    ['localhost', 'DomainNameReserved'],
    ['www.localhost', 'DomainNameReserved'],
    ['edge.example.com', 'DomainNameReserved'],
    ['dw-0123abc.edge.example.com', 'DomainNameReserved'],
  ])('%s cannot: %s', (name, code) => expect(checkHostname(name, 'edge.example.com')).toMatchObject({ code }));

  test('a wildcard, a URL and an address with a port are told apart from names, and a wildcard is told why', () => {
    expect(hostnameProblem('*.example.com')?.reason).toContain('Attach each name by itself');
    for (const text of ['https://example.com', 'example.com:80', 'a b.com', '[::1]', 'ex%41mple.com']) {
      expect(hostnameProblem(text)?.code).toBe('DomainNameInvalid');
    }
  });
});
