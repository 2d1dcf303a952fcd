import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WorkerSpec } from '../../../src/platform/edge/port.ts';
import type { SecretReader } from '../../../src/platform/edge/secretReader.ts';
import { createLauncher } from '../../../src/platform/edge/workerd/launch.ts';
import { createRedactor } from '../../../src/platform/edge/workerd/redact.ts';
import { answering, call, deploy, newScriptName, openNode, revisionOf, runningPids, until } from './support.ts';

/** A reader that knows values by name and version, counts how often it is asked, and can be told to say no. */
const createReader = (values: Readonly<Record<string, string>>) => {
  const reader = { asked: 0, answer: undefined as Awaited<ReturnType<SecretReader>> | undefined, fails: false };
  const secretValues: SecretReader = async ({ secrets }) => {
    reader.asked += 1;
    if (reader.fails) throw new Error('the log is away');
    if (reader.answer) return reader.answer;
    const read = secrets.map(({ name, version }) => [name, values[`${name}@${version}`] ?? ''] as const);
    return { ok: true, values: Object.fromEntries(read) };
  };
  return { reader, secretValues };
};

const pin = (name: string, version = 1) => ({ name, version, digest: 'd'.repeat(32) });
const showing = 'export default { fetch(_, env) { return Response.json(env); } };';
const gone = { ok: false, code: 'secret_gone', detail: 'Version 1 of the secret API_KEY was removed.' } as const;

const seenBy = async (provider: Parameters<typeof call>[0], { scriptName }: WorkerSpec): Promise<unknown> =>
  JSON.parse((await call(provider, scriptName)).body);

describe('the secrets that a revision pins', () => {
  it('are in the environment of the worker beside its variables, and nothing else of ours is', async () => {
    const { secretValues } = createReader({ 'API_KEY@3': 'three', 'PATH@1': 'mine', 'LD_PRELOAD@1': '/no/such.so' });
    const node = await openNode({ secretValues });
    const secrets = [pin('API_KEY', 3), pin('PATH'), pin('LD_PRELOAD')];
    const spec = await revisionOf(node, newScriptName(), 1, showing, { secrets, variables: { MODE: 'test' } });
    expect(await deploy(node.provider, spec)).toMatchObject({ outcome: 'done' });
    const expected = { MODE: 'test', API_KEY: 'three', PATH: 'mine', LD_PRELOAD: '/no/such.so' };
    expect(await seenBy(node.provider, spec)).toEqual(expected);
  });

  it('arrive byte by byte, whatever is in them', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).map((value) => value.replaceAll('\0', '0')),
      fc.constantFrom('"', '\\', '\n', '$(id)', '`id`', "'; exit", '=', '%s', '\u2028', '𝒳', 'x'.repeat(5_120)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 20 }), async (values) => {
        const byName = Object.fromEntries(values.map((value, at) => [`S${at}`, value]));
        const { secretValues } = createReader(
          Object.fromEntries(Object.entries(byName).map(([name, value]) => [`${name}@1`, value])),
        );
        const node = await openNode({ secretValues });
        const secrets = Object.keys(byName).map((name) => pin(name));
        const spec = await revisionOf(node, newScriptName(), 1, showing, { secrets });
        expect(await deploy(node.provider, spec)).toMatchObject({ outcome: 'done' });
        expect(await seenBy(node.provider, spec)).toEqual(byName);
        await node.provider.close();
      }),
      { numRuns: 8 },
    );
  }, 60_000);

  it('are on no disk: not in the configuration, not in any file of the node, not on a command line', async () => {
    const canary = `canary${randomBytes(12).toString('hex')}`;
    const configs: string[] = [];
    const launch = await createLauncher();
    const { secretValues } = createReader({ 'API_KEY@1': canary });
    const node = await openNode({
      secretValues,
      launcher: (binary, args, cwd, env) => {
        configs.push(readFileSync(join(cwd, 'config.capnp'), 'utf8'));
        return launch(binary, args, cwd, env);
      },
    });
    const spec = await revisionOf(node, newScriptName(), 1, showing, { secrets: [pin('API_KEY')] });
    await deploy(node.provider, spec);
    expect(await seenBy(node.provider, spec)).toEqual({ API_KEY: canary });
    expect(configs).toHaveLength(1);
    expect(configs.join('')).toContain('API_KEY');
    expect(configs.join('')).not.toContain(canary);
    const files = readdirSync(node.dataDir, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      expect(readFileSync(join(file.parentPath, file.name)).includes(canary), file.name).toBe(false);
    }
    for (const pid of runningPids(node)) expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(canary);
  });

  it('are those of the revision that goes on the air: rolling back restores the value of then', async () => {
    const { secretValues } = createReader({ 'API_KEY@1': 'old', 'API_KEY@2': 'new' });
    const node = await openNode({ secretValues });
    const script = newScriptName();
    const first = await revisionOf(node, script, 1, showing, { secrets: [pin('API_KEY', 1)] });
    const second = await revisionOf(node, script, 2, showing, { secrets: [pin('API_KEY', 2)] });
    for (const [spec, value] of [
      [first, 'old'],
      [second, 'new'],
      [first, 'old'],
    ] as const) {
      expect(await deploy(node.provider, spec)).toMatchObject({ outcome: 'done' });
      expect(await seenBy(node.provider, spec)).toEqual({ API_KEY: value });
    }
  });

  it('are read again whenever the process starts again', async () => {
    const { reader, secretValues } = createReader({ 'API_KEY@1': 'value' });
    const node = await openNode({ secretValues });
    const spec = await revisionOf(node, newScriptName(), 1, showing, { secrets: [pin('API_KEY')] });
    await deploy(node.provider, spec);
    const before = reader.asked;
    for (const pid of runningPids(node)) process.kill(pid, 'SIGKILL');
    await until('another start', async () => {
      const { status } = await call(node.provider, spec.scriptName);
      return reader.asked > before && status === 200;
    });
    expect(await seenBy(node.provider, spec)).toEqual({ API_KEY: 'value' });
  });
});

