import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textLiteral } from '../../../src/platform/edge/workerd/capnp.ts';
import { answering, call, deploy, newScriptName, openNode, revisionOf } from './support.ts';

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '',
    '"',
    '\\',
    '\\"',
    '\n',
    '\r\n',
    '\0',
    '\x7f',
    `\${x}`,
    '`',
    "'",
    '"), (name = "x',
    '\\x',
    '\\x4',
    '# c',
    '☃',
    '𝒳',
    '\u2028',
  ),
);

describe('configuration text', () => {
  it('is pure ASCII without a way out of the literal, whatever the value', () => {
    fc.assert(
      fc.property(nasty, (value) => {
        const literal = textLiteral(value);
        expect(literal).toMatch(/^"([ !#-[\]-~]|\\x[0-9a-f]{2})*"$/);
      }),
    );
  });

  it('gives the worker every variable byte by byte, whatever is in it', async () => {
    const node = await openNode();
    const source = 'export default { fetch(_, env) { return Response.json(Object.entries(env)); } };';
    await fc.assert(
      fc.asyncProperty(fc.array(nasty, { minLength: 1, maxLength: 40 }), async (values) => {
        const variables = Object.fromEntries(values.map((value, at) => [`V${at}`, value]));
        const script = newScriptName();
        const spec = await revisionOf(node, script, 1, source, { variables });
        expect(await deploy(node.provider, spec)).toMatchObject({ outcome: 'done' });
        const seen: [string, string][] = JSON.parse((await call(node.provider, script)).body);
        expect(Object.fromEntries(seen)).toEqual(variables);
        await node.provider.converge([]);
      }),
      { numRuns: 20 },
    );
  }, 60_000);

  it.each([
    ['a variable name that is no identifier', { variables: { 'a b': 'x' } }, 'VariableNameInvalid'],
    ['a value that is no Unicode text', { variables: { A: '\ud800' } }, 'VariableValueInvalid'],
    ['a script name that is no host label', { scriptName: '../etc' }, 'ScriptNameInvalid'],
    ['a digest that is none', { bundleDigest: '../../etc/passwd' }, 'BundleDigestInvalid'],
  ])('refuses %s', async (_what, more, code) => {
    const node = await openNode();
    const spec = await revisionOf(node, newScriptName(), 1, answering('x'), more);
    expect(await deploy(node.provider, spec)).toMatchObject({ outcome: 'refused', code });
  });
});
