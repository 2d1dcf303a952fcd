import { platform } from 'node:os';
import { answerOf, type OpslogClient } from '../../client/index.ts';
import { version } from '../../version.ts';

/** Says what asks, so that people can tell their sessions apart where they are listed. */
const headers = { 'User-Agent': `opslog/${version} (${platform()})` };

export const openSession = (
  client: OpslogClient,
  body: { readonly email: string; readonly password: string },
  signal: AbortSignal,
) => answerOf(client.POST('/auth/sessions', { body, headers, signal }));
