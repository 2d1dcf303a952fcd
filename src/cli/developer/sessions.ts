import { z } from 'zod';
import { answerOf, createClient, done, type OpslogClient } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { usage } from '../failure.ts';
import { plain } from '../paint.ts';
import { remoteCommand } from './remote.ts';
import { findServer } from './server.ts';

const url = { url: z.string().optional() };

const clientOf = async (cli: Cli, given: string | undefined): Promise<OpslogClient> => {
  const { url, token } = await findServer(cli, given);
  return createClient({ url, token });
};

const page = ({ signal }: Cli, client: OpslogClient, cursor: string) =>
  answerOf(
    client.GET('/auth/sessions', { params: { query: { limit: '200', ...(cursor !== '' && { cursor }) } }, signal }),
  );

const all = async (cli: Cli, client: OpslogClient) => {
  const first = await page(cli, client, '');
  const items = [...first.items];
  for (let { next } = first; next !== null; ) {
    const more = await page(cli, client, next);
    items.push(...more.items);
    next = more.next;
  }
  return items;
};

export const list = {
  run: remoteCommand(z.object(url), async ({ url: given }, cli) => {
    const sessions = await all(cli, await clientOf(cli, given));
    const lines = sessions.map(({ id, isCurrent, userAgent, lastSeenAt, expiresAt }) => {
      const mark = isCurrent ? 'this one' : '';
      return `${id}  ${mark.padEnd(8)}  seen ${lastSeenAt}  ends ${expiresAt}  ${plain(userAgent ?? '')}`.trimEnd();
    });
    cli.answer({ ok: true, sessions }, lines.join('\n'));
  }),
};

const revoked = z.object({ ...url, session: z.string().optional(), others: z.boolean().default(false) });

export const revoke = {
  run: remoteCommand(revoked, async ({ url: given, session, others }, cli) => {
    if (others === (session !== undefined)) {
      throw usage('Name one session, or give --others.', '"opslog sessions list" shows them.');
    }
    const client = await clientOf(cli, given);
    const { signal } = cli;
    if (session === undefined) {
      await done(client.POST('/auth/sessions/revoke-others', { signal }));
      cli.answer({ ok: true, others: true }, 'Every other session has ended.');
      return;
    }
    await done(client.DELETE('/auth/sessions/{sessionId}', { params: { path: { sessionId: session } }, signal }));
    cli.answer({ ok: true, session }, `Session ${plain(session)} has ended.`);
  }),
};
