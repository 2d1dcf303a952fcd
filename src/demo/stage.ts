import { z } from 'zod';
import { type Answer, callHost, callWorker } from './caller.ts';

/** Where the demonstration looks at what is on the air. */
export type Stage = {
  readonly provider: 'workerd' | 'cloudflare';
  /** A host name that the worker gets. */
  readonly hostname: string;
  /** What the world gets from the worker. `url` is where it answers, when the provider says so. */
  look(url: string): Promise<Answer>;
  /** The same at its own host name. */
  lookAtDomain(url: string): Promise<Answer>;
  /** Throws unless the answer is that of this revision, put there by this deployment. */
  expect(answer: Answer, revision: number, ticketId: string): void;
};

const fail = (revision: number, { status, body }: Answer): never => {
  throw new Error(`The worker should answer with revision ${revision}; it answered ${status} ${body}`);
};

/** Workers run on this machine, and are called as anybody would. */
export const machineStage: Stage = {
  provider: 'workerd',
  hostname: 'hello.acme.test',
  look: (url) => callWorker(url, '/?name=Ada'),
  lookAtDomain: (url) => callHost(`http://127.0.0.1:${new URL(url).port}`, 'hello.acme.test', '/?name=Ada'),
  expect: (answer, revision) => {
    if (answer.status !== 200 || !answer.body.includes(`"revision":${revision}`)) fail(revision, answer);
  },
};

const served = z.object({
  versionNumber: z.number(),
  tag: z.string(),
  bindings: z.array(z.object({ name: z.string() })),
});

/** One line of what the front door says. */
const summaryOf = (body: string): string => {
  const parsed = served.safeParse(JSON.parse(body));
  if (!parsed.success) return body.trim();
  const { versionNumber, tag, bindings } = parsed.data;
  const names = bindings.map(({ name }) => name).join(', ');
  return `version ${versionNumber} would answer, tagged ${tag}${names === '' ? '' : `, bound to ${names}`}`;
};

/** The stand-in runs no worker: it says which version would answer, and which ticket put it there. */
export const standInStage = (frontDoorUrl: string): Stage => {
  const hostname = 'hello.acme.test';
  const look = async () => {
    const { status, body } = await callHost(frontDoorUrl, hostname, '/?name=Ada');
    return { status, body: summaryOf(body) };
  };
  return {
    provider: 'cloudflare',
    hostname,
    look,
    lookAtDomain: look,
    expect: (answer, revision, ticketId) => {
      if (answer.status !== 200 || !answer.body.includes(ticketId)) fail(revision, answer);
    },
  };
};
