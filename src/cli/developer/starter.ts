export type Starter = { readonly name: string; readonly workspace: string; readonly department: string };

/** The files of a first worker: small enough to read in a minute, several so that imports are shown. */
export const starterFiles = ({ name, workspace, department }: Starter): Readonly<Record<string, string>> => ({
  'opslog.json': `${JSON.stringify(
    {
      workspace,
      department,
      language: 'typescript',
      entryPoint: 'src/index.ts',
      compatibilityDate: '2026-01-01',
      variables: { GREETING: 'Hello' },
    },
    null,
    2,
  )}\n`,
  'src/index.ts': index,
  'src/router.ts': router,
  'src/greeting.ts': greeting,
  '.gitignore': 'node_modules/\ndist/\n.env\n',
  'README.md': readme(name),
});

const index = `import { greet } from './greeting.ts';
import { type Env, route } from './router.ts';

export default {
  fetch(request: Request, env: Env): Promise<Response> | Response {
    return route(request, env, {
      '/': () => new Response(greet(env.GREETING, new URL(request.url).searchParams.get('name'))),
      '/health': () => Response.json({ ok: true }),
    });
  },
};
`;

const router = `/** Variables of opslog.json, as the worker sees them. */
export type Env = { readonly GREETING: string };

export type Handler = (request: Request, env: Env) => Promise<Response> | Response;

/** Answers by path; anything else is not found. */
export const route = (request: Request, env: Env, handlers: Readonly<Record<string, Handler>>) => {
  const { pathname } = new URL(request.url);
  const handler = Object.hasOwn(handlers, pathname) ? handlers[pathname] : undefined;
  return handler ? handler(request, env) : new Response('Not found\\n', { status: 404 });
};
`;

const greeting = `export const greet = (greeting: string, name: string | null): string => \`\${greeting}, \${name ?? 'world'}!\\n\`;
`;

const readme = (name: string): string => `# ${name}

A worker that answers HTTP requests at the edge.

    opslog deploy      builds it, puts it on the air and prints its URL
    opslog status      what is live
    opslog rollback    back to the revision before

\`opslog.json\` says where it belongs (workspace and department), where it starts (\`entryPoint\`) and which variables it
gets. Variables are not for secrets: whoever may read the worker may read them.
`;
