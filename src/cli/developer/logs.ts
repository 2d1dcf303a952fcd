import { z } from 'zod';
import { answerOf, type FollowedLine, followLogs, OpslogProblem } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { usage } from '../failure.ts';
import { plain } from '../paint.ts';
import { remoteCommand } from './remote.ts';
import { findTarget, type Target, targetArgs } from './target.ts';

const args = targetArgs.extend({
  follow: z.boolean().default(false),
  since: z.string().optional(),
  limit: z
    .string()
    .regex(/^([1-9]\d{0,2}|1000)$/, 'must be a number from 1 to 1000')
    .default('100'),
});

export const run = remoteCommand(args, async (given, cli) => {
  const since = given.since === undefined ? {} : { since: instantOf(given.since, Date.now()) };
  const target = await findTarget(cli, given);
  const first = await firstLines(target, { ...since, limit: given.limit }, given.follow, cli);
  for (const line of first?.items ?? []) show(cli, line);
  if (first && first.dropped > 0) tellDropped(cli, first.dropped);
  if (!given.follow) {
    if (first?.items.length === 0) cli.note('The worker has written nothing in that time.');
    return;
  }
  await followLogs(target.client, {
    ...{ path: target.path, signal: cli.signal, onLine: (line) => show(cli, line) },
    ...(first && { after: first.next }),
    onDropped: (lines) => tellDropped(cli, lines),
  });
});

type Asked = { readonly since?: string; readonly limit: string };

/** Undefined when the provider keeps no lines: then there is only what comes. */
const firstLines = async ({ client, path }: Target, query: Asked, follows: boolean, cli: Cli) => {
  try {
    return await answerOf(
      client.GET('/workspaces/{workspaceId}/departments/{departmentId}/worker/logs', {
        ...{ params: { path, query }, signal: cli.signal },
      }),
    );
  } catch (error) {
    if (follows && error instanceof OpslogProblem && error.problem.code === 'logs_unavailable') return undefined;
    throw error;
  }
};

const show = (cli: Cli, line: FollowedLine): void => {
  if (cli.json) {
    cli.answer(line, '');
    return;
  }
  const { at, level, origin, message } = line;
  const { paint } = cli;
  const tint = level === 'error' ? paint.red : level === 'warn' ? paint.yellow : (text: string) => text;
  const head = origin === 'console' ? level : `${origin} ${level}`;
  cli.out(`${paint.dim(at)} ${tint(plain(head))} ${plain(message)}\n`);
};

const tellDropped = (cli: Cli, lines: number | null): void =>
  cli.note(
    lines === null ? 'Lines may be missing here.' : `${lines} lines are missing here: they are not kept any more.`,
  );

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const isUnit = (text: string): text is keyof typeof units => Object.hasOwn(units, text);

/** `10m` ago, or an instant as RFC 3339 writes it. */
const instantOf = (text: string, now: number): string => {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (isUnit(unit)) return new Date(now - Number(count) * units[unit]).toISOString();
  const at = Date.parse(text);
  if (Number.isNaN(at)) {
    throw usage(`--since takes a duration such as 10m, or a time such as 2030-01-31T12:00:00Z, not ${text}.`);
  }
  return new Date(at).toISOString();
};
