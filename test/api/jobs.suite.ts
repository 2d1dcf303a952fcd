import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Envelope } from '../../src/commands/envelope.ts';
import { enqueueJob, type NewJob } from '../../src/commands/job.ts';
import type { JobCommand } from '../../src/domain/job/index.ts';
import { removeScriptKind } from '../../src/sagas/removeScript.ts';
import { shredKind } from '../../src/sagas/shredRemovedSecrets.ts';
import { type ApiWorld, aCompany, aMember, type Company, problemOf } from '../support/api.ts';

export const jobSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  let company: Company;
  beforeAll(async () => {
    world = await shared();
    company = await aCompany(world);
  });

  const system = (): Envelope => ({
    ...{ commandId: randomUUID(), commandDigest: '', actor: { kind: 'system', id: 'test' }, authMethod: 'system' },
    ...{ workspaceId: company.workspaceId, departmentId: '', requestId: '', correlationId: 'trace-1', causationId: '' },
  });
  const enqueue = async (more: Partial<NewJob> = {}): Promise<string> => {
    const job = {
      ...{ kind: 'domain.verify', workspaceId: company.workspaceId, subjectId: 'example.org' },
      ...{ dedupeKey: randomUUID(), maxAttempts: 1, payload: { zoneId: 'z1' }, ...more },
    };
    const sent = await enqueueJob(world, job, system());
    if (!sent.ok) throw new Error(sent.rejection.reason);
    return sent.value.jobId;
  };
  const tell = async (jobId: string, command: JobCommand) =>
    expect(await world.aggregates.job.send(jobId, command, system())).toMatchObject({ ok: true });
  const lease = (jobId: string) => {
    const now = Date.now();
    const data = { leaseId: 'l1', holder: 'node/1', now, leasedUntil: now + 60_000, takeover: false };
    return tell(jobId, { type: 'LeaseJob', data });
  };
  const report = (jobId: string, outcome: 'retry' | 'uncertain') =>
    tell(jobId, {
      type: 'ReportJob',
      data: {
        ...{ leaseId: 'l1', startedAt: Date.now(), durationMs: 1 },
        outcome: { outcome, detail: 'the answer was lost', nextAttemptAt: Date.now() + 60_000 },
      },
    });
  const behind = async (path: string) => `${path}${path.includes('?') ? '&' : '?'}waitFor=${await world.log.head()}`;
  const get = async (path: string, token = company.token) =>
    world.ask('GET', await behind(`${company.base}/jobs${path}`), { token });
  const post = (path: string, token = company.token) => world.ask('POST', `${company.base}/jobs/${path}`, { token });

  describe('A job', () => {
    test('is shown with what happens next', async () => {
      const jobId = await enqueue();
      const shown = await world.ask('GET', `${company.base}/jobs/${jobId}`, company);
      expect(shown.body).toMatchObject({
        ...{ jobId, kind: 'domain.verify', subjectId: 'example.org', status: 'PENDING', attempts: 0 },
        ...{ payload: { zoneId: 'z1' }, correlationId: 'trace-1', next: { action: 'start' }, result: null },
      });
      await lease(jobId);
      expect((await get(`/${jobId}`)).body).toMatchObject({ status: 'RUNNING', next: { action: 'report' } });
      await report(jobId, 'uncertain');
      expect((await get(`/${jobId}`)).body).toMatchObject({
        ...{ status: 'PENDING', uncertain: true, lastError: 'the answer was lost', next: { action: 'probe' } },
      });
    });

    test('is listed newest first, by status, kind and subject, page by page', async () => {
      const subjectId = `subject-${randomUUID()}`;
      const first = await enqueue({ subjectId });
      const second = await enqueue({ subjectId, kind: 'server.patch' });
      const ids = async (query: string) =>
        Object(await get(`?subjectId=${subjectId}&${query}`)).body.items.map((item: object) => Object(item).jobId);
      expect(await ids('')).toEqual([second, first]);
      expect(await ids('kind=server.patch')).toEqual([second]);
      expect(await ids('status=DEAD')).toEqual([]);
      const page = await get(`?subjectId=${subjectId}&limit=1`);
      expect(await ids(`limit=1&cursor=${Object(page.body).next}`)).toEqual([first]);
      expect(problemOf(await get('?status=odd'))).toMatchObject({ status: 400, title: 'RequestInvalid' });
    });

    test('that waits is cancelled at once, and a second cancel changes nothing', async () => {
      const jobId = await enqueue();
      expect((await post(`${jobId}/cancel`)).body).toEqual({ jobId, cancelled: true });
      expect((await post(`${jobId}/cancel`)).body).toEqual({ jobId, cancelled: true });
      expect((await get(`/${jobId}`)).body).toMatchObject({ status: 'CANCELLED', next: null });
    });

    test('that runs is asked to stop', async () => {
      const jobId = await enqueue();
      await lease(jobId);
      const answered = await post(`${jobId}/cancel`);
      expect(answered).toMatchObject({ status: 202, body: { jobId, cancelled: false } });
      expect((await get(`/${jobId}`)).body).toMatchObject({ status: 'RUNNING', cancelRequested: true });
    });

    test('that follows from a removal is cancelled by nobody: keys and scripts would outlive what they belonged to', async () => {
      for (const kind of [shredKind, removeScriptKind('workerd'), removeScriptKind('cloudflare')]) {
        const jobId = await enqueue({ kind });
        expect(problemOf(await post(`${jobId}/cancel`))).toMatchObject({ status: 409, title: 'JobNotCancellable' });
        expect((await get(`/${jobId}`)).body).toMatchObject({ status: 'PENDING', cancelRequested: false });
      }
    });

    test('that was given up is redriven by an administrator, and by nobody less', async () => {
      const jobId = await enqueue();
      await lease(jobId);
      expect(problemOf(await post(`${jobId}/redrive`))).toMatchObject({ status: 409, title: 'JobNotDead' });
      await report(jobId, 'retry');
      expect((await get(`/${jobId}`)).body).toMatchObject({ status: 'DEAD', reasonCode: 'attempts_exhausted' });
      expect(problemOf(await post(`${jobId}/cancel`))).toMatchObject({ status: 409, title: 'JobSettled' });
      const member = await aMember(world, company, { role: 'MEMBER' });
      expect(problemOf(await post(`${jobId}/redrive`, member.token))).toMatchObject({ title: 'RoleInsufficient' });
      expect((await post(`${jobId}/redrive`)).body).toEqual({ jobId, redrives: 1 });
      expect((await get(`/${jobId}`)).body).toMatchObject({ status: 'PENDING', attempts: 0, redrives: 1 });
    });

    test('of another company, of a department out of reach, or of none answers like one that never was', async () => {
      const whole = await enqueue();
      const ofDepartment = await enqueue({ departmentId: company.departmentId });
      const limited = await aMember(world, company, { role: 'ADMIN', departmentIds: [company.departmentId] });
      expect((await get(`/${ofDepartment}`, limited.token)).status).toBe(200);
      expect(problemOf(await get(`/${whole}`, limited.token))).toMatchObject({ status: 404, title: 'JobNotFound' });
      for (const action of ['cancel', 'redrive']) {
        const refused = problemOf(await post(`${whole}/${action}`, limited.token));
        expect(refused).toMatchObject({ status: 404, title: 'JobNotFound' });
        expect(problemOf(await post(`nothing/${action}`))).toMatchObject({ status: 404, title: 'JobNotFound' });
      }
      const other = await aCompany(world);
      const foreign = await world.ask('POST', `${other.base}/jobs/${whole}/cancel`, other);
      expect(problemOf(foreign)).toMatchObject({ status: 404, title: 'JobNotFound' });
      expect((await get('', limited.token)).body).toMatchObject({ items: [{ jobId: ofDepartment }] });
    });
  });
};
