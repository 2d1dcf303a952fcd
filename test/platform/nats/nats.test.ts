import { RetentionPolicy, type StreamConfig } from 'nats';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/platform/log/port.ts';
import { parseNatsUrl } from '../../../src/platform/nats/address.ts';
import { openNats } from '../../../src/platform/nats/nats.ts';
import { type MessageBus, MessageBusUnavailable, MessageStreamUnfit } from '../../../src/platform/nats/port.ts';
import { type Outage, onNats, startOutage, startTestBus, type TestBus } from '../../support/nats.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

await onNats('the message bus', () => {
  let test: TestBus;
  let bus: MessageBus;
  const open = (url = test.url): MessageBus =>
    openNats({ url, logger: silentLog, stream: test.stream, subjectPrefix: test.prefix, timeoutMs: 1_000 });

  beforeEach(async () => {
    test = await startTestBus();
    bus = open();
  });
  afterEach(async () => {
    await bus.close();
    await test.stop();
  });

  it('makes the stream with our subjects, on disk, with the duplicate window', async () => {
    await bus.ready();
    const { config } = await test.manager.streams.info(test.stream);
    expect(config.subjects).toEqual([`${test.prefix}.>`]);
    expect(config).toMatchObject({ storage: 'file', retention: 'limits', duplicate_window: 120_000_000_000 });
  });

  it('leaves a stream that fits as its operator set it up', async () => {
    await test.manager.streams.add({
      name: test.stream,
      subjects: [`${test.prefix}.>`, `${test.prefix}x.>`],
      max_msgs: 7,
    });
    await bus.ready();
    expect((await test.manager.streams.info(test.stream)).config.max_msgs).toBe(7);
  });

  it.each<[string, string, Partial<StreamConfig>]>([
    ['that takes other subjects', 'only', {}],
    ['that drops what was read', '>', { retention: RetentionPolicy.Interest }],
  ])('refuses a stream %s', async (_, subject, config) => {
    await test.manager.streams.add({ ...config, name: test.stream, subjects: [`${test.prefix}.${subject}`] });
    await expect(bus.ready()).rejects.toThrow(MessageStreamUnfit);
  });

  it('keeps one message of an id', async () => {
    await bus.ready();
    const message = { subject: `${test.prefix}.a`, id: 'one', payload: text('{}') };
    expect(await bus.publish(message)).toEqual({ duplicate: false });
    expect(await bus.publish(message)).toEqual({ duplicate: true });
    expect(await test.count()).toBe(1);
  });

  it('makes the stream again when somebody deleted it', async () => {
    await bus.ready();
    await test.manager.streams.delete(test.stream);
    expect(await bus.publish({ subject: `${test.prefix}.a`, id: 'one', payload: text('{}') })).toEqual({
      duplicate: false,
    });
    expect(await test.count()).toBe(1);
  });

  it('two that make the stream at once agree', async () => {
    const other = open();
    await Promise.all([bus.ready(), other.ready()]);
    await other.close();
    expect((await test.manager.streams.info(test.stream)).config.name).toBe(test.stream);
  });

  it('says that it is unavailable where nobody listens, and never shows the password', async () => {
    const nowhere = openNats({ url: 'nats://admin:hunter2@127.0.0.1:1', logger: silentLog, timeoutMs: 500 });
    const failure = await nowhere
      .publish({ subject: 'a', id: 'a', payload: text('') })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MessageBusUnavailable);
    expect(String(failure)).not.toContain('hunter2');
    await nowhere.close();
  });

  describe('over a connection that breaks', () => {
    let outage: Outage;
    beforeEach(async () => {
      outage = await startOutage();
    });
    afterEach(() => outage.stop());

    it('fails fast during the outage and works again after it, by itself', async () => {
      const through = open(outage.url);
      await through.ready();
      const send = (id: string) => through.publish({ subject: `${test.prefix}.a`, id, payload: text('{}') });
      await send('before');
      outage.cut();
      await expect.poll(() => through.connected()).toBe(false);
      await expect(send('during')).rejects.toThrow(MessageBusUnavailable);
      outage.restore();
      await expect.poll(() => through.connected(), { timeout: 10_000 }).toBe(true);
      expect(await send('after')).toEqual({ duplicate: false });
      await through.close();
      expect((await test.messages()).map(({ id }) => id)).toEqual(['before', 'after']);
    });
  });
});

describe('the address of NATS', () => {
  it.each([
    ['nats://host', { servers: ['host:4222'], tls: false }],
    ['host:4223', { servers: ['host:4223'], tls: false }],
    ['nats://a:1, nats://b:2', { servers: ['a:1', 'b:2'], tls: false }],
    ['nats://me:se%3Acret@host:4222', { servers: ['host:4222'], user: 'me', pass: 'se:cret', tls: false }],
    ['nats://token@host', { servers: ['host:4222'], token: 'token', tls: false }],
    ['tls://host', { servers: ['host:4222'], tls: true }],
  ])('%s keeps credentials apart from servers', (url, expected) => {
    expect(parseNatsUrl(url)).toEqual(expected);
  });
});
