import type { components } from './api.ts';

export type Problem = components['schemas']['Problem'];

/** The server understood and said no. `code` is stable; `message` is for people. */
export class OpslogProblem extends Error {
  override readonly name = 'OpslogProblem';
  readonly problem: Problem;
  readonly code: string;
  readonly status: number;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
    this.code = problem.code;
    this.status = problem.status;
  }
}

/** No answer came, or one that is not Opslog's. */
export class OpslogUnreachable extends Error {
  override readonly name = 'OpslogUnreachable';
}

/** A problem document, as far as an answer is one. */
export const problemIn = (body: unknown): Problem | undefined => {
  if (typeof body !== 'object' || body === null) return undefined;
  return isProblem(body) ? body : undefined;
};

const isProblem = (body: object): body is Problem =>
  'code' in body &&
  typeof body.code === 'string' &&
  'detail' in body &&
  typeof body.detail === 'string' &&
  'status' in body &&
  typeof body.status === 'number' &&
  'title' in body &&
  typeof body.title === 'string';
