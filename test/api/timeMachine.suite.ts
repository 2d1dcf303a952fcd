import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { decode, sha256 } from '../../src/commands/envelope.ts';
import { edgeWorkerId } from '../../src/domain/identifiers.ts';
import { inParallel } from '../matrix/ask.ts';
import { describedOperations } from '../matrix/document.ts';
import { idOf, must, tellDomain } from '../matrix/fullWorkspace.ts';
import {
  type Answered,
  type ApiWorld,
  aCompany,
  admitted,
  aMember,
  type Company,
  helloWorker,
  problemOf,
} from '../support/api.ts';

/** So many of each kind are looked at. */
const newest = 3;

const isoOf = (ms: number): string => new Date(ms).toISOString();

/**
 * Facts of the same millisecond are one moment: answers the one that is over, with everything in the tables, when the next one
 * has begun.
 */
export const nextMoment = async (world: ApiWorld, company: Company): Promise<number> => {
  const position = await world.log.head();
  await must(world, 'GET', `${company.base}?waitFor=${position}`, { token: company.token });
  const began = Date.now();
  while (Date.now() <= began) await new Promise(setImmediate);
  return began;
};

/** Every read that takes `?at=`, as the description of the API has them. */
const readsOfThePast = describedOperations().filter(({ takesMoment }) => takesMoment);

/** What has come to be in a history, by the name that paths have for it. */
type Known = Readonly<Record<string, readonly string[]>> & { readonly departmentId: readonly string[] };

const pathsOf = (path: string, known: Known): readonly string[] => {
  const [, name] = /\{(\w+)\}/.exec(path) ?? [];
  if (name === undefined) return [path];
  const ids = known[name];
  if (ids === undefined) throw new Error(`Say in this suite what {${name}} of ${path} can be.`);
  return ids.flatMap((id) => pathsOf(path.replace(`{${name}}`, id), known));
};

type Shown = Pick<Answered, 'status' | 'body' | 'text'> & { readonly etag: string | null };

const shownOf = ({ status, body, text, headers }: Answered): Shown => {
  const { requestId: _, ...rest } = z.record(z.string(), z.unknown()).catch({}).parse(body);
  return status === 200
    ? { status, body, text, etag: headers.get('etag') }
    : { status, body: rest, text: '', etag: null };
};

const everything = async (world: ApiWorld, company: Company, known: Known, at?: number) => {
  const asked = readsOfThePast.flatMap(({ id, path }) => pathsOf(path, known).map((each) => ({ id, path: each })));
  const query = at === undefined ? '' : `?at=${isoOf(at)}`;
  const answers = await inParallel(asked, 6, async ({ id, path }): Promise<readonly [string, Shown]> => {
    const answered = await world.ask('GET', `${path}${query}`, { token: company.token });
    return [`${id} ${path}`, shownOf(answered)];
  });
  return new Map(answers);
};

const kinds = [
  ...([
    'department',
    'removeDepartment',
    'deploy',
    'deploy',
    'pause',
    'resume',
    'secret',
    'secret',
    'removeSecret',
  ] as const),
  ...(['domain', 'verify', 'detach', 'credential', 'credential', 'credentialName', 'removeCredential'] as const),
  ...(['webhook', 'pauseWebhook', 'removeWebhook', 'replay', 'token', 'revokeToken', 'invite', 'uninvite'] as const),
  ...(['member', 'changeMember', 'resource', 'tag', 'relate', 'removeResource'] as const),
] as const;
/** Take something away. */
const ends = /^(remove|un|revoke|detach)/;
type Step = { readonly what: (typeof kinds)[number]; readonly pick: number };

