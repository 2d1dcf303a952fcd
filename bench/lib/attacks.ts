import { z } from 'zod';
import { getRequest, jsonRequest } from './httpClient.ts';

/** Who asks whom for what, as the argument of the process that does it. */
export const attackPlan = z.object({
  name: z.string(),
  port: z.number(),
  connections: z.number(),
  workspaceId: z.string(),
  departmentId: z.string(),
  tokens: z.array(z.string()).min(1).readonly(),
});
export type AttackPlan = z.infer<typeof attackPlan>;

/** What the other tenant asks on and on, by number of the request. */
type Attack = {
  readonly name: string;
  readonly request: (index: number, token: string, other: AttackPlan) => string | Uint8Array;
};
const base = ({ workspaceId }: AttackPlan): string => `/workspaces/${workspaceId}`;
const source = 'export default { fetch: () => new Response("hello") };';
const submission = JSON.stringify({ files: [{ path: 'index.ts', content: source }] });
const large = JSON.stringify({ name: 1, slug: 'x' }).padEnd(1_000_000);

/** Made once for each token: making them takes longer than sending them. */
const madeRequests = new Map<string, Uint8Array>();
const largeRequest = (path: string, token: string): Uint8Array => {
  const made = madeRequests.get(token) ?? Buffer.from(jsonRequest(path, { Authorization: `Bearer ${token}` }, large));
  madeRequests.set(token, made);
  return made;
};

const attacks: readonly Attack[] = [
  { name: 'reads', request: (_, token, other) => getRequest(`${base(other)}/departments?limit=50`, token) },
  {
    name: 'commands',
    request: (index, token, other) =>
      jsonRequest(
        `${base(other)}/departments`,
        { Authorization: `Bearer ${token}` },
        JSON.stringify({ name: `Flood ${index}`, slug: `flood-${index}` }),
      ),
  },
  {
    name: 'submissions',
    request: (_, token, other) =>
      jsonRequest(
        `${base(other)}/departments/${other.departmentId}/worker/revisions`,
        { Authorization: `Bearer ${token}` },
        submission,
      ),
  },
  {
    name: 'bodies of 1 MB',
    request: (_, token, other) => largeRequest(`${base(other)}/departments`, token),
  },
  {
    name: 'looks back',
    request: (index, token, other) =>
      getRequest(`${base(other)}/departments?at=${new Date(Date.now() - 5 - (index % 50)).toISOString()}`, token),
  },
];

export const attackNames: readonly string[] = attacks.map(({ name }) => name);

/** The request of each number of an attack. */
export const requestsOf = (plan: AttackPlan): ((index: number) => string | Uint8Array) => {
  const attack = attacks.find(({ name }) => name === plan.name);
  if (!attack) throw new Error(`No attack is called ${plan.name}.`);
  return (index) => attack.request(index, plan.tokens[index % plan.tokens.length] ?? '', plan);
};
