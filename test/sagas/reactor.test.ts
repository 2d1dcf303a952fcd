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
