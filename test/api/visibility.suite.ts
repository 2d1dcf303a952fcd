import { randomUUID } from 'node:crypto';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemEnvelope } from '../../src/sagas/envelope.ts';
import { idOf, must } from '../matrix/fullWorkspace.ts';
import { type ApiWorld, aCompany, aMember, type Company } from '../support/api.ts';
import { openEventStream } from '../support/eventStream.ts';
import { nextMoment } from './timeMachine.suite.ts';

/** Whoever may not see a webhook or a credential learns nothing of it from what is about it, either. */
export const visibilitySuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  let company: Company;
  let other: string;
  let readers: Readonly<Record<'viewer' | 'member' | 'limited' | 'admin', string>>;

  const post = (path: string, body: object = {}) =>
    must(world, 'POST', `${company.base}${path}`, { token: company.token, body });

  beforeAll(async () => {
    world = await shared();
    company = await aCompany(world);
    other = idOf(await post('/departments', { name: 'Other', slug: 'other' }));
    const as = async (role: string, departmentIds: readonly string[] = []) =>
      (await aMember(world, company, { role, departmentIds })).token;
    readers = {
      ...{ viewer: await as('VIEWER'), member: await as('MEMBER') },
      ...{ limited: await as('ADMIN', [company.departmentId]), admin: await as('ADMIN') },
    };
  });

  /** What comes at once of the stream, which begins with everything there is; `end` tells that all of it came. */
  const streamed = async (token: string, end: string): Promise<string> => {
    const stream = await openEventStream(`${world.url}${company.base}/events/stream?after=0`, token, {});
    onTestFinished(stream.cut);
    await expect.poll(() => stream.text()).toContain(end);
    return stream.text();
  };

  /** Who is told the text, in any of the places. */
  const told = async (text: string, places: readonly string[]): Promise<readonly string[]> => {
    const waitFor = String(await world.log.head());
    const found: string[] = [];
    for (const [name, token] of Object.entries(readers)) {
      for (const place of places) {
        const path = `${company.base}${place}${place.includes('?') ? '&' : '?'}waitFor=${waitFor}`;
        const answered = await world.ask('GET', path, { token });
        if (answered.text.includes(text)) found.push(`${name} ${place}`);
      }
    }
    return found;
  };

  const aCredential = async () => {
    const value = { kind: 'generic', fields: { KEY: 'anything' } };
    return idOf(await post('/credentials', { name: `credential ${randomUUID()}`, value }));
  };
  const aWebhook = async () => idOf(await post('/webhooks', { url: 'https://hooks.example/in', eventTypes: ['*'] }));

  /** As its runner would report it. */
  const answerOf = async (webhookId: string): Promise<{ jobId: string; answer: string }> => {
    const jobId = String(Object((await post(`/webhooks/${webhookId}/test`)).body).deliveryId);
    const answer = `busy-${randomUUID()}`;
    const { workspaceId } = company;
    const context = { workspaceId, departmentId: '', requestId: '', correlationId: '', causationId: '' };
    const leaseId = randomUUID();
    const now = Date.now();
    const send = (command: Parameters<typeof world.aggregates.job.send>[1]) =>
      world.aggregates.job.send(jobId, command, systemEnvelope('runner', context, command.type, leaseId));
    const lease = { leaseId, holder: 'test', now, leasedUntil: now + 60_000, takeover: false };
    await send({ type: 'LeaseJob', data: lease });
    const outcome = { outcome: 'retry', detail: `HTTP 500 in 1 ms: ${answer}`, nextAttemptAt: now + 1_000 } as const;
    expect(await send({ type: 'ReportJob', data: { leaseId, startedAt: now, durationMs: 1, outcome } })).toMatchObject({
      ok: true,
    });
    return { jobId, answer };
  };

  test('The answer of a receiver is told to administrators alone, as a job and as an event', async () => {
    const { jobId, answer } = await answerOf(await aWebhook());
    const places = ['/jobs?kind=webhook.test', `/jobs/${jobId}`, `/events?resourceId=${jobId}`];
    expect(await told(answer, places)).toEqual(places.map((place) => `admin ${place}`));
    const marker = idOf(await post('/resources', { kind: 'marker', name: 'the end' }));
    expect(await streamed(readers.viewer, marker)).not.toContain(answer);
    expect(await streamed(readers.admin, marker)).toContain(answer);
  });

  test('A tag is told of to whoever may see what it is on', async () => {
    const [credentialId, webhookId] = [await aCredential(), await aWebhook()];
    const from = new Date(await nextMoment(world, company)).toISOString();
    const tags = [credentialId, webhookId].map((id) => ({ id, tag: `t${randomUUID()}` }));
    for (const { id, tag } of tags) await post(`/resources/${id}/tag`, { tags: [tag] });
    const to = new Date(await nextMoment(world, company)).toISOString();
    const places = ['/events?type=ResourceTagged', `/diff?${new URLSearchParams({ from, to })}`];
    const those = (...names: readonly string[]) => names.flatMap((name) => places.map((place) => `${name} ${place}`));
    expect(await told(tags[0]?.tag ?? '', places)).toEqual(those('member', 'admin'));
    expect(await told(tags[1]?.tag ?? '', places)).toEqual(those('admin'));
    expect(await told(credentialId, places)).toEqual(those('member', 'admin'));
    // One that came and went is still told of to everybody.
    const tag = `t${randomUUID()}`;
    const made = idOf(await post('/resources', { kind: 'queue', name: 'Short' }));
    await post(`/resources/${made}/tag`, { tags: [tag] });
    await must(world, 'DELETE', `${company.base}/resources/${made}`, { token: company.token });
    expect(await told(tag, ['/events?type=ResourceTagged'])).toHaveLength(3);
  });

  test('A relation is told of to whoever may see both of its ends, when it begins and when it ends', async () => {
    const { departmentId } = company;
    const mine = idOf(await post('/resources', { kind: 'queue', name: 'Mine', departmentId }));
    const ends = {
      ours: idOf(await post('/resources', { kind: 'queue', name: 'Ours' })),
      theirs: idOf(await post('/resources', { kind: 'queue', name: 'Theirs', departmentId: other })),
      credential: await aCredential(),
      webhook: await aWebhook(),
    };
    const places = [
      ...['/events?type=ResourceRelationCreated', '/events?type=ResourceRelationRemoved'],
      '/audit?resourceType=resourceRelation',
    ];
    const seen: Record<string, readonly string[]> = {};
    for (const [name, targetId] of Object.entries(ends)) {
      const related = await post('/resource-relations', { sourceId: mine, type: 'uses', targetId });
      const path = `/resource-relations/${idOf(related)}`;
      await must(world, 'DELETE', `${company.base}${path}`, { token: company.token });
      seen[name] = await told(idOf(related), places);
    }
    const [began, ended, trail] = places;
    const all = (...names: readonly string[]) => names.flatMap((name) => [`${name} ${began}`, `${name} ${ended}`]);
    expect(seen).toEqual({
      ours: [...all('viewer', 'member', 'limited'), `limited ${trail}`, ...all('admin'), `admin ${trail}`],
      theirs: [...all('viewer', 'member', 'admin'), `admin ${trail}`],
      credential: [...all('member', 'admin'), `admin ${trail}`],
      webhook: [...all('admin'), `admin ${trail}`],
    });
  });
};
