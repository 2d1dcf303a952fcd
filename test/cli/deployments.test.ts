import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type ApiWorld, aMember, startApi } from '../support/api.ts';
import { anUncertainTicketOf, asked, aTicketOf, leaseTicket, reportStep, type Ticket } from '../support/tickets.ts';
import { failed, type Workbench, workbench } from './support.ts';

const cancelled = z.object({ ok: z.literal(true), ticketId: z.string(), cancelled: z.boolean() });
const shown = z.object({ deployment: z.object({ status: z.string(), reasonCode: z.string().nullable() }) });

describe('Deployments on the command line', () => {
  let world: ApiWorld;
  let bench: Workbench;
  beforeAll(async () => {
    [world, bench] = await Promise.all([startApi(), workbench()]);
    await mkdir(join(bench.home, 'hello/src'), { recursive: true });
    await writeFile(join(bench.home, 'hello/src/index.ts'), 'export default { fetch: () => new Response("hi") };\n');
  });
  afterAll(async () => {
    await bench.remove();
    await world.stop();
  });

  const run = async ({ company }: Ticket, args: readonly string[], token = company.token) => {
    const { workspaceId: workspace, departmentId: department } = company;
    await writeFile(join(bench.home, 'hello/opslog.json'), JSON.stringify({ workspace, department }));
    return bench.opslog(args, { cwd: join(bench.home, 'hello'), env: { OPSLOG_URL: world.url, OPSLOG_TOKEN: token } });
  };

  test('show tells what was asked and answered, what happens next, and how to end it', async () => {
    const ticket = await anUncertainTicketOf(world);
    const { code, stdout } = await run(ticket, ['deployments', 'show', ticket.ticketId]);
    expect(code).toBe(0);
    for (const part of [
      asked.asked,
      asked.answered,
      'A runner looks whether it happened',
      '--give-up',
      ticket.ticketId,
    ])
      expect(stdout).toContain(part);
    expect((await run(ticket, ['deployments', 'show'])).stdout).toBe(stdout);
  });

  test('cancel --give-up ends one that is uncertain; plain cancel only asks; a VIEWER may do neither', async () => {
    const ticket = await anUncertainTicketOf(world);
    const viewer = await aMember(world, ticket.company, { role: 'VIEWER' });
    const refused = await run(ticket, ['cancel', ticket.ticketId, '--give-up', '--json'], viewer.token);
    expect(refused.json(failed)).toMatchObject({ code: 'role_insufficient' });
    expect((await run(ticket, ['cancel', '--json'])).json(cancelled)).toMatchObject({ cancelled: false });
    expect((await run(ticket, ['cancel', '--give-up', '--json'])).code).toBe(0);
    const after = await run(ticket, ['deployments', 'show', '--json']);
    expect(after.json(shown).deployment).toEqual(expect.objectContaining({ status: 'failed', reasonCode: 'given_up' }));
    const again = await run(ticket, ['cancel', '--give-up', '--json']);
    expect(again.json(failed)).toMatchObject({ code: 'ticket_settled' });
  });

  test('deploy --supersede takes the place of one that waits, and without it is told of that one', async () => {
    const ticket = await aTicketOf(world);
    const alive = await run(ticket, ['deploy', '--no-wait', '--json']);
    expect(alive.json(failed)).toMatchObject({
      code: 'deployment_alive',
      hint: expect.stringContaining('--supersede'),
    });
    expect((await run(ticket, ['deploy', '--supersede', '--no-wait', '--json'])).code).toBe(0);
    const before = await run(ticket, ['deployments', 'show', ticket.ticketId, '--json']);
    expect(before.json(shown).deployment.status).toBe('cancelled');
  });

  test('follow ends with the reason of a failure and what to do about it', async () => {
    const ticket = await aTicketOf(world);
    const outcome = { outcome: 'refused', code: 'secret_gone', detail: 'API_KEY was removed' } as const;
    await reportStep(world, ticket, await leaseTicket(world, ticket), { step: 'upload', outcome });
    const { code, stdout, stderr } = await run(ticket, ['deployments', 'follow']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('API_KEY was removed');
    expect(stderr).toContain('Store the secret again');
  });
});
