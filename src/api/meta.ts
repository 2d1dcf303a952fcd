import { z } from 'zod';
import { publicOperation } from './define.ts';
import { renderDocs } from './docsPage.ts';
import { live, readiness } from './models.ts';
import { openApi } from './openApi.ts';
import { noInput, type Operation } from './operation.ts';
import { refuse } from './problem.ts';
import { renderProblemPage } from './problemPages.ts';
import { isProblemCode } from './statuses.ts';

const tag = 'About';

/** Operations about the API itself. `all` answers with every operation, these included. */
export const metaOperations = (all: () => readonly Operation[]): readonly Operation[] => {
  const documentOf = lazily((version: string) => JSON.stringify(openApi(all(), version)));
  const docs = lazily(() => renderDocs(all()));

  return [
    publicOperation(
      {
        id: 'getLive',
        turn: 'none',
        method: 'get',
        path: '/health/live',
        tag,
        summary: 'Is the process up?',
        ...noInput,
        success: { status: 200, description: 'It is', schema: live },
        problems: [],
      },
      async () => ({ status: 200, body: { status: 'live' as const } }),
    ),
    publicOperation(
      {
        id: 'getReady',
        turn: 'about',
        method: 'get',
        path: '/health/ready',
        tag,
        summary: 'Can it serve, and how far are the read tables behind?',
        description: 'The same body with status 503 when it cannot.',
        ...noInput,
        success: { status: 200, description: 'Ready', schema: readiness },
        problems: [],
      },
      async ({ deps }) => {
        const { ready, checks, lag } = await deps.readiness();
        return { status: ready ? 200 : 503, body: { ready, checks: checks.map((check) => ({ ...check })), lag } };
      },
    ),
    publicOperation(
      {
        id: 'getMetrics',
        turn: 'about',
        method: 'get',
        path: '/metrics',
        tag,
        summary: 'Metrics for Prometheus',
        ...noInput,
        success: { status: 200, description: 'Text exposition', schema: z.string(), mediaType: 'text/plain' },
        problems: [],
      },
      async ({ deps }) => ({
        status: 200,
        body: await deps.metrics.metrics(),
        headers: { 'Content-Type': deps.metrics.contentType },
      }),
    ),
    publicOperation(
      {
        id: 'getOpenApi',
        turn: 'none',
        method: 'get',
        path: '/openapi.json',
        tag,
        summary: 'This API as OpenAPI 3.1',
        ...noInput,
        success: {
          status: 200,
          description: 'The document',
          schema: z.string(),
          mediaType: 'application/json',
        },
        problems: [],
      },
      async ({ deps }) => ({
        status: 200,
        body: documentOf(deps.version),
      }),
    ),
    publicOperation(
      {
        id: 'getDocs',
        turn: 'none',
        method: 'get',
        path: '/docs',
        tag,
        summary: 'This API for people',
        ...noInput,
        success: { status: 200, description: 'A page', schema: z.string(), mediaType: 'text/html' },
        problems: [],
      },
      async () => ({ status: 200, body: docs(''), headers: htmlHeaders }),
    ),
    publicOperation(
      {
        id: 'getProblem',
        turn: 'none',
        method: 'get',
        path: '/problems/{code}',
        tag,
        summary: 'What a problem means and what to do',
        ...noInput,
        success: { status: 200, description: 'Markdown', schema: z.string(), mediaType: 'text/markdown' },
        problems: ['RouteNotFound'],
      },
      async ({ params: { code } }) =>
        isProblemCode(code)
          ? { status: 200, body: renderProblemPage(code) }
          : refuse('RouteNotFound', 'There is no problem of this name.'),
    ),
  ];
};

const htmlHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
};

/** Made on first use, for that first argument, and kept. */
const lazily = (make: (argument: string) => string): ((argument: string) => string) => {
  let made: string | undefined;
  return (argument) => {
    made ??= make(argument);
    return made;
  };
};
