import { problemBody, problems } from '../workerd/problem.ts';

/** Answers what the on-prem router answers for a paused worker, and lets a schedule pass by. */
export const stubModule = `const body = ${JSON.stringify(problemBody(problems.paused))};
const headers = {
  'content-type': 'application/problem+json',
  'cache-control': 'no-store',
  'retry-after': '${problems.paused.retryAfterSeconds}',
};
export default {
  fetch: () => new Response(body, { status: ${problems.paused.status}, headers }),
  scheduled: () => {},
};
`;

/** From when on all that it uses has behaved as it does now. */
export const stubCompatibilityDate = '2024-01-01';
