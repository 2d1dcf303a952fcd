import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { answerOf, type components, done } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { usage } from '../failure.ts';
import { plain } from '../paint.ts';
import { remoteCommand } from './remote.ts';
import { findTarget, type Target, targetArgs } from './target.ts';

type Domain = components['schemas']['Domain'];
type Ticket = components['schemas']['DomainTicket'];

const oneDomain = '/workspaces/{workspaceId}/departments/{departmentId}/worker/domains/{hostname}';
const allDomains = '/workspaces/{workspaceId}/departments/{departmentId}/worker/domains';
const namedArgs = targetArgs.extend({ hostname: z.string() });

const told = (cli: Cli, ticket: Ticket, what: string): void =>
  cli.answer({ ok: true, ...ticket }, `${ticket.unicodeHostname}: ${what}`);

const goingOn = (what: string): string => `${what}; "opslog domains list" shows how it goes`;

export const attach = remoteCommand(namedArgs.extend({ adopt: z.boolean().default(false) }), async (args, cli) => {
  const { client, path } = await findTarget(cli, args);
  const { hostname, adopt } = args;
  const body = { hostname, adopt };
  const ticket = await answerOf(client.POST(allDomains, { params: { path }, body, signal: cli.signal }));
  told(cli, ticket, ticket.status === 'attached' ? 'attached already' : goingOn('being attached'));
});

export const verify = remoteCommand(namedArgs, async ({ hostname, ...where }, cli) => {
  const { client, path } = await findTarget(cli, where);
  const params = { path: { ...path, hostname } };
  told(
    cli,
    await answerOf(client.POST(`${oneDomain}/verify`, { params, signal: cli.signal })),
    goingOn('being looked at'),
  );
});

export const detach = remoteCommand(namedArgs, async ({ hostname, ...where }, cli) => {
  const { client, path } = await findTarget(cli, where);
  const params = { path: { ...path, hostname } };
  const ticket = await answerOf(client.DELETE(oneDomain, { params, signal: cli.signal }));
  told(cli, ticket, ticket.status === 'detached' ? 'detached' : goingOn('being detached'));
});

export const list = remoteCommand(targetArgs, async (args, cli) => {
  const domains = await everyDomain(await findTarget(cli, args), cli);
  cli.answer({ ok: true, domains }, domains.map(lineOf).join('\n') || 'No host name is attached.');
});

const everyDomain = async ({ client, path }: Target, cli: Cli): Promise<readonly Domain[]> => {
  const all: Domain[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: { limit: string; cursor?: string } = { limit: '200', ...(cursor !== '' && { cursor }) };
    const page: { items: Domain[]; next: string | null } = await answerOf(
      client.GET(allDomains, { params: { path, query }, signal: cli.signal }),
    );
    all.push(...page.items);
    cursor = page.next;
  }
  return all;
};

const lineOf = ({ unicodeHostname, status, url, refusal, verification, certificate }: Domain): string => {
  const owner = refusal?.owner ? `, has: ${refusal.owner}` : '';
  const parts = [
    unicodeHostname,
    status,
    ...(url === null ? [] : [url]),
    ...(refusal ? [`${refusal.reason} (${refusal.code}${owner})`] : []),
    ...(verification ? [lookOf(verification)] : []),
    ...(certificate ? [`certificate ${certificate.state} until ${certificate.notAfter}`] : []),
  ];
  return parts.map(plain).join('  ');
};

/** With what was asked and when: who was asked knows nothing of the way from elsewhere. */
const lookOf = ({ verified, detail, at }: NonNullable<Domain['verification']>): string =>
  `${verified ? 'verified' : 'not verified'} ${at}: ${detail}`;

const fileArgs = namedArgs.extend({
  cert: z.string().optional(),
  key: z.string().optional(),
  remove: z.boolean().default(false),
});

export const certificate = remoteCommand(fileArgs, async ({ hostname, cert, key, remove, ...where }, cli) => {
  const pair = remove ? undefined : await readPair(cli, cert, key);
  const { client, path } = await findTarget(cli, where);
  const params = { path: { ...path, hostname } };
  if (!pair) {
    await done(client.DELETE(`${oneDomain}/certificate`, { params, signal: cli.signal }));
    cli.answer({ ok: true, hostname, certificate: null }, `${hostname}: no certificate any more`);
    return;
  }
  const stored = await answerOf(client.PUT(`${oneDomain}/certificate`, { params, body: pair, signal: cli.signal }));
  const text = `${hostname}: a certificate for ${stored.names.map(plain).join(', ')} until ${stored.notAfter}`;
  cli.answer({ ok: true, hostname, certificate: stored }, text);
});

const readPair = async (cli: Cli, cert: string | undefined, key: string | undefined) => {
  if (cert === undefined || key === undefined) {
    throw usage('A certificate and its private key are needed.', 'Give --cert and --key, or --remove.');
  }
  return { certificate: await readPem(cli, cert), privateKey: await readPem(cli, key) };
};

const readPem = async (cli: Cli, path: string): Promise<string> => {
  try {
    return await readFile(resolve(cli.cwd, path), 'utf8');
  } catch {
    throw usage(`${path} cannot be read.`, 'Name a PEM file.');
  }
};
