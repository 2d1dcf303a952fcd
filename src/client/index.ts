import createFetchClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './api.ts';
import { type Fetch, patientFetch } from './patience.ts';
import { OpslogProblem, OpslogUnreachable, problemIn } from './problem.ts';

export type { components, operations, paths } from './api.ts';
export { type FollowEventsOptions, type FollowedEvent, followEvents } from './followEvents.ts';
export { type FollowedLine, type FollowLogsOptions, followLogs } from './followLogs.ts';
export { type Deployment, type DeploymentStep, type FollowOptions, followTicket, isSettled } from './followTicket.ts';
export { OpslogProblem, OpslogUnreachable, type Problem } from './problem.ts';

/** One method per HTTP verb; paths, parameters, bodies and answers are typed after openapi.json. */
export type OpslogClient = Client<paths>;

export type ClientOptions = {
  /** Where Opslog answers, for example `https://opslog.example.com`. */
  readonly url: string;
  /** A session or API token; without one only sign-in and public pages answer. */
  readonly token?: string;
  /** In place of the global `fetch`. */
  readonly fetch?: Fetch;
};

/**
 * A client for one Opslog as one caller. Every command gets an Idempotency-Key unless it has one, lost connections and
 * answers of 429 and 503 are tried again.
 *
 * @example
 * const client = createClient({ url: 'http://127.0.0.1:8080', token });
 * const { items } = await answerOf(client.GET('/workspaces'));
 */
export const createClient = ({ url, token, fetch = globalThis.fetch }: ClientOptions): OpslogClient => {
  const client = createFetchClient<paths>({ baseUrl: url.replace(/\/+$/, ''), fetch: patientFetch(fetch) });
  client.use({
    onRequest: ({ request }) => {
      if (token !== undefined) request.headers.set('Authorization', `Bearer ${token}`);
      if (request.method !== 'GET' && !request.headers.has('Idempotency-Key')) {
        request.headers.set('Idempotency-Key', crypto.randomUUID());
      }
      return request;
    },
  });
  return client;
};

type DryRun = components['schemas']['DryRun'];
type Answering<Data> = Promise<{ readonly data?: Data; readonly error?: unknown; readonly response: Response }>;

/** The answer itself. Throws OpslogProblem for a refusal, OpslogUnreachable when something else than Opslog answers. */
export const answerOf = async <Data>(
  answering: Answering<Data> & WithBody<Data>,
): Promise<Exclude<Data, DryRun | undefined>> => {
  const { data, error, response } = await answering;
  if (isAnswer(data)) return data;
  const problem = problemIn(error);
  if (problem) throw new OpslogProblem(problem);
  throw new OpslogUnreachable(
    `${new URL(response.url).origin} answered ${response.status}, which is not what Opslog says.`,
  );
};

/** Does not compile for what never has a body, which would be taken for no answer: `done` is for that. */
type WithBody<Data> = [Exclude<Data, DryRun | undefined>] extends [never] ? never : unknown;

const isAnswer = <Data>(data: Data): data is Exclude<Data, DryRun | undefined> =>
  data !== undefined && !(typeof data === 'object' && data !== null && 'dryRun' in data);

/** Throws as `answerOf` does; for answers without a body. */
export const done = async (answering: Answering<unknown>): Promise<void> => {
  const { error, response } = await answering;
  if (response.ok) return;
  const problem = problemIn(error);
  if (problem) throw new OpslogProblem(problem);
  throw new OpslogUnreachable(
    `${new URL(response.url).origin} answered ${response.status}, which is not what Opslog says.`,
  );
};
