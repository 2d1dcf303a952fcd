import { z } from 'zod';
import { problemsOf } from './openApi.ts';
import type { Operation } from './operation.ts';
import { statuses } from './statuses.ts';

const escaped: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (each) => escaped[each] ?? '');

const style = `
:root{color-scheme:light dark;--line:#8884;--soft:#8882}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}
code,pre{font:.875em/1.5 ui-monospace,monospace}
pre{background:var(--soft);padding:.75rem;overflow:auto;border-radius:.375rem}
details{border:1px solid var(--line);border-radius:.375rem;margin:.375rem 0;padding:.375rem .75rem}
summary{cursor:pointer;overflow-wrap:anywhere}
.method{display:inline-block;min-width:4.5rem;font-weight:700}
table{border-collapse:collapse}td,th{border:1px solid var(--line);padding:.25rem .5rem;text-align:left}
nav a{margin-right:.75rem}`;

/** One page without scripts or anything from elsewhere, made from the same list as the router. */
export const renderDocs = (operations: readonly Operation[]): string => {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const anchor = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-');
  const sections = tags.map((tag) => {
    const parts = operations.filter((operation) => operation.tag === tag).map(renderOperation);
    return `<h2 id="${anchor(tag)}">${escapeHtml(tag)}</h2>${parts.join('')}`;
  });
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Opslog API</title>',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<style>${style}</style></head><body><h1>Opslog API</h1>`,
    intro,
    `<nav>${tags.map((tag) => `<a href="#${anchor(tag)}">${escapeHtml(tag)}</a>`).join('')}</nav>`,
    ...sections,
    '</body></html>',
  ].join('\n');
};

const intro = `
<p>The machine-readable form is <a href="/openapi.json">/openapi.json</a>. Sign in with <code>POST /auth/sessions</code>
and send <code>Authorization: Bearer &lt;token&gt;</code>.</p>
<table>
<tr><th>Header</th><th>Meaning</th></tr>
<tr><td><code>Idempotency-Key</code></td><td>On a command: a retry with the same key and body gets the same answer.</td></tr>
<tr><td><code>If-Match</code></td><td>On a command: the ETag that was read; 412 when it has changed since.</td></tr>
<tr><td><code>Prefer: dry-run</code></td><td>On a command: the facts that would be; nothing is appended.</td></tr>
<tr><td><code>Opslog-Position</code></td><td>In the answer to a command: where in the log it is.</td></tr>
<tr><td><code>Opslog-Wait-For</code>, <code>?waitFor=</code></td><td>On a query: wait until it can see that position, ten seconds at most.</td></tr>
<tr><td><code>X-Request-Id</code>, <code>X-Correlation-Id</code>, <code>traceparent</code></td><td>Taken when well formed, made when not, kept with every fact.</td></tr>
</table>
<p>What goes wrong is answered as <code>application/problem+json</code> with a <code>title</code> that has a page below
<code>/problems/</code>.</p>`;

const renderOperation = (operation: Operation): string => {
  const { id, method, path, summary, description, access, success } = operation;
  const role =
    'role' in access ? `Role ${access.role} or higher.` : access.kind === 'public' ? 'No sign-in.' : 'Signed in.';
  const problems = problemsOf(operation)
    .map((code) => `<li>${statuses[code]} <a href="/problems/${code}">${code}</a></li>`)
    .join('');
  return [
    `<details id="${escapeHtml(id)}"><summary><span class="method">${method.toUpperCase()}</span>`,
    `<code>${escapeHtml(path)}</code> ${escapeHtml(summary)}</summary>`,
    `<p>${escapeHtml([description ?? '', role].filter((part) => part !== '').join(' '))}</p>`,
    renderSchema('Query', operation.query, 'input'),
    renderSchema('Body', operation.body.schema, 'input'),
    `<p>${success.status}: ${escapeHtml(success.description)}</p>`,
    success.mediaType === undefined && success.status !== 204 ? renderSchema('Answer', success.schema, 'output') : '',
    `<p>Problems</p><ul>${problems}</ul></details>`,
  ].join('');
};

const renderSchema = (title: string, schema: z.ZodType, io: 'input' | 'output'): string => {
  if (schema instanceof z.ZodObject && Object.keys(schema.shape).length === 0) return '';
  const { $schema: _, ...shown } = z.toJSONSchema(schema, { io });
  return `<p>${title}</p><pre>${escapeHtml(JSON.stringify(shown, null, 2))}</pre>`;
};