describe('a secret that cannot be had', () => {
  it('because it was removed refuses the step, and what is on the air stays there', async () => {
    const { reader, secretValues } = createReader({ 'API_KEY@1': 'value' });
    const node = await openNode({ secretValues });
    const script = newScriptName();
    await deploy(node.provider, await revisionOf(node, script, 1, answering('still here')));
    reader.answer = gone;
    const spec = await revisionOf(node, script, 2, showing, { secrets: [pin('API_KEY')] });
    expect(await deploy(node.provider, spec)).toMatchObject({ outcome: 'refused', code: 'secret_gone', step: 'start' });
    expect((await call(node.provider, script)).body).toBe('still here');
    const { failed } = await node.provider.converge([{ spec, paused: false }]);
    expect(failed).toEqual([{ scriptName: script, detail: `secret_gone: ${gone.detail}` }]);
  });

  it('for now, because the log is away, is tried again', async () => {
    const { reader, secretValues } = createReader({ 'API_KEY@1': 'value' });
    const node = await openNode({ secretValues });
    const spec = await revisionOf(node, newScriptName(), 1, showing, { secrets: [pin('API_KEY')] });
    reader.fails = true;
    expect(await deploy(node.provider, spec)).toMatchObject({ outcome: 'retry', step: 'start' });
    reader.fails = false;
    expect(await deploy(node.provider, spec)).toMatchObject({ outcome: 'done' });
  });

  it('on a node without access to secrets is refused, before anything is started', async () => {
    const node = await openNode();
    const spec = await revisionOf(node, newScriptName(), 1, showing, { secrets: [pin('API_KEY')] });
    expect(await deploy(node.provider, spec)).toMatchObject({ outcome: 'refused', code: 'secret_unreadable' });
    expect(runningPids(node)).toEqual([]);
  });

  it.each([
    ['is no identifier', { secrets: [pin('a b')] }],
    ['is __proto__', { secrets: [pin('__proto__')] }],
    ['is a plain variable too', { secrets: [pin('A')], variables: { A: 'x' } }],
  ])('whose name %s is refused', async (_what, more) => {
    const node = await openNode({ secretValues: createReader({}).secretValues });
    const spec = await revisionOf(node, newScriptName(), 1, showing, more);
    expect(await deploy(node.provider, spec)).toMatchObject({ outcome: 'refused', code: 'SecretNameInvalid' });
  });
});

