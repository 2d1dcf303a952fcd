import { sealedBinding } from '../commands/edgeSecret.ts';
import { decodeAs, sha256, streamOf } from '../commands/envelope.ts';
import { type EdgeSecretEvent, edgeSecret } from '../domain/edgeSecret/index.ts';
import { edgeSecretId } from '../domain/identifiers.ts';
import type { PinnedSecret, WorkerSpec } from '../platform/edge/port.ts';
import type { EventLog } from '../platform/eventLog/port.ts';
import type { Vault } from '../platform/vault/port.ts';

type Stored = Extract<EdgeSecretEvent, { type: 'EdgeSecretStored' }>['data'];
type Refusal = { readonly ok: false; readonly code: 'secret_gone' | 'secret_unreadable'; readonly detail: string };
type Read = { readonly ok: true; readonly value: string } | Refusal;
type Values = { readonly ok: true; readonly values: Readonly<Record<string, string>> } | Refusal;

/**
 * Exactly the versions that a revision pins, from the log and the keys, as `SecretReader` of the edge asks for them.
 * Nothing is kept between two calls.
 */
export const createSecretReader =
  (deps: { readonly log: Pick<EventLog, 'readStream'>; readonly vault: Pick<Vault, 'open'> }) =>
  async (spec: WorkerSpec): Promise<Values> => {
    const values: [string, string][] = [];
    for (const pinned of spec.secrets) {
      const read = await readOne(deps, spec, pinned);
      if (!read.ok) return read;
      values.push([pinned.name, read.value]);
    }
    return { ok: true, values: Object.fromEntries(values) };
  };

const readOne = async (
  { log, vault }: Parameters<typeof createSecretReader>[0],
  spec: WorkerSpec,
  pinned: PinnedSecret,
): Promise<Read> => {
  const stored = await findStored(log, spec.departmentId, pinned);
  if (!stored) return gone(pinned);
  const opened = await vault.open(stored, sealedBinding(spec, pinned.name, pinned.digest));
  if (opened.ok) return { ok: true, value: opened.plaintext };
  switch (opened.code) {
    case 'destroyed':
      return gone(pinned);
    case 'missing':
      return unreadable(pinned, 'Its data key is not here: restore the keys from a backup, or store the secret again.');
    case 'not_authentic':
      return unreadable(pinned, 'It was changed, or sealed for something else: store the secret again.');
  }
};

/** Undefined for a version that never was, or that was removed: that counts from the removal on, keys or no keys. */
const findStored = async (
  log: Pick<EventLog, 'readStream'>,
  departmentId: string,
  { name, version, digest }: PinnedSecret,
): Promise<Stored | undefined> => {
  let found: Stored | undefined;
  for await (const raw of log.readStream(streamOf(edgeSecret.category, edgeSecretId(sha256, departmentId, name)))) {
    const event = decodeAs<EdgeSecretEvent>(edgeSecret, raw);
    if (event?.type === 'EdgeSecretRemoved') found = undefined;
    else if (event?.type === 'EdgeSecretStored' && event.data.version === version && event.data.digest === digest) {
      found = event.data;
    }
  }
  return found;
};

const gone = ({ name, version }: PinnedSecret): Refusal => ({
  ok: false,
  code: 'secret_gone',
  detail: `Version ${version} of the secret ${name} was removed. Store ${name} again and submit a new revision.`,
});

const unreadable = ({ name, version }: PinnedSecret, what: string): Refusal => ({
  ok: false,
  code: 'secret_unreadable',
  detail: `Version ${version} of the secret ${name} cannot be read. ${what}`,
});
