import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StreamsClient, StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { credentials, Metadata } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { decodeAnswer, encodeAppend } from '../../../src/platform/eventLog/appendWire.ts';
import { lengthField, numberField, textField } from '../../../src/platform/eventstore/protobuf.ts';
import { startEventStore } from '../../../src/platform/eventstore/server.ts';

const asIs = (message: Buffer): Buffer => message;
/** A field that says it is longer than what holds it. */
const broken = Uint8Array.of(0x0a, 0x7f);

test('an append whose parts cannot be read is refused, and the next one on the same call is taken', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'opslog-unreadable-'));
  const server = await startEventStore({ dataDir: folder });
  const client = new StreamsClient(
    new URL(server.connectionString.replace('esdb', 'http')).host,
    credentials.createInsecure(),
  );
  try {
    const call = client.makeBidiStreamRequest(StreamsService.batchAppend.path, asIs, decodeAnswer, new Metadata(), {});
    const ask = async (...parts: readonly Buffer[]) => {
      call.write(Buffer.concat([lengthField(1, textField(2, randomUUID())), ...parts, numberField(4, 1)]));
      const [{ attempt }] = await once(call, 'data');
      return attempt;
    };
    const options = lengthField(
      2,
      Buffer.concat([lengthField(1, textField(3, 'thing-1')), lengthField(3, new Uint8Array())]),
    );
    expect(await ask(lengthField(2, broken))).toMatchObject({ kind: 'refused' });
    expect(await ask(lengthField(2, lengthField(1, broken)))).toMatchObject({ kind: 'refused' });
    expect(await ask(options, lengthField(3, broken))).toMatchObject({ kind: 'refused' });
    expect(await ask(options, lengthField(3, lengthField(1, broken)))).toMatchObject({ kind: 'refused' });
    const event = { id: randomUUID(), type: 'Happened', data: {}, metadata: {} };
    for (const message of encodeAppend('thing-1', [event], 'noStream').messages(randomUUID())) call.write(message);
    const [{ attempt }] = await once(call, 'data');
    expect(attempt).toMatchObject({ kind: 'appended', revision: 0 });
    call.on('error', () => undefined);
    call.cancel();
  } finally {
    client.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
});