export const timeMachineSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  beforeAll(async () => {
    world = await shared();
  });
  /** Kinds of steps that took effect in some history. */
  const took = new Set<string>();
  const read = (company: Company, path: string, at?: number, token = company.token) =>
    world.ask('GET', `${company.base}${path}${at === undefined ? '' : `?at=${isoOf(at)}`}`, { token });

  describe('Every read of a workspace', () => {
    test.each([11, 12])(
      'answers with ?at= what it answered then, in a random history (seed %i)',
      async (seed) => {
        const company = await aCompany(world);
        const ids: Record<string, string[]> = {};
        const note = (name: string, id: string): void => {
          ids[name] = [...(ids[name] ?? []), id];
        };
        note('workspaceId', company.workspaceId);
        note('departmentId', company.departmentId);
        const unknown = randomUUID();
        const known = (): Known => ({
          ...{ hostname: ['none.example.com'], credentialId: [unknown], webhookId: [unknown], jobId: [unknown] },
          ...{ deliveryId: [unknown], ticketId: [unknown], resourceId: [unknown], revision: ['1', '2'] },
          ...Object.fromEntries(Object.entries(ids).map(([name, all]) => [name, all.slice(-newest)])),
          departmentId: [company.departmentId, ...(ids['departmentId'] ?? []).slice(1).slice(-newest)],
        });
        const [steps = []] = fc.sample(
          fc.array(fc.record({ what: fc.constantFrom(...kinds), pick: fc.nat({ max: 1_000 }) }), {
            ...{ minLength: 30, maxLength: 30 },
          }),
          { numRuns: 1, seed },
        );
        const moments: { at: number; known: Known; shown: ReadonlyMap<string, Shown> }[] = [];
        // One of each to begin with, so that what comes by chance finds something.
        const first = kinds.filter((what) => !ends.test(what)).map((what) => ({ what, pick: 0 }));
        const last = kinds.filter((what) => ends.test(what)).map((what) => ({ what, pick: 1 }));
        for (const [index, step] of [...first, ...steps, ...last].entries()) {
          await perform(company, step, ids, note);
          if (index % 20 !== 19) continue;
          await noteJobs(company, note, ids);
          const at = await nextMoment(world, company);
          const all = known();
          moments.push({ at, known: all, shown: await everything(world, company, all) });
          await nextMoment(world, company);
        }
        for (const { at, known: all, shown } of moments) {
          const then = await everything(world, company, all, at);
          for (const [what, answer] of shown) expect({ what, ...then.get(what) }).toEqual({ what, ...answer });
        }
        const good = [...(moments.at(-1)?.shown ?? [])].filter(([, { status }]) => status === 200);
        const seen = new Set(good.map(([what]) => what.split(' ')[0]));
        expect(seen.size).toBeGreaterThan(readsOfThePast.length / 2);
      },
      120_000,
    );
  });

  test('the histories had every kind of step in them', () => {
    expect(kinds.filter((each) => !took.has(each))).toEqual([]);
  });

  const noteJobs = async (
    company: Company,
    note: (name: string, id: string) => void,
    ids: Record<string, string[]>,
  ) => {
    for await (const stored of world.log.readAll()) {
      const event = decode(stored);
      if (event?.type !== 'JobEnqueued' || event.meta.workspaceId !== company.workspaceId) continue;
      if (ids['jobId']?.includes(event.meta.subjectId)) continue;
      note('jobId', event.meta.subjectId);
      if (event.data.kind === 'webhook.test') note('deliveryId', event.meta.subjectId);
    }
  };

  /** One step, as somebody who calls the API would take it; what is refused simply does not happen. */
  const perform = async (
    company: Company,
    { what, pick }: Step,
    ids: Record<string, string[]>,
    note: (name: string, id: string) => void,
  ): Promise<void> => {
    const { token, base } = company;
    const ask = async (method: string, path: string, body?: unknown) => {
      const answered = await world.ask(method, `${base}${path}`, { token, ...(body !== undefined && { body }) });
      if (answered.status < 300) took.add(what);
      return answered;
    };
    const one = (name: string): string => {
      const all = ids[name] ?? [];
      return all[pick % Math.max(1, all.length)] ?? randomUUID();
    };
    const made = (name: string, answered: Answered, field = 'id'): void => {
      if (answered.status < 300) note(name, idOf(answered, field));
    };
    const word = randomUUID().slice(0, 8);
    const departmentId = one('departmentId');
    const working = pick % 4 === 3 ? departmentId : company.departmentId;
    const worker = `/departments/${working}/worker`;
    switch (what) {
      case 'department':
        return made('departmentId', await ask('POST', '/departments', { name: `D ${word}`, slug: `d-${word}` }));
      case 'removeDepartment':
        // One that has been there from the start stays, so that something happens in it.
        if (departmentId !== company.departmentId) await ask('DELETE', `/departments/${departmentId}`);
        return;
      case 'deploy': {
        const submitted = await ask('POST', `${worker}/revisions`, helloWorker(word));
        if (submitted.status !== 201) return;
        const deployed = await ask('POST', `${worker}/deployments`, {});
        if (deployed.status !== 202) return;
        const { ticketId } = admitted.parse(deployed.body);
        note('ticketId', ticketId);
        if (pick % 3 !== 2) await world.carryOut(edgeWorkerId(sha256, working), ticketId);
        return;
      }
      case 'pause':
      case 'resume':
        await ask('POST', `${worker}/${what}`);
        return;
      case 'secret':
        await ask('PUT', `${worker}/secrets/KEY_${pick % 3}`, { value: `value-${word}` });
        return;
      case 'removeSecret':
        await ask('DELETE', `${worker}/secrets/KEY_${pick % 3}?force=true`);
        return;
      case 'domain': {
        const hostname = `${word}.example.com`;
        const attached = await ask('POST', `${worker}/domains`, { hostname });
        if (attached.status >= 300) return;
        note('hostname', hostname);
        const of = { hostname, workspaceId: company.workspaceId, departmentId: working };
        if (pick % 2 === 0) await tellDomain(world, of, 'ConfirmDomainAttachment');
        return;
      }
      case 'verify':
        await ask('POST', `${worker}/domains/${one('hostname')}/verify`);
        return;
      case 'detach':
        await ask('DELETE', `${worker}/domains/${one('hostname')}`);
        return;
      case 'credential': {
        const value = { kind: 'generic', fields: { KEY: `value-${word}` } };
        const within = pick % 2 ? { departmentId } : {};
        return made('credentialId', await ask('POST', '/credentials', { name: `C ${word}`, value, ...within }));
      }
      case 'credentialName':
        await ask('POST', `/credentials/${one('credentialId')}/rename`, { name: `Renamed ${word}` });
        return;
      case 'removeCredential':
        await ask('DELETE', `/credentials/${one('credentialId')}`);
        return;
      case 'webhook':
        return made(
          'webhookId',
          await ask('POST', '/webhooks', { url: `https://hooks.example/${word}`, eventTypes: ['*'] }),
        );
      case 'pauseWebhook':
        await ask('POST', `/webhooks/${one('webhookId')}/${pick % 2 ? 'pause' : 'resume'}`);
        return;
      case 'removeWebhook':
        await ask('DELETE', `/webhooks/${one('webhookId')}`);
        return;
      case 'replay':
        await ask('POST', `/webhooks/${one('webhookId')}/test`);
        return;
      case 'token':
        return made('tokenId', await ask('POST', '/api-tokens', { name: `T ${word}`, role: 'VIEWER' }));
      case 'revokeToken':
        await ask('DELETE', `/api-tokens/${one('tokenId')}`);
        return;
      case 'invite':
        return made(
          'invitationId',
          await ask('POST', '/invitations', { email: `${word}@example.com`, role: 'VIEWER', departmentIds: [] }),
        );
      case 'uninvite':
        await ask('DELETE', `/invitations/${one('invitationId')}`);
        return;
      case 'member':
        took.add(what);
        note('userId', (await aMember(world, company, { role: 'VIEWER' })).userId);
        return;
      case 'changeMember':
        await ask('PATCH', `/members/${one('userId')}`, { role: 'MEMBER', departmentIds: [] });
        return;
      case 'resource': {
        const body = { kind: 'queue', name: `R ${word}`, ...(pick % 2 && { departmentId }) };
        return made('resourceId', await ask('POST', '/resources', body));
      }
      case 'tag':
        await ask('POST', `/resources/${one('resourceId')}/tag`, { tags: [`tag-${pick % 3}`] });
        return;
      case 'relate':
        await ask('POST', '/resource-relations', {
          ...{ sourceId: one('resourceId'), type: 'uses', targetId: departmentId },
        });
        return;
      case 'removeResource':
        await ask('DELETE', `/resources/${one('resourceId')}`);
        return;
      default:
        what satisfies never;
    }
  };

  describe('A moment', () => {
    test('that has not come yet is refused', async () => {
      const company = await aCompany(world);
      const answered = await read(company, '/departments', Date.now() + 60_000);
      expect(problemOf(answered)).toMatchObject({ title: 'RequestInvalid', field: 'at' });
    });

    test('before the workspace answers like a workspace that never was', async () => {
      const company = await aCompany(world);
      for (const path of ['', '/departments', '/resources', `/departments/${company.departmentId}`]) {
        expect(problemOf(await read(company, path, Date.UTC(2020, 0, 1))).title).toBe('WorkspaceNotFound');
      }
    });

    test('is told by its position in the log', async () => {
      const company = await aCompany(world);
      const position = String(await world.log.head());
      const at = await nextMoment(world, company);
      await must(world, 'POST', `${company.base}/departments`, {
        token: company.token,
        body: { name: 'Later', slug: 'later' },
      });
      const answered = await read(company, '/departments', at);
      expect(answered.headers.get('opslog-as-of')).toBe(position);
      expect(answered.text).not.toContain('Later');
    });

    test('is no parameter of what has times of its own', async () => {
      const company = await aCompany(world);
      for (const path of ['/audit', '/events']) {
        expect(problemOf(await read(company, path, Date.now() - 1)).title).toBe('RequestInvalid');
      }
    });
  });

  describe('Rights', () => {
    test('are those of now: a department that is gone is seen by those alone who see all', async () => {
      const company = await aCompany(world);
      const { token, base, departmentId } = company;
      const limited = await aMember(world, company, { role: 'ADMIN', departmentIds: [departmentId] });
      const token2 = limited.token;
      const at = await nextMoment(world, company);
      const path = `/departments/${departmentId}`;
      expect((await read(company, path, at, token2)).status).toBe(200);
      await must(world, 'DELETE', `${base}${path}`, { token });
      expect((await read(company, path, at)).status).toBe(200);
      expect((await read(company, `${path}/worker/secrets`, at)).status).toBe(200);
      expect(problemOf(await read(company, path, at, token2)).title).toBe('DepartmentNotFound');
      expect(problemOf(await read(company, path)).title).toBe('DepartmentNotFound');
      const gone = await nextMoment(world, company);
      expect(problemOf(await read(company, path, gone)).title).toBe('DepartmentNotFound');
    });

    test('of another company lead to nothing in the past either', async () => {
      const company = await aCompany(world);
      const other = await aCompany(world);
      const at = await nextMoment(world, company);
      const stranger = await aMember(world, other, { role: 'OWNER' });
      expect(problemOf(await read(company, '/departments', at, stranger.token)).title).toBe('WorkspaceNotFound');
      const foreign = `/departments/${company.departmentId}`;
      expect(problemOf(await read(other, foreign, at)).title).toBe('DepartmentNotFound');
    });
  });

  describe('Limits', () => {
    test('a history that is too long for a question is refused with the way out', async () => {
      const company = await aCompany(world);
      const narrow = await world.behind({ pastLimits: { events: 1 } });
      const at = await nextMoment(world, company);
      const path = `${company.base}/departments?at=${isoOf(at)}`;
      const answered = await narrow.ask('GET', path, { token: company.token });
      expect(problemOf(answered)).toMatchObject({ title: 'HistoryTooLong', status: 422, field: 'at' });
      expect(answered.text).toContain('opslog replay --workspace');
      // What its own stream tells needs no replay.
      const own = await narrow.ask('GET', `${company.base}?at=${isoOf(at)}`, { token: company.token });
      expect(own.status).toBe(200);
      await narrow.stop();
    });

    test('one replay serves everybody who asks for the same moment', async () => {
      const company = await aCompany(world);
      const at = await nextMoment(world, company);
      const paths = ['/departments', '/members', '/credentials', '/workers'];
      const answers = await Promise.all(paths.map((path) => read(company, path, at)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const replays = world.logged.filter((line) => line.includes(company.workspaceId) && line.endsWith('replayed'));
      expect(replays).toHaveLength(1);
    });
  });
};
