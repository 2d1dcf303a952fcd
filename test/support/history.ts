import fc from 'fast-check';
import { createAggregates } from '../../src/commands/aggregates.ts';
import type { Envelope } from '../../src/commands/envelope.ts';
import { sha256 } from '../../src/commands/envelope.ts';
import { derivedId, edgeWorkerId, reservationId, scriptNameOf } from '../../src/domain/identifiers.ts';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import { controlSteps, isControlStep, performControlStep } from './controlHistory.ts';
import { credentialSteps, isCredentialStep, performCredentialStep } from './credentialHistory.ts';
import { domainSteps, isDomainStep, performDomainStep } from './domainHistory.ts';
import { identitySteps, isIdentityStep, performIdentityStep } from './identityHistory.ts';
import { isJobStep, type JobWorld, jobSteps, performJobStep } from './jobHistory.ts';
import { isLifecycleStep, lifecycleSteps, performLifecycleStep } from './lifecycleHistory.ts';
import { isResourceStep, performResourceStep, resourceSteps } from './resourceHistory.ts';
import { isSecretStep, performSecretStep, secretSteps } from './secretHistory.ts';
import { isWebhookStep, performWebhookStep, webhookSteps } from './webhookHistory.ts';

/**
 * A random history of all features, made by the deciders themselves: each step tries a command on something that the
 * steps before it brought about, and what a decider rejects simply does not happen.
 */
export type Step = { readonly what: (typeof kinds)[number]; readonly pick: number; readonly choice: number };

const kinds = [
  ...(['registerUser', 'changePassword', 'openSession', 'revokeSession', 'reserveName', 'releaseName'] as const),
  ...(['createWorkspace', 'addMember', 'changeRole', 'removeMember', 'createDepartment'] as const),
  ...(['issueToken', 'revokeToken', 'registerScope', 'beginMaintenance', 'endMaintenance'] as const),
  ...(['submit', 'submit', 'submit', 'admit', 'admit', 'rollback', 'lease', 'lease', 'renew'] as const),
  ...(['report', 'report', 'report', 'report', 'requestCancel', 'confirmCancel', 'pause', 'resume'] as const),
  ...(['requestCleanup', 'leaseCleanup', 'retryCleanup', 'completeCleanup'] as const),
  ...jobSteps,
  ...webhookSteps,
  ...identitySteps,
  ...lifecycleSteps,
  ...domainSteps,
  ...secretSteps,
  ...credentialSteps,
  ...controlSteps,
  ...resourceSteps,
] as const;

export const historyArbitrary = (maxLength: number): fc.Arbitrary<readonly Step[]> =>
  fc.array(
    fc.record({
      what: fc.constantFrom(...kinds),
      pick: fc.nat({ max: 1_000 }),
      choice: fc.nat({ max: 1_000 }),
    }),
    { minLength: Math.min(10, maxLength), maxLength, size: 'max' },
  );

const roles = ['OWNER', 'ADMIN', 'MEMBER', 'VIEWER'] as const;
const outcomes = ['done', 'done', 'done', 'refused', 'retry', 'uncertain'] as const;
const names = ['Straße', '日本', 'plain', "O'Neil; drop table users", 'tab\there', '\\N', '', 'é'.repeat(200)] as const;

/** -1 is the newest. */
const from = <Value>(values: readonly Value[], index: number): Value | undefined => values.at(index % values.length);

type World = {
  readonly users: string[];
  readonly sessions: string[];
  readonly workspaces: string[];
  readonly departments: { readonly id: string; readonly workspaceId: string }[];
  readonly tokens: { readonly id: string; readonly workspaceId: string }[];
  readonly cleanups: { readonly id: string; leaseId: string }[];
  readonly leases: Map<string, string>;
  readonly jobs: JobWorld;
  /** Resources made by hand. */
  readonly resources: string[];
};

const scope = 'onprem:000000000001';

