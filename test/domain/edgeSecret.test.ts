import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxVersions } from '../../src/domain/edgeSecret/decide.ts';
import {
  type EdgeSecretCommand,
  type EdgeSecretEvent,
  edgeSecret,
  hasVersion,
  newestVersion,
} from '../../src/domain/edgeSecret/index.ts';
import { isRejection } from '../../src/domain/kernel.ts';
import { specification } from '../support/decider.ts';

const { given } = specification(edgeSecret);
const owner = { companyId: 'company-1', departmentId: 'department-1', name: 'API_KEY' };
const encryptedData = { iv: 'aXY=', tag: 'dGFn', data: 'ZGF0YQ==' };

const put = (value: string): EdgeSecretCommand => ({
  type: 'PutEdgeSecret',
  data: { ...owner, digest: `digest-of-${value}`, keyId: `key-of-${value}`, encryptedData },
});
const stored = (version: number, value: string): EdgeSecretEvent => ({
  type: 'EdgeSecretStored',
  data: { ...owner, version, digest: `digest-of-${value}`, keyId: `key-of-${value}`, encryptedData },
});
const remove: EdgeSecretCommand = { type: 'RemoveEdgeSecret', data: {} };
const removed = (version: number, ...values: readonly string[]): EdgeSecretEvent => ({
  type: 'EdgeSecretRemoved',
  data: { name: 'API_KEY', version, keyIds: values.map((value) => `key-of-${value}`) },
});
const confirm = (...values: readonly string[]): EdgeSecretCommand => ({
  type: 'ConfirmEdgeSecretShred',
  data: { keyIds: values.map((value) => `key-of-${value}`) },
});
const shredded = (...values: readonly string[]): EdgeSecretEvent => ({
  type: 'EdgeSecretShredded',
  data: { keyIds: values.map((value) => `key-of-${value}`) },
});

describe('a secret of a department', () => {
  it('begins with version 1, and every other value is the next one', () => {
    given([])
      .when(put('a'))
      .then([stored(1, 'a')]);
    given([stored(1, 'a')])
      .when(put('b'))
      .then([stored(2, 'b')]);
    given([stored(1, 'a'), stored(2, 'b')])
      .when(put('a'))
      .then([stored(3, 'a')]);
  });

  it('stays the version that it is when the same value is stored again', () => {
    given([stored(1, 'a')])
      .when(put('a'))
      .thenNothing();
  });

  it('is removed with the keys of all its versions, once', () => {
    given([stored(1, 'a'), stored(2, 'b')])
      .when(remove)
      .then([removed(2, 'a', 'b')]);
    given([stored(1, 'a'), removed(1, 'a')])
      .when(remove)
      .thenNothing();
    given([]).when(remove).thenRejected('EdgeSecretNotFound');
  });

  it('counts on when it is stored again after a removal, the same value too: a version never means two values', () => {
    given([stored(1, 'a'), removed(1, 'a')])
      .when(put('a'))
      .then([stored(2, 'a')]);
  });

  it('records that keys are destroyed only for those that were to be', () => {
    const facts = [stored(1, 'a'), removed(1, 'a'), stored(2, 'b')];
    given(facts)
      .when(confirm('a', 'b'))
      .then([shredded('a')]);
    given([...facts, shredded('a')])
      .when(confirm('a'))
      .thenNothing();
    given([]).when(confirm('a')).thenNothing();
  });

  it('does not take more versions than a state should hold, and says how to go on', () => {
    const many = Array.from({ length: maxVersions }, (_, index) => stored(index + 1, String(index)));
    given(many).when(put('one more')).thenRejected('SecretVersionsExhausted');
    given(many)
      .when(put(String(maxVersions - 1)))
      .thenNothing();
  });

  it('keeps no ciphertext in its state', () => {
    expect(JSON.stringify(given([stored(1, 'a'), removed(1, 'a'), stored(2, 'b')]).state)).not.toContain('ZGF0YQ');
  });
});

describe('any sequence of commands', () => {
  const command = fc.oneof(
    fc.constantFrom('a', 'b', 'c').map(put),
    fc.constant(remove),
    fc.constantFrom('a', 'b', 'c').map((value) => confirm(value)),
  );

  it('never reuses a version, reads the value stored last, and dooms exactly the keys of what was removed', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        let state = edgeSecret.initial;
        const versions: number[] = [];
        let readable: { version: number; digest: string }[] = [];
        for (const each of commands) {
          const decision = edgeSecret.decide(each, state);
          if (isRejection(decision)) continue;
          for (const event of decision) {
            if (event.type === 'EdgeSecretStored') {
              versions.push(event.data.version);
              readable.push(event.data);
            }
            if (event.type === 'EdgeSecretRemoved') readable = [];
            state = edgeSecret.evolve(state, event);
          }
          expect(newestVersion(state)?.version).toBe(readable.at(-1)?.version);
          expect(readable.every((pinned) => hasVersion(state, pinned))).toBe(true);
        }
        expect(versions).toEqual(versions.map((_, index) => index + 1));
      }),
    );
  });
});
