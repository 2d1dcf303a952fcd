import { derivedId } from '../domain/identifiers.ts';
import type { Passwords } from '../platform/password/port.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, sha256 } from './envelope.ts';
import { emailField, passwordField } from './fields.ts';
import { initialPasswordMs, objectionTo } from './passwordRules.ts';
import { generatePassword } from './tokens.ts';
import { createWorkspace, reserve } from './workspace.ts';

export type SeedDeps = {
  readonly aggregates: Aggregates;
  readonly passwords: Passwords;
  readonly secretKey: Uint8Array;
  readonly clock: { now(): number };
  /** The on-prem deployment scope whose gate must be open for deployments, `onprem:<12 hex>`. */
  readonly scope: string;
};

export type Seeded = {
  readonly userId: string;
  readonly workspaceId: string;
  readonly email: string;
  /** Present only when this call registered the administrator and nobody gave a password: show it once. */
  readonly generatedPassword?: string;
};

const commandId = derivedId(sha256, 'command', 'seed');

/** Id of the administrator that a fresh installation gets. */
export const administratorId = derivedId(sha256, 'user', commandId);

const envelope: Envelope = {
  commandId,
  commandDigest: '',
  actor: { kind: 'system', id: 'seed' },
  authMethod: 'system',
  workspaceId: '',
  departmentId: '',
  requestId: '',
  correlationId: commandId,
  causationId: '',
};

/**
 * An administrator who owns a Main Workspace, and the deployment scope. A store that has them is left as it is; a seed that
 * a crash cut short is completed by the next. Throws when the address or the password is not acceptable.
 */
export const seed = async (
  deps: SeedDeps,
  administrator: { readonly email: string; readonly password?: string },
): Promise<Seeded> => {
  const { aggregates, passwords, secretKey, clock, scope } = deps;
  const workspaceId = derivedId(sha256, 'workspace', commandId);
  const userId = administratorId;
  must(await aggregates.edgeMaintenance.send(scope, { type: 'RegisterEdgeScope', data: {} }, envelope));

  const { state: known } = await aggregates.user.load(userId);
  if (known.status === 'registered') {
    await createMain(deps, workspaceId, { userId, email: known.email, displayName: known.displayName });
    return { userId, workspaceId, email: known.email };
  }
  const email = emailField.parse(administrator.email);
  const given = administrator.password === undefined ? undefined : passwordField.parse(administrator.password);
  const objection = given === undefined ? undefined : objectionTo(given, email);
  if (objection !== undefined) throw new Error(`The first administrator cannot be set up: ${objection}`);
  const password = given ?? generatePassword(secretKey, commandId);
  const displayName = 'Administrator';
  must(await reserve(aggregates, 'email', email, userId, envelope));
  const passwordHash = await passwords.hash(password);
  // Whoever gives one has chosen it; one that was made is only for the first sign-in.
  const initial = given === undefined && { initialUntil: clock.now() + initialPasswordMs };
  const registration = { type: 'RegisterUser', data: { email, displayName, passwordHash, ...initial } } as const;
  must(await aggregates.user.send(userId, registration, envelope));
  await createMain(deps, workspaceId, { userId, email, displayName });
  return { userId, workspaceId, email, ...(given === undefined && { generatedPassword: password }) };
};

const createMain = async (
  deps: SeedDeps,
  workspaceId: string,
  owner: { readonly userId: string; readonly email: string; readonly displayName: string },
): Promise<void> => {
  const { state } = await deps.aggregates.workspace.load(workspaceId);
  // One that somebody has deleted since stays deleted.
  if (state.status !== 'absent') return;
  must(await createWorkspace(deps, { name: 'Main Workspace', slug: 'main' }, owner, envelope, workspaceId));
};

const must = <Result extends { readonly ok: boolean }>(result: Result): Extract<Result, { readonly ok: true }> => {
  if (isOk(result)) return result;
  const why = 'rejection' in result ? JSON.stringify(result.rejection) : 'unknown';
  throw new Error(`The first administrator cannot be set up: ${why}`);
};

const isOk = <Result extends { readonly ok: boolean }>(
  result: Result,
): result is Extract<Result, { readonly ok: true }> => result.ok;
