import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock/system.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { reactTo, startReactors } from '../../src/sagas/reactor.ts';
import { createMemoryLog } from '../support/memoryLog.ts';

test('an event without its data, which no attempt could make sense of, holds up none after it', async () => {
  const log = createMemoryLog();
  log.add('workspace-w1', 'MemberRemoved', {});
  log.add('workspace-w1', 'MemberRemoved', { userId: 'u1' });
  const seen: unknown[] = [];
  const reactors = startReactors({
    ...{ log, logger: silentLog, clock: systemClock },
    checkpoints: { load: async () => 0n, save: async () => {} },
    reactors: [
      {
        name: 'revoke',
        wants: () => true,
        react: async ({ data }) => {
          if (!('userId' in data)) throw new Error('whose tokens?');
          seen.push(data.userId);
        },
      },
    ],
  });
  await expect.poll(() => seen).toEqual(['u1']);
  await reactors.stop();
});

test('a reactor is told of the facts that it names, in order, and of no others', async () => {
  const log = createMemoryLog();
  log.add('workspace-w1', 'MemberRemoved', { userId: 'u1' });
  log.add('job-j1', 'JobCancelRequested', {});
  log.add('workspace-w1', 'MemberRoleAssigned', { userId: 'u2', role: 'VIEWER' });
  log.add('workspace-w1', 'MemberRemoved', { userId: 'u3' });
  const seen: string[] = [];
  const reactors = startReactors({
    ...{ log, logger: silentLog, clock: systemClock },
    checkpoints: { load: async () => 0n, save: async () => {} },
    reactors: [
      reactTo('cancels', ['JobCancelRequested'], async ({ meta }) => void seen.push(meta.subjectId)),
      reactTo('members', ['MemberRemoved'], async ({ data }) => void seen.push(data.userId)),
    ],
  });
  await expect.poll(() => seen).toEqual(['u1', 'j1', 'u3']);
  await reactors.stop();
});

test('reactors of another name have a place in the log of their own, and begin at its beginning', async () => {
  const log = createMemoryLog();
  log.add('workspace-w1', 'MemberRemoved', { userId: 'u1' });
  log.add('workspace-w1', 'MemberRemoved', { userId: 'u2' });
  const places = new Map([['reactors', log.events[0]?.position ?? 0n]]);
  const seen: string[] = [];
  const start = (name?: string) =>
    startReactors({
      ...{ log, logger: silentLog, clock: systemClock, ...(name !== undefined && { name }) },
      checkpoints: {
        load: async (of) => places.get(of) ?? 0n,
        save: async (of, position) => void places.set(of, position),
      },
      reactors: [reactTo('members', ['MemberRemoved'], async ({ data }) => void seen.push(`${name} ${data.userId}`))],
    });
  const both = [start(), start('names')];
  await expect.poll(() => [...places.values()]).toEqual([2, 2].map(() => log.events[1]?.position));
  expect(seen.toSorted()).toEqual(['names u1', 'names u2', 'undefined u2']);
  for (const each of both) await each.stop();
});
