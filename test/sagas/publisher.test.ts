import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock, systemRandom } from '../../src/platform/clock/system.ts';
import type { EventLog, NewEvent, Position } from '../../src/platform/eventLog/port.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { openNats } from '../../src/platform/nats/nats.ts';
import type { BusMessage, MessageBus } from '../../src/platform/nats/port.ts';
import { MessageBusUnavailable } from '../../src/platform/nats/port.ts';
import { type Publisher, startPublisher } from '../../src/sagas/publisher.ts';
import type { CheckpointStore } from '../../src/sagas/reactor.ts';
import { startTestEventStore, type TestEventStore } from '../support/eventStore.ts';
import { type Outage, onNats, startOutage, startTestBus, type TestBus } from '../support/nats.ts';

const rememberingCheckpoints = (): CheckpointStore & { readonly saved: Position[] } => {
  const saved: Position[] = [];
  return { saved, load: async () => saved.at(-1) ?? 0n, save: async (_, position) => void saved.push(position) };
};

const fact = (type: string, data: NewEvent['data'] = {}): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: {
    ...{ workspaceId: 'w1', departmentId: 'd1', $correlationId: 'corr', $causationId: 'cause' },
    // Of a caller it is told who, and never from where.
    ...{ actor: { kind: 'user', id: 'u1' }, ip: '192.0.2.7' },
  },
});

const append = async (log: EventLog, stream: string, ...events: readonly NewEvent[]): Promise<Position> => {
  const outcome = await log.append(stream, events, 'any');
  if (!outcome.ok) throw new Error('not appended');
  return outcome.position;
};

