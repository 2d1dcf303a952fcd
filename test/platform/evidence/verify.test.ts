import { createPublicKey, verify } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createBuilder } from '../../../src/platform/builder/builder.ts';
import type { Built } from '../../../src/platform/builder/port.ts';
import { sealEnvelope } from '../../../src/platform/evidence/dsse.ts';
import { type BuildKey, temporaryBuildKey } from '../../../src/platform/evidence/keys.ts';
import { rebuildEvidence } from '../../../src/platform/evidence/rebuild.ts';
import { type Evidence, verifyEvidence } from '../../../src/platform/evidence/verify.ts';
import { buildExample, signer } from './example.ts';

let built: Built;
beforeAll(async () => {
  built = await buildExample();
});
const publicKeys = [temporaryBuildKey().publicKey, signer.publicKey];
const check = (changes: Partial<Evidence> = {}) => verifyEvidence({ ...built, publicKeys, ...changes });

/** Another byte at one place. */
const mutate = (bytes: Uint8Array, at: number, by: number): Uint8Array => {
  const copy = Uint8Array.from(bytes);
  const index = at % copy.length;
  copy[index] = ((copy[index] ?? 0) + by) % 256;
  return copy;
};
const anyPlace = fc.nat({ max: 1_000_000 });
const anyChange = fc.integer({ min: 1, max: 255 });

describe('evidence', () => {
  it('as the builder wrote it is verified offline and tells what was built', () => {
    expect(check()).toEqual({
      ok: true,
      keyId: signer.keyId,
      bundleDigest: built.bundleDigest,
      sbomDigest: built.sbomDigest,
      sourceDigest: built.sourceDigest,
      settings: {
        language: 'typescript',
        entryPoint: 'src/index.ts',
        compatibilityDate: '2026-01-01',
        compatibilityFlags: ['nodejs_compat'],
      },
      builder: { opslog: '9.9.9', esbuild: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
    });
  });

  it('does not survive a change of any byte of the bundle', () => {
    fc.assert(
      fc.property(anyPlace, anyChange, (at, by) => {
        expect(check({ bundle: mutate(built.bundle, at, by) })).toEqual({ ok: false, problem: 'BundleMismatch' });
      }),
    );
  });

  it('does not survive a change of any byte of the SBOM', () => {
    fc.assert(
      fc.property(anyPlace, anyChange, (at, by) => {
        const sbom = Buffer.from(mutate(Buffer.from(built.sbom), at, by)).toString('latin1');
        expect(check({ sbom })).toEqual({ ok: false, problem: 'SbomMismatch' });
      }),
    );
  });

  it('does not survive a change of any byte of the source', () => {
    fc.assert(
      fc.property(anyPlace, anyChange, (at, by) => {
        expect(check({ source: mutate(built.source, at, by) })).toEqual({ ok: false, problem: 'SourceMismatch' });
      }),
    );
  });

  it('does not survive a change of any byte of the receipt', () => {
    fc.assert(
      fc.property(anyPlace, anyChange, (at, by) => {
        const buildReceipt = Buffer.from(mutate(Buffer.from(built.buildReceipt), at, by)).toString('latin1');
        expect(check({ buildReceipt }).ok).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it('does not survive an insertion or a removal in the receipt either', () => {
    fc.assert(
      fc.property(anyPlace, fc.constantFrom('', ' ', '\n', '=', 'A', '}'), (at, inserted) => {
        const index = at % built.buildReceipt.length;
        const rest = built.buildReceipt.slice(inserted === '' ? index + 1 : index);
        expect(check({ buildReceipt: built.buildReceipt.slice(0, index) + inserted + rest }).ok).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it('of another build does not fit, and a key that is not trusted does not count', async () => {
    expect(check({ publicKeys: [] })).toEqual({ ok: false, problem: 'KeyUnknown' });
    expect(check({ publicKeys: [temporaryBuildKey().publicKey] })).toEqual({ ok: false, problem: 'KeyUnknown' });
    expect(check({ sbom: `${built.sbom} ` })).toEqual({ ok: false, problem: 'SbomMismatch' });
  });

  it('signed by a stranger under the name of a trusted key is found', () => {
    const stranger: BuildKey = { ...temporaryBuildKey(), keyId: signer.keyId };
    const { payload } = JSON.parse(built.buildReceipt);
    const forged = sealEnvelope('application/vnd.in-toto+json', Buffer.from(payload, 'base64').toString(), stranger);
    expect(check({ buildReceipt: forged })).toEqual({ ok: false, problem: 'SignatureInvalid' });
  });

  it('signed by us but saying something else than a build receipt is not taken for one', () => {
    const seal = (type: string, payload: string) => check({ buildReceipt: sealEnvelope(type, payload, signer) });
    expect(seal('application/vnd.in-toto+json', '{}')).toEqual({ ok: false, problem: 'StatementUnsupported' });
    expect(seal('application/vnd.in-toto+json', 'no json')).toEqual({ ok: false, problem: 'StatementUnsupported' });
    expect(seal('text/plain', 'hello')).toEqual({ ok: false, problem: 'EnvelopeMalformed' });
  });
});

it('the receipt is a DSSE envelope around an in-toto statement, as any other tool would read it', () => {
  const envelope = JSON.parse(built.buildReceipt);
  const payload = Buffer.from(envelope.payload, 'base64');
  const pae = Buffer.concat([Buffer.from(`DSSEv1 28 application/vnd.in-toto+json ${payload.length} `), payload]);
  const signature = Buffer.from(envelope.signatures[0].sig, 'base64');
  expect(verify(null, pae, createPublicKey(signer.publicKey), signature)).toBe(true);
  const statement = JSON.parse(payload.toString());
  expect(statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'worker.js', digest: { sha256: built.bundleDigest } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        resolvedDependencies: [
          { name: 'source', digest: { sha256: built.sourceDigest } },
          { name: 'node_modules/left', uri: 'pkg:npm/left@1.2.3' },
        ],
      },
      runDetails: { byproducts: [{ digest: { sha256: built.sbomDigest } }] },
    },
  });
  expect(payload.toString()).not.toMatch(/\d{4}-\d\d-\d\dT/);
});

describe('a rebuild', () => {
  it('shows that the stored source gives the same bundle, without the key of the installation', async () => {
    const builder = createBuilder({ signer: temporaryBuildKey(), builderVersion: '9.9.9' });
    try {
      const rebuilt = await rebuildEvidence(builder, built);
      expect(rebuilt).toMatchObject({
        ok: true,
        built: { bundleDigest: built.bundleDigest, sbomDigest: built.sbomDigest },
      });
      const other = await rebuildEvidence(builder, { ...built, bundleDigest: 'f'.repeat(64) });
      expect(other).toMatchObject({ ok: false, problem: 'BundleDiffers' });
    } finally {
      builder.close();
    }
  });
});
