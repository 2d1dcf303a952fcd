import { type Department, nextRequest, type Reply, type Request } from './clients.ts';
import type { SimulatedNode } from './node.ts';
import type { World } from './world.ts';

type Acknowledged = { readonly request: Request; readonly text: string };

/** People and programs that call the API: they wait, ask again under the same key, and keep what they were promised. */
export const createPeople = (world: World, serving: (node: SimulatedNode) => SimulatedNode['aggregates']) => {
  const { draws, scheduler, trace, places, violate } = world;
  const acknowledged: Acknowledged[] = [];
  const patienceMs = 4_000;
  let under = 0;

  const anyNode = (): SimulatedNode | undefined => {
    const alive = places.flatMap(({ node }) => (node?.process.isAlive() ? [node] : []));
    return alive[draws.between(0, Math.max(0, alive.length - 1))];
  };
  /** What this node answers; undefined when it does not, whatever came of it. */
  const askOnce = (request: Request): Promise<Reply | undefined> =>
    new Promise((resolve) => {
      scheduler.at(scheduler.now() + patienceMs, () => resolve(undefined));
      const node = anyNode();
      if (!node) return;
      request.send(serving(node)).then(
        (reply) => void node.process.after(draws.between(1, 20), () => resolve(reply)),
        () => undefined,
      );
    });
  const ask = async (request: Request): Promise<Reply | undefined> => {
    world.remember(request);
    under += 1;
    for (let tries = 1; tries <= 8; tries += 1) {
      const reply = await askOnce(request);
      trace.add(`${request.key}: ${request.what}: ${reply ? `${reply.ok ? 'ok' : 'no'} ${reply.text}` : 'no answer'}`);
      if (!reply) continue;
      under -= 1;
      if (reply.ok) keep(request, reply.text);
      return reply;
    }
    under -= 1;
    return undefined;
  };
  const keep = (request: Request, text: string): void => {
    const earlier = acknowledged.find((each) => each.request === request && each.text !== '');
    if (earlier && earlier.text !== text)
      violate('idempotency', `${request.key} was answered ${earlier.text}, and now ${text || 'nothing'}`);
    acknowledged.push({ request, text });
  };

  const known = new Map<Department, { revisions: number; latest: string | undefined }>();
  const act = async (department: Department, key: string): Promise<void> => {
    const knows = known.get(department) ?? { revisions: 0, latest: undefined };
    known.set(department, knows);
    const request = nextRequest(draws, department, key, knows);
    const reply = await ask(request);
    if (reply?.ok && request.what.startsWith('SubmitRevision')) knows.revisions += 1;
    if (reply?.ok && request.wanted) knows.latest = reply.text;
    // Some callers ask again though they were answered.
    if (reply && draws.chance(0.15)) await ask(request);
  };
  return { act, ask, acknowledged, busy: () => under > 0 };
};

export type People = ReturnType<typeof createPeople>;
