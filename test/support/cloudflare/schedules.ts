import { z } from 'zod';
import { type Answer, isRefused, ok, refuse } from './answer.ts';
import { type ApiRequest, accountOf, type Context, isoNow, scriptOf } from './context.ts';
import { readJson } from './json.ts';
import type { Schedule, Script } from './state.ts';

const schedulesSchema = z.array(z.object({ cron: z.string() }));

const field = /^(?:\*|[0-9A-Za-z]+(?:-[0-9A-Za-z]+)?|[0-9]+[LW#][0-9]*|L|LW)(?:\/[1-9]\d*)?$/;

/** Five fields, each a list of values, ranges and steps. */
const isCron = (cron: string): boolean => {
  const fields = cron.trim().split(/\s+/);
  return fields.length === 5 && fields.every((text) => text.split(',').every((part) => field.test(part)));
};

const show = (script: Script): Answer =>
  ok({
    schedules: script.schedules.map(({ cron, createdOn, modifiedOn }) => ({
      cron,
      created_on: createdOn,
      modified_on: modifiedOn,
    })),
  });

export const getSchedules = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  return script === undefined ? refuse(10007) : show(script);
};

/** Replaces all schedules of the script: what the body does not name is gone. */
export const putSchedules = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  if (script === undefined) return refuse(10007);
  const body = readJson(request, schedulesSchema);
  if (isRefused(body)) return body;
  const crons = body.value.map(({ cron }) => cron);
  const wrong = crons.find((cron) => !isCron(cron));
  if (wrong !== undefined) return refuse(10022, `"${wrong}" is not a cron expression of five fields`);
  if (new Set(crons).size < crons.length) return refuse(10022, 'a cron expression is named twice');
  const elsewhere = [...accountOf(context, request).scripts.values()]
    .filter((other) => other !== script)
    .reduce((sum, other) => sum + other.schedules.length, 0);
  const { cronsPerAccount } = context.behaviour.limits;
  if (elsewhere + crons.length > cronsPerAccount)
    return refuse(10072, `the account may have ${cronsPerAccount} cron triggers`);
  const now = isoNow(context);
  const before = new Map(script.schedules.map((schedule) => [schedule.cron, schedule]));
  script.schedules = crons.map(
    (cron): Schedule => ({ cron, createdOn: before.get(cron)?.createdOn ?? now, modifiedOn: now }),
  );
  return show(script);
};
