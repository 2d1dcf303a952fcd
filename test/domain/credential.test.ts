import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Credential,
  type CredentialCommand,
  type CredentialEvent,
  credential,
} from '../../src/domain/credential/index.ts';
import { credentialUse } from '../../src/domain/credentialUse/index.ts';
import { isRejection } from '../../src/domain/kernel.ts';
import { specification } from '../support/decider.ts';

const { given } = specification(credential);
const encryptedData = { iv: 'aXY=', tag: 'dGFn', data: 'ZGF0YQ==' };
const sealedValue = (value: string, provider = 'cloudflare') => ({
  details: { kind: 'apiToken', provider } as const,
  ...{ keyId: `key-of-${value}`, digest: `digest-of-${value}`, encryptedData },
});
const owner = { workspaceId: 'workspace-1', departmentId: '', name: 'Deploy', description: 'for the site' };
const create = (value: string): CredentialCommand => ({
  type: 'CreateCredential',
  data: { ...owner, ...sealedValue(value) },
});
const created = (value: string): CredentialEvent => ({
  type: 'CredentialCreated',
  data: { ...owner, ...sealedValue(value) },
});
const replace = (value: string, provider?: string): CredentialCommand => ({
  type: 'ReplaceCredential',
  data: sealedValue(value, provider),
});
const replaced = (version: number, value: string, before: string, provider?: string): CredentialEvent => ({
  type: 'CredentialReplaced',
  data: { ...sealedValue(value, provider), version, replacedKeyId: `key-of-${before}` },
});
const rename = (name: string, tenure: number): CredentialCommand => ({
  type: 'RenameCredential',
  data: { name, tenure },
});
const remove: CredentialCommand = { type: 'DeleteCredential', data: { reason: 'requested' } };
const deleted = (value: string, name = 'Deploy'): CredentialEvent => ({
  type: 'CredentialDeleted',
  data: { name, reason: 'requested', keyIds: [`key-of-${value}`] },
});
const confirm = (...values: readonly string[]): CredentialCommand => ({
  type: 'ConfirmCredentialShred',
  data: { keyIds: values.map((value) => `key-of-${value}`) },
});
const shredded = (...values: readonly string[]): CredentialEvent => ({
  type: 'CredentialShredded',
  data: { keyIds: values.map((value) => `key-of-${value}`) },
});

