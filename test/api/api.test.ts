import { afterAll, describe, expect, test } from 'vitest';
import { operations } from '../../src/api/operations.ts';
import { statuses } from '../../src/api/statuses.ts';
import { type ApiWorld, answersSoFar, startApi } from '../support/api.ts';
import { auditSuite } from './audit.suite.ts';
import { authSuite } from './auth.suite.ts';
import { badInputSuite } from './badInput.suite.ts';
import { credentialSuite } from './credential.suite.ts';
import { diffSuite } from './diff.suite.ts';
import { domainSuite } from './domains.suite.ts';
import { edgeSecretSuite } from './edgeSecret.suite.ts';
import { faultSuite } from './faults.suite.ts';
import { feedSuite } from './feed.suite.ts';
import { httpSuite } from './http.suite.ts';
import { initialPasswordSuite } from './initialPassword.suite.ts';
import { invitationSuite } from './invitations.suite.ts';
import { jobSuite } from './jobs.suite.ts';
import { journeySuite } from './journey.suite.ts';
import { junkSuite } from './junk.suite.ts';
import { rejectionSuite } from './rejections.suite.ts';
import { removalSuite } from './removal.suite.ts';
import { resourceSuite } from './resources.suite.ts';
import { scheduleSuite } from './schedules.suite.ts';
import { sessionSuite } from './sessions.suite.ts';
import { tenancySuite } from './tenancy.suite.ts';
import { timeMachineSuite } from './timeMachine.suite.ts';
import { visibilitySuite } from './visibility.suite.ts';
import { webhookSuite } from './webhooks.suite.ts';
import { workerLogSuite } from './workerLogs.suite.ts';

// One installation for all of them: starting it costs more than most of these rules.
let starting: Promise<ApiWorld> | undefined;
const shared = (): Promise<ApiWorld> => {
  starting ??= startApi();
  return starting;
};
afterAll(async () => (await shared()).stop());

describe('Journey', () => journeySuite(shared));
describe('Sign-in and roles', () => authSuite(shared));
describe('Sessions', () => sessionSuite(shared));
describe('Passwords that were made', () => initialPasswordSuite(shared));
describe('Invitations', () => invitationSuite(shared));
describe('Jobs', () => jobSuite(shared));
describe('Webhooks', () => webhookSuite(shared));
describe('Domains', () => domainSuite(shared));
describe('Tenancy', () => tenancySuite(shared));
describe('Secrets', () => edgeSecretSuite(shared));
describe('Credentials', () => credentialSuite(shared));
describe('Resources', () => resourceSuite(shared));
describe('Schedules', () => scheduleSuite(shared));
describe('Lines of workers', () => workerLogSuite(shared));
describe('The audit trail', () => auditSuite(shared));
describe('Events', () => feedSuite(shared));
describe('What not everybody sees', () => visibilitySuite(shared));
describe('The difference between two times', () => diffSuite(shared));
describe('The time machine', () => timeMachineSuite(shared));
describe('Rejections', () => rejectionSuite(shared));
describe('Removal', () => removalSuite(shared));
describe('Bad input', () => badInputSuite(shared));
describe('HTTP', () => httpSuite(shared));
describe('Faults', () => faultSuite(shared));
describe('Junk', () => junkSuite(shared));

/** Answers that no caller of HTTP can get, or that are shown where a raw connection is needed. */
const elsewhere = [
  // Of a runner's commands.
  ...['LeaseHeld', 'LeaseLost', 'TicketNotDue', 'EdgeScopeNotFound', 'BackupUnderWay', 'BackupFenceLost'],
  ...['JobMalformed', 'JobNotDue', 'JobCancelNotRequested', 'LeaseTooLong', 'JobExists'],
  // Ids are derived so that these cannot meet anybody; the deciders refuse them all the same.
  ...['UserExists', 'UserNotFound', 'InvitationExists', 'WorkspaceExists', 'DepartmentExists', 'ApiTokenExists'],
  ...['CredentialExists', 'WebhookExists', 'ResourceExists'],
  // Shown byte by byte, or on the parts themselves.
  ...['HeadersTooLarge', 'RequestTimedOut', 'StreamContended', 'BuildTimedOut', 'BundleTooLarge', 'MethodNotAllowed'],
  ...['SecretVersionsExhausted'],
];

describe('Coverage', () => {
  test('every operation was seen to succeed', () => {
    const never = operations.filter(({ id, success }) => !answersSoFar().has(`${id} ${success.status}`));
    expect(never.map(({ id }) => id)).toEqual([]);
  });

  test('every problem was seen, but for those that are shown elsewhere', () => {
    const never = Object.keys(statuses).filter((code) => !answersSoFar().has(code) && !elsewhere.includes(code));
    expect(never).toEqual([]);
  });
});
