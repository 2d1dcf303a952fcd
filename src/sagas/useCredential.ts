import type { Aggregates } from '../commands/aggregates.ts';
import { parseSealedText } from '../commands/credentialValue.ts';
import { decodeAs, sha256, streamOf } from '../commands/envelope.ts';
import { type CredentialEvent, credential, type KnownCredential } from '../domain/credential/index.ts';
import { credentialUseId } from '../domain/identifiers.ts';
import type { Clock } from '../platform/clock/port.ts';
import type { EventLog } from '../platform/eventLog/port.ts';
import type { Vault } from '../platform/vault/port.ts';
import { systemEnvelope, type WorkContext } from './envelope.ts';
import { type OpenedCredential, openedCredential } from './openedCredential.ts';

export type CredentialUseDeps = {
  readonly aggregates: Pick<Aggregates, 'credential' | 'credentialUse' | 'workspace' | 'department'>;
  readonly log: Pick<EventLog, 'readStream'>;
  readonly vault: Pick<Vault, 'open'>;
  readonly clock: Pick<Clock, 'now'>;
};

/** Who opens which credential, what for and on what. */
export type CredentialWanted = {
  readonly credentialId: string;
  /** What for, as a word: `server.connect`. It is shown in the audit trail. */
  readonly purpose: string;
  /** Id of what it is used on. */
  readonly subjectId: string;
  /** Part of the platform that acts, for example `deployments`. */
  readonly part: string;
  /** Tenant of the subject, and the trace that the use belongs to. */
  readonly context: WorkContext;
};

export type CredentialRefusal = {
  readonly ok: false;
  readonly code: 'credential_missing' | 'credential_unreadable';
  readonly detail: string;
};

const hourMs = 60 * 60 * 1000;

/**
 * Opens a credential for one piece of work and closes it again, whatever comes of that. The use is on record before the
 * value is open: when it cannot be recorded this throws. A credential of another workspace, of another department than the
 * subject's, and one that is deleted answer like one that never was. What the work throws is thrown on.
 */
export const useCredential = async <Result>(
  deps: CredentialUseDeps,
  wanted: CredentialWanted,
  work: (opened: OpenedCredential) => Promise<Result>,
): Promise<{ readonly ok: true; readonly value: Result } | CredentialRefusal> => {
  const state = await findUsable(deps, wanted);
  if (!state) return missing;
  await recordUse(deps, wanted, state);
  const sealed = await findSealed(deps.log, wanted.credentialId, state.keyId);
  if (!sealed) return missing;
  const opened = await deps.vault.open(sealed, state.workspaceId);
  if (!opened.ok) return unreadable(opened.code);
  const parsed = parseSealedText(opened.plaintext);
  const isOwn = parsed?.credentialId === wanted.credentialId && parsed.kind === sealed.details.kind;
  const secrets = new Map(
    isOwn ? Object.entries(parsed.secrets).map(([name, text]) => [name, Buffer.from(text)] as const) : [],
  );
  try {
    const handed = isOwn ? openedCredential(sealed.details, secrets) : undefined;
    return handed ? { ok: true, value: await work(handed) } : unreadable('not_authentic');
  } finally {
    for (const bytes of secrets.values()) bytes.fill(0);
  }
};

const findUsable = async (
  { aggregates }: CredentialUseDeps,
  { credentialId, context }: CredentialWanted,
): Promise<KnownCredential | undefined> => {
  const { state } = await aggregates.credential.load(credentialId);
  if (state.status !== 'active' || state.workspaceId !== context.workspaceId) return undefined;
  if (state.departmentId !== '' && state.departmentId !== context.departmentId) return undefined;
  // Between the removal of an owner and that of what it owned there is a moment.
  if ((await aggregates.workspace.load(state.workspaceId)).state.status !== 'active') return undefined;
  if (state.departmentId === '') return state;
  return (await aggregates.department.load(state.departmentId)).state.status === 'active' ? state : undefined;
};

const recordUse = async (
  { aggregates, clock }: CredentialUseDeps,
  { credentialId, purpose, subjectId, part, context }: CredentialWanted,
  { version }: KnownCredential,
): Promise<void> => {
  const windowStart = Math.floor(clock.now() / hourMs) * hourMs;
  const id = credentialUseId(sha256, { credentialId, purpose, subjectId, windowStart });
  const data = { credentialId, version, purpose, subjectId, windowStart };
  const sent = await aggregates.credentialUse.send(
    id,
    { type: 'RecordCredentialUse', data },
    systemEnvelope(part, context, 'credential-use', id),
  );
  if (!sent.ok) throw new Error(`A use of the credential ${credentialId} was not recorded: ${sent.rejection.rejected}`);
};

/** The value under this key, unless it was deleted meanwhile. */
const findSealed = async (log: Pick<EventLog, 'readStream'>, credentialId: string, keyId: string) => {
  const stream = streamOf(credential.category, credentialId);
  for await (const stored of log.readStream(stream, { direction: 'backwards', from: 'end' })) {
    const event = decodeAs<CredentialEvent>(credential, stored);
    if (event?.type === 'CredentialDeleted') return undefined;
    const isValue = event?.type === 'CredentialReplaced' || event?.type === 'CredentialCreated';
    if (isValue && event.data.keyId === keyId) return event.data;
  }
  return undefined;
};

const missing: CredentialRefusal = {
  ok: false,
  code: 'credential_missing',
  detail: 'There is no such credential here. Choose another one, or create it anew.',
};

const unreadable = (code: 'destroyed' | 'missing' | 'not_authentic'): CredentialRefusal => {
  if (code === 'destroyed') return missing;
  const what =
    code === 'missing'
      ? 'Its data key is not here: restore the keys from a backup, or replace its value.'
      : 'It was changed, or sealed for something else: replace its value.';
  return { ok: false, code: 'credential_unreadable', detail: `The credential cannot be read. ${what}` };
};