describe('a credential', () => {
  it('is created once', () => {
    given([])
      .when(create('a'))
      .then([created('a')]);
    given([created('a')])
      .when(create('b'))
      .thenRejected('CredentialExists');
    given([created('a'), deleted('a')])
      .when(create('a'))
      .thenRejected('CredentialExists');
  });

  it('counts its values, and names the key of the one that a new one takes the place of', () => {
    given([created('a')])
      .when(replace('b'))
      .then([replaced(2, 'b', 'a')]);
    given([created('a'), replaced(2, 'b', 'a')])
      .when(replace('a'))
      .then([replaced(3, 'a', 'b')]);
  });

  it('stays as it is when the same value is given again, but not when what may be known of it differs', () => {
    given([created('a')])
      .when(replace('a'))
      .thenNothing();
    given([created('a')])
      .when(replace('a', 'github'))
      .then([replaced(2, 'a', 'a', 'github')]);
  });

  it('keeps its kind, since what uses it relies on that', () => {
    const other: CredentialCommand = {
      type: 'ReplaceCredential',
      data: { ...sealedValue('b'), details: { kind: 'sshPassword', userName: 'root' } },
    };
    given([created('a')])
      .when(other)
      .thenRejected('CredentialKindFixed', { field: 'value.kind', details: { kind: 'apiToken' } });
  });

  it('is renamed under a tenure of its own; another spelling of its name goes on with the one that there is', () => {
    given([created('a')])
      .when(rename('Site', 2))
      .then([{ type: 'CredentialRenamed', data: { name: 'Site', previousName: 'Deploy', tenure: 2 } }]);
    given([created('a')])
      .when(rename('DEPLOY', 1))
      .then([{ type: 'CredentialRenamed', data: { name: 'DEPLOY', previousName: 'Deploy', tenure: 1 } }]);
  });

  it('is not renamed by one who looked before somebody else renamed it', () => {
    const renamed: CredentialEvent = {
      type: 'CredentialRenamed',
      data: { name: 'Site', previousName: 'Deploy', tenure: 2 },
    };
    given([created('a'), renamed])
      .when(rename('Shop', 2))
      .thenNothing();
  });

  it('is described anew, and deleted once with the key of its newest value', () => {
    given([created('a')])
      .when({ type: 'DescribeCredential', data: { description: 'other' } })
      .then([{ type: 'CredentialDescribed', data: { description: 'other' } }]);
    given([created('a'), replaced(2, 'b', 'a')])
      .when(remove)
      .then([deleted('b')]);
    given([created('a'), deleted('a')])
      .when(remove)
      .thenNothing();
  });

  it('that is not there or deleted can be neither replaced, renamed nor described', () => {
    const commands = [
      replace('b'),
      rename('x', 2),
      { type: 'DescribeCredential', data: { description: 'x' } },
    ] as const;
    for (const command of commands) {
      given([]).when(command).thenRejected('CredentialNotFound');
      given([created('a'), deleted('a')])
        .when(command)
        .thenRejected('CredentialNotFound');
    }
    given([]).when(remove).thenRejected('CredentialNotFound');
  });

  it('records that keys are destroyed only for those that were to be', () => {
    const facts = [created('a'), replaced(2, 'b', 'a')];
    given(facts)
      .when(confirm('a', 'b'))
      .then([shredded('a')]);
    given([...facts, shredded('a')])
      .when(confirm('a'))
      .thenNothing();
    given([]).when(confirm('a')).thenNothing();
  });

  it('keeps no ciphertext in its state', () => {
    expect(JSON.stringify(given([created('a'), replaced(2, 'b', 'a')]).state)).not.toContain('ZGF0YQ');
  });
});

describe('any sequence of commands on a credential', () => {
  const value = fc.constantFrom('a', 'b', 'c');
  const command = fc.oneof(
    value.map(create),
    value.map((each) => replace(each)),
    value.map((each) => confirm(each)),
    fc.constant(remove),
  );

  /** Every value that is sealed has a key of its own, and who destroys keys destroys those that are doomed. */
  const asInLife = (each: CredentialCommand, state: Credential, keyId: string): CredentialCommand => {
    if (each.type === 'CreateCredential') return { ...each, data: { ...each.data, keyId } };
    if (each.type === 'ReplaceCredential') return { ...each, data: { ...each.data, keyId } };
    if (each.type !== 'ConfirmCredentialShred' || state.status === 'absent') return each;
    return { ...each, data: { keyIds: state.doomedKeyIds } };
  };

  it('dooms every key but the one of the value that can be read, and none twice', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        let state = credential.initial;
        let count = 0;
        const made: string[] = [];
        const destroyed: string[] = [];
        for (const each of commands) {
          count += 1;
          const decision = credential.decide(asInLife(each, state, `key-${count}`), state);
          if (isRejection(decision)) continue;
          for (const event of decision) {
            if ('keyId' in event.data) made.push(event.data.keyId);
            if (event.type === 'CredentialShredded') destroyed.push(...event.data.keyIds);
            state = credential.evolve(state, event);
          }
          if (state.status === 'absent') continue;
          const living = state.status === 'active' ? [state.keyId] : [];
          expect([...destroyed, ...state.doomedKeyIds, ...living].sort()).toEqual([...made].sort());
        }
      }),
    );
  });
});

describe('a use', () => {
  it('is one fact, however often it is recorded', () => {
    const data = { credentialId: 'c', version: 1, purpose: 'server.connect', subjectId: 's', windowStart: 0 };
    const { given: use } = specification(credentialUse);
    use([])
      .when({ type: 'RecordCredentialUse', data })
      .then([{ type: 'CredentialUsed', data }]);
  });
});
