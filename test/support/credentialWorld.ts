import { randomUUID } from 'node:crypto';
import { createAggregates } from '../../src/commands/aggregates.ts';
import {
  createCredential,
  deleteCredential,
  renameCredential,
  replaceCredential,
} from '../../src/commands/credential.ts';
import type { CredentialInput } from '../../src/commands/credentialFields.ts';
import { createDepartment } from '../../src/commands/department.ts';
import { decode, type Envelope } from '../../src/commands/envelope.ts';
import { createWorkspace } from '../../src/commands/workspace.ts';
import { createSshKeys } from '../../src/platform/ssh/keys.ts';
import type { Vault } from '../../src/platform/vault/port.ts';
import type { Reactor } from '../../src/sagas/reactor.ts';
import { type CredentialWanted, useCredential } from '../../src/sagas/useCredential.ts';
import { secretsInSchema } from './marks.ts';
import { createMemoryLog } from './memoryLog.ts';
import { watchLog } from './watched.ts';

export const must = <Value>(outcome: { ok: boolean; value?: Value }): Value => {
  if (!outcome.ok || outcome.value === undefined) throw new Error(`Refused: ${JSON.stringify(outcome)}`);
  return outcome.value;
};

export const apiToken = (token: string): CredentialInput => ({ kind: 'apiToken', provider: 'cloudflare', token });

/** One workspace with one department, over a log in memory. */
export const startCredentialWorld = async (vault: Vault) => {
  const log = createMemoryLog();
  const watch = watchLog(log);
  const watched = (value: CredentialInput): CredentialInput => {
    for (const secret of secretsInSchema('CredentialValue', value)) watch(secret, `the value of a ${value.kind}`);
    return value;
  };
  const aggregates = createAggregates({ log, now: Date.now });
  const envelope = (more: Partial<Envelope> = {}): Envelope => ({
    ...{ commandId: randomUUID(), commandDigest: '', actor: { kind: 'user', id: 'user-1' }, authMethod: 'session' },
    ...{ workspaceId: '', departmentId: '', requestId: 'r1', correlationId: 'c1', causationId: '', ...more },
  });
  const owner = { userId: randomUUID(), email: 'a@example.com', displayName: 'A' };
  const { workspaceId } = must(
    await createWorkspace({ aggregates }, { name: 'W', slug: `w-${randomUUID().slice(0, 8)}` }, owner, envelope()),
  );
  const inside = envelope({ workspaceId });
  const { departmentId } = must(await createDepartment({ aggregates }, workspaceId, { name: 'D', slug: 'd' }, inside));
  const deps = { aggregates, vault, sshKeys: createSshKeys() };
  let now = Date.UTC(2026, 0, 1, 12, 10);
  const context = { workspaceId, departmentId, requestId: 'r2', correlationId: 'c2', causationId: 'e2' };
  const request = (more: Partial<Envelope> = {}) => envelope({ workspaceId, ...more });
  return {
    ...{ log, aggregates, workspaceId, departmentId, context, envelope: request },
    create: (name: string, value: CredentialInput, more: { departmentId?: string } = {}, how = request()) =>
      createCredential(deps, workspaceId, { name, description: '', value: watched(value), ...more }, how),
    replace: (credentialId: string, value: CredentialInput, how = request()) =>
      replaceCredential(deps, { workspaceId, credentialId }, watched(value), how),
    rename: (credentialId: string, name: string, how = request()) =>
      renameCredential(deps, { workspaceId, credentialId }, name, how),
    remove: (credentialId: string) => deleteCredential(deps, credentialId, 'requested', request()),
    use: <Result>(
      wanted: Pick<CredentialWanted, 'credentialId'> & Partial<CredentialWanted>,
      work: Parameters<typeof useCredential<Result>>[2],
    ) =>
      useCredential(
        { aggregates, log, vault, clock: { now: () => now } },
        { purpose: 'server.connect', subjectId: 'server-1', part: 'test', context, ...wanted },
        work,
      ),
    travel: (ms: number) => {
      now += ms;
    },
    /** Lets a reactor see everything that happened, twice. */
    react: async (reactor: Reactor) => {
      for (const stored of [...log.events, ...log.events]) {
        const event = decode(stored);
        if (event) await reactor.react(event);
      }
    },
    types: (type: string) => log.events.filter((event) => event.type === type),
  };
};

export type CredentialWorld = Awaited<ReturnType<typeof startCredentialWorld>>;
