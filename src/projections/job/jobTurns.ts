import type { JobEvent } from '../../domain/job/index.ts';
import type { WorkspaceEvent } from '../../domain/workspace/index.ts';
import { nullable, string, table, timestamp } from '../table.ts';

/**
 * When each workspace last had a turn: when free hands are few, the one that has waited longest is next. A workspace that
 * is not in here, which only an old log could have, waits as long as one that never had a turn.
 */
export const jobTurns = table<JobEvent | WorkspaceEvent>()({
  name: 'job_turns',
  version: 1,
  columns: { workspace_id: string(64), leased_at: nullable(timestamp()) },
  primaryKey: ['workspace_id'],
  on: {
    WorkspaceCreated: ({ meta }, rows) => rows.insert({ workspace_id: meta.subjectId }),
    JobLeased: ({ data, meta }, rows) => rows.patch(meta.workspaceId, { leased_at: data.leasedAt }),
    WorkspaceClaimForfeited: 'ignored',
    WorkspaceDeleted: 'ignored',
    MemberAdded: 'ignored',
    MemberRoleAssigned: 'ignored',
    MemberInvitationRedeemed: 'ignored',
    MemberRemoved: 'ignored',
    JobEnqueued: 'ignored',
    JobLeaseRenewed: 'ignored',
    JobProgressRecorded: 'ignored',
    JobStepRecorded: 'ignored',
    JobAttemptRecorded: 'ignored',
    JobRetryScheduled: 'ignored',
    JobBecameUncertain: 'ignored',
    JobSucceeded: 'ignored',
    JobFailed: 'ignored',
    JobDied: 'ignored',
    JobCancelRequested: 'ignored',
    JobCancelled: 'ignored',
    JobRedriven: 'ignored',
  },
});