describe('the publisher', () => {
  let store: TestEventStore;
  const publishers: Publisher[] = [];
  const start = (bus: MessageBus, checkpoints: CheckpointStore, subjectPrefix = 'opslog', window = 256): Publisher => {
    const ports = { clock: systemClock, random: systemRandom, logger: silentLog };
    const publisher = startPublisher({ log: store.log, bus, checkpoints, subjectPrefix, window, ...ports });
    publishers.push(publisher);
    return publisher;
  };

  beforeEach(async () => {
    store = await startTestEventStore();
  });
  afterEach(async () => {
    await Promise.all(publishers.splice(0).map((publisher) => publisher.stop()));
    await store.stop();
  });

  describe('towards a bus that fails now and then', () => {
    const flaky = (): MessageBus & {
      readonly stored: BusMessage[];
      most: number;
      failing: (attempt: number) => boolean;
    } => {
      let attempts = 0;
      let flying = 0;
      const bus = {
        stored: [] as BusMessage[],
        most: 0,
        failing: (_attempt: number): boolean => false,
        publish: async (message: BusMessage) => {
          attempts += 1;
          flying += 1;
          bus.most = Math.max(bus.most, flying);
          const fails = bus.failing(attempts);
          await new Promise((resolve) => setImmediate(resolve));
          flying -= 1;
          if (fails) throw new MessageBusUnavailable('now and then');
          const duplicate = bus.stored.some(({ id }) => id === message.id);
          if (!duplicate) bus.stored.push(message);
          return { duplicate };
        },
        ready: async () => {},
        maxPayloadBytes: () => 1_048_576,
        connected: () => true,
        close: async () => {},
      };
      return bus;
    };

    it('keeps the order of every stream, loses nothing, and has no more on their way than the window', async () => {
      const bus = flaky();
      bus.failing = (attempt) => attempt % 7 === 0;
      for (let round = 0; round < 10; round += 1) {
        for (let stream = 0; stream < 20; stream += 1) {
          await append(store.log, `session-${stream}`, fact('SessionOpened', { round }), fact('SessionRevoked'));
        }
      }
      const publisher = start(bus, rememberingCheckpoints(), 'opslog', 8);
      const head = await store.log.head();
      await expect.poll(() => publisher.status().position, { timeout: 20_000 }).toBe(head);
      expect(bus.stored).toHaveLength(400);
      expect(bus.most).toBe(8);
      const revisions = new Map<string, number[]>();
      for (const { payload } of bus.stored) {
        const event: { source: string; revision: number } = JSON.parse(new TextDecoder().decode(payload));
        revisions.set(event.source, [...(revisions.get(event.source) ?? []), event.revision]);
      }
      for (const order of revisions.values()) expect(order).toEqual(order.map((_, index) => index));
    });

    it('moves its checkpoint only over what the bus has stored', async () => {
      const bus = flaky();
      bus.failing = () => true;
      await append(store.log, 'session-1', fact('SessionOpened'));
      const checkpoints = rememberingCheckpoints();
      const publisher = start(bus, checkpoints);
      await expect.poll(() => publisher.status().failures).toBeGreaterThan(1);
      expect(publisher.status()).toMatchObject({
        position: 0n,
        inFlight: 1,
        lastError: 'now and then',
        caughtUp: false,
      });
      expect(publisher.status().lagMs).toBeGreaterThanOrEqual(0);
      expect(checkpoints.saved).toEqual([]);
      bus.failing = () => false;
      const head = await store.log.head();
      await expect.poll(() => publisher.status().position).toBe(head);
      expect(publisher.status()).toMatchObject({ inFlight: 0, lagMs: 0, lastError: '' });
      expect(checkpoints.saved.at(-1)).toBe(head);
    });

    it('goes on after its checkpoint, not from the beginning', async () => {
      const first = await append(store.log, 'session-1', fact('SessionOpened'));
      await append(store.log, 'session-2', fact('SessionOpened'));
      const checkpoints = rememberingCheckpoints();
      checkpoints.saved.push(first);
      const bus = flaky();
      start(bus, checkpoints);
      await expect.poll(() => bus.stored.map(({ subject }) => subject)).toEqual(['opslog.w1.session.SessionOpened']);
    });

    it('waits for a checkpoint that cannot be read: it never guesses where to begin', async () => {
      await append(store.log, 'session-1', fact('SessionOpened'));
      const bus = flaky();
      let readable = false;
      const publisher = start(bus, {
        load: async () => {
          if (!readable) throw new Error('database away');
          return 0n;
        },
        save: async () => {},
      });
      await expect.poll(() => publisher.status().lastError).toBe('database away');
      expect(bus.stored).toEqual([]);
      readable = true;
      await expect.poll(() => bus.stored.length).toBe(1);
    });

    it('republishes exactly the range it is asked for, without moving the checkpoint', async () => {
      const positions: Position[] = [];
      for (let index = 0; index < 5; index += 1) {
        positions.push(await append(store.log, `session-${index}`, fact('SessionOpened', { index })));
      }
      const bus = flaky();
      const checkpoints = rememberingCheckpoints();
      const publisher = start(bus, checkpoints);
      const head = await store.log.head();
      await expect.poll(() => publisher.status().position).toBe(head);
      bus.stored.length = 0;
      const saved = [...checkpoints.saved];
      const [, after = 0n, , to = 0n] = positions;
      expect(await publisher.republish({ after, to })).toEqual({ published: 2, duplicates: 0, position: to });
      expect(await publisher.republish({})).toMatchObject({ published: 5, duplicates: 0 });
      expect(checkpoints.saved).toEqual(saved);
    });

    it('passes over what another program wrote, and publishes what a newer version of ours wrote', async () => {
      await append(store.log, 'somebodyElse-1', fact('Thing'));
      await append(store.log, 'session-1', fact('SessionProlonged'));
      const bus = flaky();
      start(bus, rememberingCheckpoints());
      await expect.poll(() => bus.stored.map(({ subject }) => subject)).toEqual(['opslog.w1.session.SessionProlonged']);
    });
  });
});