describe('what a worker writes of its secrets', () => {
  const value = 'tiger/lily?9000 "x"';
  const redact = createRedactor({ variables: {}, secrets: { A: value, SHORT: 'abc', FOUR: 'wxyz' }, folders: [] });

  it.each([
    ['plainly', value],
    ['in JSON', JSON.stringify({ a: value })],
    ['in a URL', `https://example.com/?q=${encodeURIComponent(value)}`],
    ['in a form', new URLSearchParams({ a: value }).toString()],
    ['in hex', Buffer.from(value).toString('hex')],
    ['in hex of capital letters', Buffer.from(`${value};`).toString('hex').toUpperCase()],
    ['in base64', Buffer.from(value).toString('base64')],
    ['in base64url', Buffer.from(value).toString('base64url')],
    ['in credentials of Basic authentication', `Basic ${Buffer.from(`me:${value}`).toString('base64')}`],
    ['in the middle of something longer in base64', Buffer.from(`user=${value}&more=1`).toString('base64')],
  ])('%s is masked', (_how, text) => {
    expect(redact(`before ${text} after`)).toContain('***');
    for (const trace of ['tiger', 'lily', '9000', 'dGlnZX', 'bGlseT', '7469676572', '6C696C79'])
      expect(redact(text)).not.toContain(trace);
  });

  it('is masked from four characters on', () => {
    expect(redact('abc wxyz')).toBe('abc ***');
  });

  it('is masked in a text that was cut in the middle of it', () => {
    expect(redact('see tiger/li', true)).toBe('see ***');
    expect(redact('see tiger/li', false)).toBe('see tiger/li');
    expect(redact('see tig', true)).toBe('see tig');
  });

  it('is masked line by line when it has several', () => {
    const pem = '-----BEGIN THING-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\nEFAASCBKcwggSjAgEAAoIBAQC7\n-----END THING-----';
    const lines = createRedactor({ variables: {}, secrets: { PEM: pem }, folders: [] });
    expect(lines('MIIEvQIBADANBgkqhkiG9w0BAQ')).toBe('***');
  });

  it('shows nothing of any value in any spelling, wherever it stands', () => {
    const part = fc.string({ unit: 'grapheme-ascii', maxLength: 20 });
    const secret = fc.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 30 });
    fc.assert(
      fc.property(part, secret, part, (before, hidden, after) => {
        const own = createRedactor({ variables: {}, secrets: { A: hidden }, folders: [] });
        const text = before + hidden + after;
        expect(own(text)).not.toContain(hidden);
        const shown = own(Buffer.from(text).toString('base64'));
        // Neighbours on both sides share the first and the last digit; what lies between is nobody else's.
        const at = Buffer.byteLength(before);
        const digits = Buffer.from(text).toString('base64');
        const inner = digits.slice(Math.ceil((at * 8) / 6), Math.floor(((at + hidden.length) * 8) / 6));
        expect(shown).not.toContain(inner);
      }),
    );
  });

  it('reaches nobody: neither lines of its console nor the reason why it does not start', async () => {
    const canary = `canary-${randomBytes(12).toString('hex')}`;
    const { secretValues } = createReader({ 'API_KEY@1': canary });
    const node = await openNode({ secretValues });
    const secrets = [pin('API_KEY')];
    const talking = `export default { fetch(_, env) {
      console.log('plain', env.API_KEY); console.error({ env }); console.log(btoa('x:' + env.API_KEY));
      console.log('x'.repeat(16 * 1024 - 80) + env.API_KEY + 'y'.repeat(100));
      throw new Error('thrown with ' + env.API_KEY);
    } };`;
    const spec = await revisionOf(node, newScriptName(), 1, talking, { secrets });
    await deploy(node.provider, spec);
    await call(node.provider, spec.scriptName);
    await until('its lines', () => node.lines.length >= 5);
    const failing = `import { env } from 'cloudflare:workers';
      throw new Error('top level ' + env.API_KEY); export default {};`;
    const broken = await revisionOf(node, newScriptName(), 1, failing, { secrets });
    const refused = await deploy(node.provider, broken);
    expect(refused).toMatchObject({ outcome: 'refused', detail: expect.stringContaining('top level ***') });
    const said = JSON.stringify([node.lines, node.transitions, refused]);
    expect(said).toContain('thrown with ***');
    for (const trace of [canary, canary.slice(0, 12), Buffer.from(canary).toString('base64').slice(4, 24)]) {
      expect(said).not.toContain(trace);
    }
  });
});
