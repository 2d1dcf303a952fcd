import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { failStream } from '../../client/followStream.ts';
import { Failure } from '../failure.ts';
import { remoteCommand } from './remote.ts';
import { auditFilters, findWorkspaceTarget, given, workspaceArgs } from './workspaceTarget.ts';

const args = workspaceArgs.extend(auditFilters.shape).extend({
  format: z.enum(['jsonl', 'csv']).default('jsonl'),
  out: z.string().optional(),
});

export const run = remoteCommand(args, async ({ workspace, url, out, format, ...filters }, cli) => {
  const { client, path } = await findWorkspaceTarget(cli, { workspace, url });
  const { data, error, response } = await client.GET('/workspaces/{workspaceId}/audit/export', {
    params: { path, query: { format, ...given(filters) } },
    ...{ parseAs: 'stream', signal: cli.signal },
  });
  const body = data ?? failStream(error, response);
  if (out === undefined) {
    await transfer(body, process.stdout, { end: false });
    return;
  }
  const target = resolve(cli.cwd, out);
  // Under its own name only once it is whole.
  const partial = `${target}.part`;
  try {
    const bytes = await transfer(body, createWriteStream(partial, { mode: 0o600 }));
    await rename(partial, target);
    cli.answer({ ok: true, out, format, bytes }, `${bytes} bytes are in ${out}.`);
  } catch (failure) {
    await rm(partial, { force: true });
    throw failure;
  }
});

/** Answers how many bytes there were. Throws Failure when the connection broke off on the way. */
const transfer = async (
  body: ReadableStream<Uint8Array>,
  target: Writable,
  options: { readonly end?: boolean } = {},
): Promise<number> => {
  let bytes = 0;
  const count = new Transform({
    transform: (chunk: Uint8Array, _encoding, done) => {
      bytes += chunk.byteLength;
      done(null, chunk);
    },
  });
  await pipeline(Readable.from(chunksOf(body)), count, target, options);
  return bytes;
};

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch {
    throw new Failure('The export broke off before its end; nothing of it was kept.', { code: 'export_incomplete' });
  } finally {
    await reader.cancel().catch(() => {});
  }
}