/** Carries out the steps. The same steps always write the same events, but for the times that the log stamps. */
export const makeHistory = async (log: EventLog, steps: readonly Step[]): Promise<void> => {
  let now = 1_700_000_000_000;
  const aggregates = createAggregates({ log, now: () => now });
  const world: World = {
    ...{ users: [], sessions: [], workspaces: [], departments: [], tokens: [], cleanups: [] },
    leases: new Map(),
    jobs: [],
    resources: [],
  };
  for (const [index, step] of steps.entries()) {
    now += 1_000;
    await perform(aggregates, world, step, index, now);
  }
};

const envelopeOf = (index: number, workspaceId = '', departmentId = ''): Envelope => ({
  commandId: derivedId(sha256, 'command', String(index)),
  commandDigest: '',
  actor: { kind: index % 3 === 0 ? 'system' : 'user', id: `actor-${index % 4}` },
  authMethod: index % 3 === 0 ? 'system' : 'session',
  workspaceId,
  departmentId,
  requestId: `request-${index}`,
  correlationId: `correlation-${index % 5}`,
  causationId: '',
});

const perform = async (
  aggregates: ReturnType<typeof createAggregates>,
  world: World,
  { what, pick, choice }: Step,
  index: number,
  now: number,
): Promise<void> => {
  const fresh = (kind: string): string => derivedId(sha256, kind, String(index));
  const name = from(names, choice) ?? '';
  const user = from(world.users, pick);
  const workspaceId = from(world.workspaces, pick);
  const department = from(world.departments, pick);
  const token = from(world.tokens, pick);
  const cleanup = from(world.cleanups, pick);
  const plain = envelopeOf(index);
  if (isJobStep(what)) {
    if (!workspaceId) return;
    const at = { index, now, text: name };
    await performJobStep(aggregates, world.jobs, { what, pick, choice }, at, workspaceId, plain);
    return;
  }
  if (isIdentityStep(what)) {
    if (!workspaceId) return;
    const known = { user, session: from(world.sessions, choice), token: token?.id };
    const at = { now, text: name, ...known };
    await performIdentityStep(aggregates, { what, choice }, at, workspaceId, envelopeOf(index, workspaceId));
    return;
  }
  if (isWebhookStep(what)) {
    if (!workspaceId) return;
    const at = { now, text: name };
    await performWebhookStep(aggregates, { what, choice }, at, workspaceId, envelopeOf(index, workspaceId));
    return;
  }
  if (isDomainStep(what)) {
    if (!department) return;
    const envelope = envelopeOf(index, department.workspaceId, department.id);
    await performDomainStep(aggregates, { what, choice }, { index, now, text: name }, department, envelope);
    return;
  }
  if (isCredentialStep(what)) {
    if (!department) return;
    const envelope = envelopeOf(index, department.workspaceId, department.id);
    await performCredentialStep(aggregates, { what, choice }, { index, now, text: name }, department, envelope);
    return;
  }
  if (isControlStep(what)) {
    const envelope = envelopeOf(index, department?.workspaceId, department?.id);
    await performControlStep(aggregates, { what, choice }, envelope);
    return;
  }
  if (isResourceStep(what)) {
    if (!department) return;
    const envelope = envelopeOf(index, department.workspaceId, department.id);
    await performResourceStep(aggregates, world.resources, { what, pick, choice }, name, department, envelope);
    return;
  }
  if (isSecretStep(what)) {
    if (!department) return;
    await performSecretStep(
      aggregates,
      { what, choice },
      department,
      envelopeOf(index, department.workspaceId, department.id),
    );
    return;
  }
  if (isLifecycleStep(what)) {
    const on = { workspaceId, department, choice };
    const envelopeAt = (workspace?: string, inside?: string) => envelopeOf(index, workspace, inside);
    await performLifecycleStep(aggregates, what, { ...on, envelopeOf: envelopeAt });
    return;
  }
  switch (what) {
    case 'registerUser': {
      const id = fresh('user');
      const data = { email: `user-${index}@example.org`, displayName: name, passwordHash: '$argon2id$secret' };
      await aggregates.user.send(id, { type: 'RegisterUser', data }, plain);
      world.users.push(id);
      return;
    }
    case 'changePassword':
      if (!user) return;
      await aggregates.user.send(
        user,
        { type: 'ChangeUserPassword', data: { passwordHash: `$argon2id$${index}`, keepSessionId: '' } },
        plain,
      );
      return;
    case 'openSession': {
      if (!user) return;
      const id = fresh('session');
      const data = { userId: user, tokenDigest: sha256(id), expiresAt: now + 1_000 };
      await aggregates.session.send(id, { type: 'OpenSession', data }, plain);
      world.sessions.push(id);
      return;
    }
    case 'revokeSession': {
      const id = from(world.sessions, pick);
      if (id) await aggregates.session.send(id, { type: 'RevokeSession', data: {} }, plain);
      return;
    }
    case 'reserveName': {
      const id = reservationId(sha256, 'email', `name-${choice % 5}`);
      await aggregates.reservation.send(
        id,
        { type: 'ReserveName', data: { kind: 'email', ownerId: user ?? 'nobody' } },
        plain,
      );
      return;
    }
    case 'releaseName': {
      const id = reservationId(sha256, 'email', `name-${choice % 5}`);
      await aggregates.reservation.send(id, { type: 'ReleaseName', data: { ownerId: user ?? 'nobody' } }, plain);
      return;
    }
    case 'createWorkspace': {
      const id = fresh('workspace');
      const owner = { userId: user ?? 'user-0', email: 'owner@example.org', displayName: name };
      const data = { name, slug: `workspace-${index}`, owner };
      await aggregates.workspace.send(id, { type: 'CreateWorkspace', data }, envelopeOf(index, id));
      world.workspaces.push(id);
      return;
    }
    case 'addMember': {
      if (!workspaceId) return;
      const member = { userId: `user-${choice % 4}`, email: `m${choice % 4}@example.org`, displayName: name };
      const data = { ...member, role: from(roles, choice) ?? 'VIEWER', departmentIds: choice % 2 ? ['d2', 'd1'] : [] };
      await aggregates.workspace.send(workspaceId, { type: 'AddMember', data }, envelopeOf(index, workspaceId));
      return;
    }
    case 'changeRole': {
      if (!workspaceId) return;
      const data = { userId: `user-${choice % 4}`, role: from(roles, pick + choice) ?? 'VIEWER', departmentIds: [] };
      await aggregates.workspace.send(workspaceId, { type: 'ChangeMemberRole', data }, envelopeOf(index, workspaceId));
      return;
    }
    case 'removeMember': {
      if (!workspaceId) return;
      const data = { userId: `user-${choice % 4}` };
      await aggregates.workspace.send(workspaceId, { type: 'RemoveMember', data }, envelopeOf(index, workspaceId));
      return;
    }
    case 'createDepartment': {
      if (!workspaceId) return;
      const id = fresh('department');
      const data = { workspaceId, name, slug: `department-${index}` };
      await aggregates.department.send(id, { type: 'CreateDepartment', data }, envelopeOf(index, workspaceId, id));
      world.departments.push({ id, workspaceId });
      return;
    }
    case 'issueToken': {
      if (!workspaceId) return;
      const id = fresh('token');
      const data = { workspaceId, name, digest: sha256(id), role: 'MEMBER' as const, departmentId: '' };
      const expiresAt = choice % 2 ? now + 1_000 : 0;
      const command = { type: 'IssueApiToken', data: { ...data, expiresAt } } as const;
      await aggregates.apiToken.send(id, command, envelopeOf(index, workspaceId));
      world.tokens.push({ id, workspaceId });
      return;
    }
    case 'revokeToken':
      if (!token) return;
      await aggregates.apiToken.send(
        token.id,
        { type: 'RevokeApiToken', data: { workspaceId: token.workspaceId } },
        envelopeOf(index, token.workspaceId),
      );
      return;
    case 'registerScope':
      await aggregates.edgeMaintenance.send(scope, { type: 'RegisterEdgeScope', data: {} }, plain);
      return;
    case 'beginMaintenance':
      await aggregates.edgeMaintenance.send(scope, { type: 'BeginEdgeMaintenance', data: { reason: name } }, plain);
      return;
    case 'endMaintenance':
      await aggregates.edgeMaintenance.send(scope, { type: 'EndEdgeMaintenance', data: {} }, plain);
      return;
    case 'requestCleanup': {
      if (!department) return;
      const id = fresh('cleanup');
      const data = { workerId: edgeWorkerId(sha256, department.id), digests: [sha256(id)], reason: 'append_failed' };
      await aggregates.artifactCleanup.send(
        id,
        { type: 'RequestArtifactCleanup', data: { ...data, requestedAt: now, dueAt: now + 500 } },
        envelopeOf(index, department.workspaceId, department.id),
      );
      world.cleanups.push({ id, leaseId: '' });
      return;
    }
    case 'leaseCleanup': {
      if (!cleanup) return;
      cleanup.leaseId = fresh('lease');
      const data = {
        leaseId: cleanup.leaseId,
        holder: 'node/1',
        now,
        leasedUntil: now + 2_000,
        takeover: choice % 5 === 0,
      };
      await aggregates.artifactCleanup.send(cleanup.id, { type: 'LeaseArtifactCleanup', data }, plain);
      return;
    }
    case 'retryCleanup': {
      if (!cleanup) return;
      const data = { leaseId: cleanup.leaseId, reason: name, nextAttemptAt: now + 500 };
      await aggregates.artifactCleanup.send(cleanup.id, { type: 'ScheduleArtifactCleanupRetry', data }, plain);
      return;
    }
    case 'completeCleanup': {
      if (!cleanup) return;
      const data = { leaseId: cleanup.leaseId, removed: [], kept: [] };
      await aggregates.artifactCleanup.send(cleanup.id, { type: 'CompleteArtifactCleanup', data }, plain);
      return;
    }
    default:
      if (department) await performEdge(aggregates, world, { what, pick, choice }, index, now, department);
  }
};

