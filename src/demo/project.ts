/** The department's worker: a small TypeScript project of several files. The second revision changes one of them. */
export type ProjectFile = { readonly path: string; readonly content: string };

const index = `import { route } from './routes.ts';

export default {
  async fetch(request: Request, env: { GREETING: string; API_KEY?: string }): Promise<Response> {
    return route(new URL(request.url), env.GREETING, env.API_KEY?.slice(-4) ?? 'none');
  },
};
`;

const routes = `import { greet } from './greeting.ts';
import { json } from './json.ts';

export const route = (url: URL, greeting: string, keyEnding: string): Response =>
  url.pathname === '/'
    ? json({ ...greet(greeting, url.searchParams.get('name') ?? 'world'), keyEnding })
    : json({ error: 'not found' }, 404);
`;

const json = `export const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
`;

const greeting = (revision: number): string => `export type Greeting = { message: string; revision: number };

export const greet = (greeting: string, name: string): Greeting => ({
  message: \`\${greeting}, \${name}!\`,
  revision: ${revision},
});
`;

export const projectFiles = (revision: number): readonly ProjectFile[] => [
  { path: 'src/index.ts', content: index },
  { path: 'src/routes.ts', content: routes },
  { path: 'src/json.ts', content: json },
  { path: 'src/greeting.ts', content: greeting(revision) },
];