await onNats('the publisher', () => {
  let store: TestEventStore;
  let test: TestBus;
  let outage: Outage;
  let bus: MessageBus;
  let publisher: Publisher | undefined;
  const start = (): Publisher => {
    publisher = startPublisher({
      ...{ log: store.log, bus, checkpoints: rememberingCheckpoints(), subjectPrefix: test.prefix },
      ...{ clock: systemClock, random: systemRandom, logger: silentLog },
    });
    return publisher;
  };

  beforeEach(async () => {
    [store, test, outage] = await Promise.all([startTestEventStore(), startTestBus(), startOutage()]);
    const names = { stream: test.stream, subjectPrefix: test.prefix };
    bus = openNats({ url: outage.url, logger: silentLog, ...names, timeoutMs: 1_000 });
  });
  afterEach(async () => {
    await publisher?.stop();
    await bus.close();
    await outage.stop();
    await Promise.all([store.stop(), test.stop()]);
  });

  it('publishes a CloudEvent under the event id, masked, with its place in the log', async () => {
    const event = fact('ApiTokenIssued', { workspaceId: 'w1', name: 'ci', digest: 'f00d'.repeat(16), role: 'MEMBER' });
    const position = await append(store.log, 'apiToken-t1', event);
    start();
    await expect.poll(() => test.count()).toBe(1);
    expect(await test.messages()).toEqual([
      {
        subject: `${test.prefix}.w1.apiToken.ApiTokenIssued`,
        id: event.id,
        event: {
          specversion: '1.0',
          id: event.id,
          source: '/opslog/apiToken/t1',
          type: 'opslog.apiToken.ApiTokenIssued',
          subject: 't1',
          time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          datacontenttype: 'application/json',
          data: { workspaceId: 'w1', name: 'ci', digest: '[masked]', role: 'MEMBER' },
          position: position.toString(),
          revision: 0,
          workspaceid: 'w1',
          departmentid: 'd1',
          correlationid: 'corr',
          causationid: 'cause',
          actortype: 'user',
          actorid: 'u1',
        },
      },
    ]);
  });

  it('publishes what belongs to no workspace under "platform"', async () => {
    await append(store.log, 'user-u1', { ...fact('UserRegistered'), metadata: {} });
    start();
    await expect.poll(() => test.count()).toBe(1);
    expect((await test.messages())[0]?.subject).toBe(`${test.prefix}.platform.user.UserRegistered`);
  });

  it('leaves the data out of a message that the server would refuse for its size, and says so', async () => {
    const names = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`NAME_${index}`, 'x']));
    await append(store.log, 'edgeWorker-e1', fact('RevisionSubmitted', { variables: names }));
    start();
    await expect.poll(() => test.count(), { timeout: 10_000 }).toBe(1);
    const event = (await test.messages())[0]?.event;
    expect(event).toMatchObject({ data: {}, dataleftout: expect.any(Number) });
  });

  it('is not held up by an event whose names no server would take', async () => {
    const long = 'z'.repeat(500_000);
    const stranger = { ...fact(`New${long}`, { note: long }), metadata: { workspaceId: long, $correlationId: long } };
    await append(store.log, 'workspace-w9', stranger);
    await append(store.log, 'user-u1', fact('UserRegistered'));
    start();
    await expect.poll(() => test.count(), { timeout: 10_000 }).toBe(2);
  });

  it('survives an outage in the middle: every event is stored once, in the order of its stream', async () => {
    const running = start();
    const streams = 10;
    const appendRound = async (round: number): Promise<void> => {
      const appends = Array.from({ length: streams }, (_, index) =>
        append(store.log, `session-${index}`, fact('SessionOpened', { round }), fact('SessionRevoked', { round })),
      );
      await Promise.all(appends);
    };
    for (let round = 0; round < 20; round += 1) await appendRound(round);
    await expect.poll(() => running.status().published).toBeGreaterThan(20);
    outage.cut();
    for (let round = 20; round < 40; round += 1) await appendRound(round);
    await expect.poll(() => running.status().lastError).not.toBe('');
    outage.restore();
    const head = await store.log.head();
    await expect.poll(() => running.status().position, { timeout: 20_000 }).toBe(head);
    const messages = await test.messages();
    expect(messages).toHaveLength(streams * 80);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(streams * 80);
    const bySource = new Map<unknown, unknown[]>();
    for (const { event } of messages) {
      bySource.set(event['source'], [...(bySource.get(event['source']) ?? []), event['revision']]);
    }
    for (const order of bySource.values()) expect(order).toEqual(order.map((_, index) => index));
  });

  it('shows how long events have waited for a bus that has been away from the start', async () => {
    outage.cut();
    await append(store.log, 'session-1', fact('SessionOpened'));
    const running = start();
    await expect.poll(() => running.status().lagMs).toBeGreaterThan(50);
    outage.restore();
    await expect.poll(() => test.count(), { timeout: 10_000 }).toBe(1);
    await expect.poll(() => running.status().lagMs).toBe(0);
  });

  it('goes on when the stream was deleted, and can fill it again with everything', async () => {
    await append(store.log, 'session-1', fact('SessionOpened'));
    const running = start();
    await expect.poll(() => test.count()).toBe(1);
    await test.manager.streams.delete(test.stream);
    await append(store.log, 'session-2', fact('SessionOpened'));
    await expect.poll(() => test.count()).toBe(1);
    expect(await running.republish({})).toMatchObject({ published: 2, duplicates: 0 });
    expect(new Set((await test.messages()).map(({ event }) => event['subject']))).toEqual(new Set(['1', '2']));
  });

  it('fills a stream that was purged a moment ago, whose ids the server still knew before', async () => {
    await append(store.log, 'session-1', fact('SessionOpened'));
    const running = start();
    await expect.poll(() => test.count()).toBe(1);
    await test.manager.streams.purge(test.stream);
    expect(await running.republish({})).toMatchObject({ published: 1, duplicates: 0 });
    expect(await test.count()).toBe(1);
  });
});