type EdgeKind =
  | 'submit'
  | 'admit'
  | 'rollback'
  | 'lease'
  | 'renew'
  | 'report'
  | 'requestCancel'
  | 'confirmCancel'
  | 'pause'
  | 'resume';

const performEdge = async (
  aggregates: ReturnType<typeof createAggregates>,
  world: World,
  { what, choice }: { readonly what: EdgeKind; readonly pick: number; readonly choice: number },
  index: number,
  now: number,
  department: { readonly id: string; readonly workspaceId: string },
): Promise<void> => {
  const { id: departmentId, workspaceId: companyId } = department;
  const envelope = envelopeOf(index, companyId, departmentId);
  const workerId = edgeWorkerId(sha256, departmentId);
  const worker = aggregates.edgeWorker;
  const { state } = await worker.load(workerId);
  const ticket = state.status === 'absent' ? undefined : state.ticket;
  const ticketId = ticket?.ticketId ?? 'none';
  const leaseId = world.leases.get(ticketId) ?? 'none';
  switch (what) {
    case 'submit': {
      const evidence = choice % 7 === 0 ? '' : `{"n":${index},"text":"${from(names, choice)}"}`;
      const data = {
        ...{ versionId: derivedId(sha256, 'version', String(index)), language: 'typescript' as const },
        ...{ entryPoint: 'src/index.ts', compatibilityDate: '2026-01-01', compatibilityFlags: ['nodejs_compat'] },
        ...{ variables: { MODE: from(names, choice) ?? '' }, environmentDigest: sha256(`env-${choice}`) },
        ...{ sourceDigest: sha256(`source-${choice}`), sourceBytes: choice, sourceFiles: 2 },
        ...{ bundleDigest: sha256(`bundle-${choice}`), bundleBytes: choice * 3, sbomDigest: sha256(evidence) },
        ...{ sbom: evidence, buildReceipt: evidence },
        ...{ companyId, departmentId, scriptName: scriptNameOf(sha256, companyId, departmentId) },
      };
      await worker.send(workerId, { type: 'SubmitRevision', data }, envelope);
      return;
    }
    case 'admit':
    case 'rollback': {
      const data = {
        ...{ ticketId: derivedId(sha256, 'ticket', String(index)), revision: choice % 4, gate: 'open' as const },
        ...{ kind: what === 'admit' ? ('deploy' as const) : ('rollback' as const), provider: 'workerd', scope },
        ...{
          steps: ['fetch', 'start', 'switch'],
          dedupeKey: `key-${index}`,
          maxAttempts: 2,
          supersede: choice % 5 === 0,
        },
      };
      await worker.send(workerId, { type: 'AdmitDeployment', data }, envelope);
      return;
    }
    case 'lease': {
      const fresh = derivedId(sha256, 'lease', String(index));
      const data = { ticketId, leaseId: fresh, holder: `node-${choice % 2}/${index}`, now, leasedUntil: now + 5_000 };
      const sent = await worker.send(
        workerId,
        { type: 'LeaseDeployment', data: { ...data, takeover: choice % 3 === 0 } },
        envelope,
      );
      if (sent.ok) world.leases.set(ticketId, fresh);
      return;
    }
    case 'renew': {
      const data = { ticketId, leaseId, leasedUntil: now + 9_000 };
      await worker.send(workerId, { type: 'RenewDeploymentLease', data }, envelope);
      return;
    }
    case 'report': {
      const step = ticket?.steps.find((each) => !ticket.done.includes(each)) ?? 'fetch';
      const detail = `saw ${from(names, choice)} Bearer abcdefghijkl`;
      const kind = from(outcomes, choice) ?? 'done';
      const outcome =
        kind === 'done'
          ? { outcome: kind, detail }
          : kind === 'refused'
            ? { outcome: kind, code: 'provider_refused', detail }
            : { outcome: kind, detail, nextAttemptAt: now + 500 };
      const told = {
        url: 'http://w.localhost',
        mode: choice % 2 ? ('perform' as const) : ('probe' as const),
        facts: { seen: detail },
      };
      const data = { ticketId, leaseId, step, outcome, startedAt: now - 5, durationMs: 5, ...told };
      await worker.send(workerId, { type: 'ReportDeploymentStep', data }, envelope);
      return;
    }
    case 'requestCancel':
      await worker.send(
        workerId,
        { type: 'RequestDeploymentCancel', data: { ticketId, giveUp: choice % 2 === 1 } },
        envelope,
      );
      return;
    case 'confirmCancel':
      await worker.send(workerId, { type: 'ConfirmDeploymentCancel', data: { ticketId, leaseId } }, envelope);
      return;
    case 'pause':
      await worker.send(workerId, { type: 'PauseEdgeWorker', data: {} }, envelope);
      return;
    case 'resume':
      await worker.send(workerId, { type: 'ResumeEdgeWorker', data: {} }, envelope);
      return;
    default:
      what satisfies never;
  }
};

/** A long fixed history for tests that need one that has a bit of everything. */
export const sampleHistory = (length: number, seed: number): readonly Step[] => {
  // One deployment on its way, one credential and one tag, whatever chance makes of the rest. A choice of 1 is of revision 1, and one
  // with evidence.
  const something = (pick: number): readonly Step[] =>
    (
      [
        ...(['registerUser', 'createWorkspace', 'createDepartment', 'createDepartment', 'registerScope'] as const),
        ...(['submit', 'admit', 'lease', 'report', 'createCredential', 'tagResource'] as const),
      ] as const
    ).map((what) => ({ what, pick, choice: what === 'submit' || what === 'admit' ? 1 : 0 }));
  const [random = []] = fc.sample(
    fc.array(
      fc.record({ what: fc.constantFrom(...kinds), pick: fc.nat({ max: 1_000 }), choice: fc.nat({ max: 1_000 }) }),
      { minLength: length, maxLength: length },
    ),
    { numRuns: 1, seed },
  );
  // At the end once more, in a workspace that nothing deletes.
  return [...something(0), ...random, ...something(-1)];
};
