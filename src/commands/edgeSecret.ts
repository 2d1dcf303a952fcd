import { z } from 'zod';
import { type EdgeSecretRejection, newestVersion } from '../domain/edgeSecret/index.ts';
import { type EdgeWorker, isAlive, liveRevision } from '../domain/edgeWorker/index.ts';
import { edgeSecretId, edgeWorkerId } from '../domain/identifiers.ts';
import type { Vault } from '../platform/vault/port.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, sha256 } from './envelope.ts';
import { secretText } from './fields.ts';
import { done, notSent, type Outcome } from './outcome.ts';

/** What a worker's environment takes, on-prem and at Cloudflare. */
const valueBytes = 5 * 1024;

export const putSecretSchema = z.strictObject({
  value: secretText(valueBytes, `Up to ${valueBytes} bytes of text, kept as they are.`),
});

/** As a variable is named in code; `__proto__` would be no property of its own there. */
export const isSecretName = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name) && name !== '__proto__';

type SecretsOf = { readonly workspaceId: string; readonly departmentId: string };

/** What a sealed value and its digest are bound to: it opens nowhere else. */
export const secretBinding = ({ workspaceId, departmentId }: SecretsOf, name: string): readonly string[] => [
  ...[workspaceId, departmentId, name],
];
export const sealedBinding = (of: SecretsOf, name: string, digest: string): readonly string[] => [
  ...secretBinding(of, name),
  digest,
];

export type StoredSecret = { readonly name: string; readonly version: number; readonly digest: string };

const unsealed = { keyId: '', encryptedData: { iv: '', tag: '', data: '' } } as const;

/** The same value again is the same version. A data key is made only when there is something new to seal. */
export const putEdgeSecret = async (
  { aggregates, vault }: { readonly aggregates: Pick<Aggregates, 'edgeSecret'>; readonly vault: Vault },
  tenant: SecretsOf,
  { name, value }: { readonly name: string; readonly value: string },
  envelope: Envelope,
): Promise<Outcome<StoredSecret, EdgeSecretRejection>> => {
  const { workspaceId: companyId, departmentId } = tenant;
  const id = edgeSecretId(sha256, departmentId, name);
  const digest = vault.digest(value, secretBinding(tenant, name));
  const put = (sealed: Awaited<ReturnType<Vault['seal']>>, request: Envelope) =>
    aggregates.edgeSecret.send(
      id,
      { type: 'PutEdgeSecret', data: { companyId, departmentId, name, digest, ...sealed } },
      request,
    );
  const shown = (sent: Extract<Awaited<ReturnType<typeof put>>, { ok: true }>) => {
    const stored = sent.events.find((event) => event.type === 'EdgeSecretStored')?.data ?? newestVersion(sent.state);
    if (!stored) throw new Error(`The secret ${name} was stored but is not there.`);
    return done({ name, version: stored.version, digest: stored.digest }, sent, sent);
  };
  const rehearsed = await put(unsealed, { ...envelope, dryRun: true });
  if (!rehearsed.ok) return rehearsed;
  if (envelope.dryRun || rehearsed.replayed || rehearsed.events.length === 0) return shown(rehearsed);
  const sealed = await vault.seal(value, sealedBinding(tenant, name, digest));
  const sent = await put(sealed, envelope);
  // Somebody else stored the same, or this very request came twice: the key opens nothing that is kept.
  const isKept =
    sent.ok && sent.events.some(({ type, data }) => type === 'EdgeSecretStored' && data.keyId === sealed.keyId);
  if (!isKept) await vault.destroy(sealed.keyId).catch(() => undefined);
  return sent.ok ? shown(sent) : sent;
};

/** Revisions that would not start without this secret: the live one, and one that is being deployed. */
const revisionsInUse = (state: EdgeWorker, name: string): readonly number[] => {
  if (state.status === 'absent' || state.retired) return [];
  const { ticket } = state;
  const wanted = new Set([liveRevision(state), ...(isAlive(ticket) ? [ticket.revision] : [])]);
  return state.revisions
    .filter((each) => wanted.has(each.revision) && each.secrets.some((pinned) => pinned.name === name))
    .map((each) => each.revision);
};

/** Unless forced, refused while the live revision or one on its way pins the secret. */
export const removeEdgeSecret = async (
  { aggregates }: { readonly aggregates: Pick<Aggregates, 'edgeSecret' | 'edgeWorker'> },
  { departmentId }: SecretsOf,
  { name, force }: { readonly name: string; readonly force: boolean },
  envelope: Envelope,
): Promise<Outcome<{ readonly name: string }, EdgeSecretRejection | 'SecretInUse'>> => {
  const id = edgeSecretId(sha256, departmentId, name);
  const rehearsed = await aggregates.edgeSecret.send(
    id,
    { type: 'RemoveEdgeSecret', data: {} },
    { ...envelope, dryRun: true },
  );
  if (!rehearsed.ok) return rehearsed;
  if (!force && !rehearsed.replayed && rehearsed.events.length > 0) {
    const { state } = await aggregates.edgeWorker.load(edgeWorkerId(sha256, departmentId));
    const [revision] = revisionsInUse(state, name);
    if (revision !== undefined) {
      const reason =
        `Revision ${revision} reads ${name}. Deploy a revision that does without it first, or force the removal: ` +
        'the worker then no longer starts when it is restarted.';
      return notSent('SecretInUse', reason, { field: 'name', details: { name, revision } });
    }
  }
  const sent = envelope.dryRun
    ? rehearsed
    : await aggregates.edgeSecret.send(id, { type: 'RemoveEdgeSecret', data: {} }, envelope);
  return sent.ok ? done({ name }, sent, sent) : sent;
};
