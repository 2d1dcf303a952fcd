import { credentialPages } from './credentialPages.ts';
import { identityPages } from './identityPages.ts';
import { snakeCase } from './problem.ts';
import { type ProblemCode, statuses } from './statuses.ts';
import { webhookProblemPages } from './webhookProblemPages.ts';

/** What happened, and what to do. The pages in docs/problems are written from here, and served from here. */
const pages: Readonly<Record<ProblemCode, readonly [happened: string, todo: string]>> = {
  ...identityPages,
  ...credentialPages,
  EdgeWorkerRetired: [
    'The department of this worker was removed, so the worker was taken off the air for good.',
    'Create another department and submit the source there.',
  ],
  EdgeWorkerPlacedElsewhere: [
    'The worker runs on another provider than the request asks for; `details.provider` names it.',
    'Leave `provider` out to deploy it where it runs.',
  ],
  ResourceNotFound: [
    'The workspace has no such resource, or none that you may see.',
    'List the resources. One that was just made may need a moment: wait for the position that the command answered.',
  ],
  ResourceExists: [
    'A resource exists under this id with another name.',
    'Send the request again with a new Idempotency-Key.',
  ],
  ResourceManaged: [
    'The resource belongs to a feature, which alone names, describes and removes it.',
    'Change the worker, the host name, the secret or the department itself; tags and relations may be given to any resource.',
  ],
  ResourceTagsExhausted: ['The resource has as many tags as one may have.', 'Remove some of its tags first.'],
  ResourceRelationNotFound: [
    'The workspace has no such relation made by hand, or none that you may see.',
    'List the relations of a resource to see what there is.',
  ],
  ResourceRelationInvalid: ['A relation leads from a resource to another one, not to itself.', 'Name two resources.'],
  ResourceRelationManaged: [
    'The relation follows from what a feature does, such as attaching a host name, and comes and goes with that.',
    'Use the feature: attach or detach the host name, store or remove the secret. Other types of relation are yours to make.',
  ],
  DomainNotFound: [
    'The department has no such host name, attached or on its way.',
    'List the domains of the worker; attach the name first.',
  ],
  DomainTaken: [
    'Somebody else in this installation holds the host name: a name belongs to one department at a time, whatever the workspace. `details.departmentId` names the department when it is in your workspace.',
    'Detach it there first, or take another name.',
  ],
  DomainDetaching: [
    'The host name is being detached, and what was made for it is not yet known to be gone.',
    'Look at the domain again in a moment; when it is no longer there, send the request again.',
  ],
  DomainNotAttached: [
    'The host name is not attached yet, or no longer, so there is nothing to verify.',
    'Look at the domain to see where it stands.',
  ],
  DomainCertificateManaged: [
    'The provider that the worker runs on makes certificates for its host names itself.',
    'Nothing needs doing: no certificate has to be given.',
  ],
  DomainNameInvalid: [
    'What was given is no host name that can be attached: an address, a wildcard, a URL, or not formed as RFC 1123 asks.',
    'Give one full name such as www.example.com. International names may be given as they are written.',
  ],
  DomainNameReserved: [
    'The name is reserved: below localhost, invalid or arpa, the domain below which all workers answer, or the host of a script.',
    'Choose a name of your own.',
  ],
  DomainCertificateInvalid: [
    'The certificate or its private key cannot be used for this host name. The answer says why.',
    'Give the certificate first, then its chain in order, all in PEM, and the unencrypted private key that belongs to it.',
  ],
  LogsUnavailable: [
    'The lines of this worker cannot be had here, or not in this way: its provider keeps none that could be read back, or gives none now.',
    'Do what the answer says: follow the stream in place of reading a page, try again later, or look at the provider.',
  ],
  EdgeProviderNotFound: [
    'This installation has no provider of that name.',
    'Take one of those that the answer names, or ask whoever operates the installation to configure it.',
  ],
  WorkspaceNotFound: [
    'There is no workspace of this id, or the caller is not a member of it. Both look the same on purpose.',
    'List your workspaces to see the ids that you may use; ask an OWNER or ADMIN to add you.',
  ],
  WorkspaceExists: [
    'The workspace that this request would create exists under another slug.',
    'Use a new Idempotency-Key for a new workspace.',
  ],
  ConfirmationMismatch: [
    'Deleting a workspace asks for its slug, and the request carries another text.',
    'Look whether this is the workspace that you mean, and send its slug as `confirm`.',
  ],
  RevisionRetired: [
    'The revision is older than what the installation keeps, and its source and bundle are no longer there.',
    'Submit the source again, or roll back to a newer revision.',
  ],
  DepartmentExists: [
    'The department that this request would create exists under another slug.',
    'Use a new Idempotency-Key for a new department.',
  ],
  DepartmentNotFound: [
    'There is no department of this id in the workspace, or the caller is limited to others. Both look the same on purpose.',
    'List the departments to see the ids that you may use.',
  ],
  NameTaken: ['The name (a slug or an e-mail address) belongs to something else already.', 'Choose another one.'],
  EdgeWorkerNotFound: ['The department has no edge worker yet.', 'Submit a first revision; that creates the worker.'],
  EdgeWorkerPaused: ['The worker is paused, so nothing is deployed to it.', 'Resume it, then deploy.'],
  EdgeWorkerNotDeployed: [
    'The worker has never been deployed, so it can be neither paused nor resumed.',
    'Deploy a revision first.',
  ],
  RevisionNotFound: [
    'The worker has no revision of this number (or had none at the time that was asked for).',
    'List the revisions. Numbers count from 1.',
  ],
  RevisionEvidenceMissing: [
    'The revision has no SBOM or no build receipt, and what has no evidence is not deployed.',
    'Submit the source again.',
  ],
  RollbackTargetMissing: [
    'There is no earlier revision that was live, or the one that was asked for never was.',
    'Deploy a revision instead of rolling back.',
  ],
  DeploymentAlive: [
    'Another deployment of this worker is waiting, running or uncertain. `details.ticketId` names it.',
    'Follow that ticket until it settles, or cancel it.',
  ],
  EdgeWorkersMaintenance: [
    'Deployments are closed: maintenance is under way, or this deployment scope was never registered.',
    'Try again when the operator has ended the maintenance.',
  ],
  TicketNotFound: [
    'There is no such deployment, or it belongs to somebody else, or it is no longer the newest of its worker.',
    'Check the ticket id; list the deployments of the worker.',
  ],
  TicketSettled: ['The deployment has settled already.', 'Nothing can be cancelled any more. Roll back to undo it.'],
  TicketNotDue: [
    'The next attempt of this work is not due yet.',
    'Nothing: it starts by itself at the time that the ticket shows.',
  ],
  LeaseHeld: [
    'Another runner works on this ticket.',
    'Nothing: it is taken over when that runner is silent for too long.',
  ],
  LeaseLost: [
    'The runner that reports no longer holds this ticket.',
    'Stop, and change nothing outside: another runner is responsible now.',
  ],
  BackupUnderWay: [
    'Another backup of this installation is under way.',
    'Wait for it. If nobody runs one any more, end it with `opslog maintenance end`.',
  ],
  BackupFenceLost: [
    'The backup was given up meanwhile: somebody ended maintenance, or it took longer than it may.',
    'Begin another backup.',
  ],
  EdgeScopeNotFound: [
    'This deployment scope is not registered.',
    'Check the configuration of the node; starting the program registers its scope.',
  ],
  JobNotFound: [
    'There is no such job, or it belongs to another workspace or department. Both look the same on purpose.',
    'List the jobs of the workspace.',
  ],
  JobExists: ['Another job has the id that this one would get.', 'Choose another dedupe key.'],
  JobMalformed: [
    'What was to be enqueued, or reported as progress, is not acceptable. `field` names what.',
    'Correct it. A payload holds references and never a secret.',
  ],
  JobSettled: ['The job has settled already.', 'Nothing can be cancelled or begun any more; enqueue a new job.'],
  JobNotDue: [
    'The next attempt of this job is not due yet.',
    'Nothing: it starts by itself at the time that the job shows.',
  ],
  JobNotDead: [
    'Only a job that was given up after its last attempt can be redriven.',
    'Look at its status: one that waits goes on by itself, one that failed or was cancelled needs a new job.',
  ],
  JobNotCancellable: [
    'The job carries out what follows from a removal: keys are destroyed, a script is taken down.',
    'Nothing: it is done by itself, and tried again until it is.',
  ],
  JobCancelNotRequested: ['A cancel was confirmed that nobody had asked for.', 'Ask for the cancel first.'],
  LeaseTooLong: [
    'A runner asked for a job for longer than a lease may last.',
    'Lease it for a shorter time, and renew the lease while the work goes on.',
  ],
  ArchiveBroken: [
    'The upload is neither a gzip-compressed tar nor a zip archive, or it is damaged.',
    'Pack it again with `tar -czf` or `zip -r` and send it unchanged.',
  ],
  ArchiveTooLarge: [
    'The archive, or what it unpacks to, is larger than allowed. `details.entry` names where it was noticed.',
    'Leave out what the worker does not need, such as tests and build output.',
  ],
  ArchiveEntryRefused: [
    'The archive holds something other than files and folders, for example a link or an encrypted entry. `details.entry` names it.',
    'Replace links by the files they point to and pack again.',
  ],
  SubmissionTooLarge: [
    'The submission holds too many files, or a file that is too large: `details.entry` names it. Or variables, SBOM and receipt together are too large for one fact of the log.',
    'Leave out what the worker does not need. Look for packages with very long names or licences.',
  ],
  SubmissionPathRefused: [
    'A path is absolute, leaves the project with `..`, holds forbidden characters, or is too long or too deep. `details.entry` names it.',
    'Use relative paths with forward slashes below the root of the project.',
  ],
  SubmissionPathDuplicate: [
    'Two entries have the same path, or paths that some file systems take for the same (case, Unicode form). `details.entry` names the second.',
    'Rename or remove one of them.',
  ],
  SubmissionFileNotText: [
    'A file is not valid UTF-8, or its base64 is not standard base64. `details.entry` names it.',
    'Save source files as UTF-8.',
  ],
  SubmissionEmpty: ['The submission holds no file.', 'Send at least the entry point.'],
  EntryPointMissing: [
    'The entry point is not among the files, or exports no handler.',
    'Name the file that has `export default { fetch(request) { … } }` as `entryPoint`.',
  ],
  SourceSyntaxInvalid: [
    'A source file does not parse. `details` gives file, line and column.',
    'Correct the source there and submit again.',
  ],
  ImportUnresolved: [
    'An import leads nowhere within the submission. `details` gives file, line and column.',
    'Correct the path, or put the package into `node_modules` of the submission. Modules of Node need the `nodejs_compat` flag.',
  ],
  BundleTooLarge: [
    'The bundle is larger than a worker may be.',
    'Import less, or split the worker between departments.',
  ],
  BuildTimedOut: [
    'Bundling took longer than allowed.',
    'Submit less code. If the same source was built before, try again.',
  ],
  SettingsInvalid: [
    'The `opslog.json` of the submission is not JSON or holds a setting that is not acceptable. `field` names it.',
    'Correct the setting and submit again.',
  ],
  SecretNotFound: [
    'The submission names a secret that the department does not have.',
    'Store the secret first, or remove the name from `secretNames`.',
  ],
  EdgeSecretNotFound: ['The department has no secret of this name.', 'List the secrets of the department.'],
  SecretVersionsExhausted: [
    'The secret has as many versions as are kept for rolling back.',
    'Remove it and store it again; revisions that pin the old versions can then no longer be deployed.',
  ],
  SecretInUse: [
    'The live revision, or one that is being deployed, reads this secret. `details.revision` names it.',
    'Deploy a revision that does without it, then remove it. With `force=true` it goes at once: the worker does not start again.',
  ],
  SecretGone: [
    'The revision reads a version of a secret that was removed since. `details.name` and `details.version` name it.',
    'Store the secret again and submit the source again: the new revision reads the new version.',
  ],
  RevisionMismatch: [
    'Somebody changed it since it was read: the ETag in If-Match is not the current one.',
    'Read it again, look at what changed, and decide anew.',
  ],
  IdempotencyKeyReused: [
    'The Idempotency-Key was used for another request.',
    'Use a new key for each new request, and the old one only to repeat the same request.',
  ],
  StreamContended: [
    'Several callers keep changing the same thing, and this request lost three times.',
    'Send it again.',
  ],
  RequestInvalid: [
    'A member of the body, a parameter or a header is not acceptable. `errors` lists each one.',
    'Correct what `errors` names. The description of every field is in `/docs`.',
  ],
  BodyMalformed: [
    'The body is missing, is not JSON in UTF-8, is nested too deeply, or holds a forbidden member name.',
    'Send well-formed JSON.',
  ],
  AuthenticationRequired: [
    'The request carries no bearer token that is valid: none, a mistyped, expired or revoked one.',
    'Sign in with `POST /auth/sessions`, or use another API token.',
  ],
  RoleInsufficient: [
    'The caller is known but his role, or his departments, do not allow this.',
    'Ask an OWNER or ADMIN of the workspace to do it or to give you the role.',
  ],
  RouteNotFound: ['There is nothing at this address.', 'Look at `/docs` for the addresses that there are.'],
  MethodNotAllowed: [
    'The address exists but does not take this method. The header `Allow` lists those that it takes.',
    'Use one of them.',
  ],
  RequestTimedOut: ['The request did not arrive completely in time.', 'Send it again, faster.'],
  BodyTooLarge: ['The body is larger than this address takes. `details.limitBytes` is the limit.', 'Send less.'],
  UrlTooLong: ['The address with its parameters is too long.', 'Shorten the parameters.'],
  MediaTypeUnsupported: [
    'The Content-Type or Content-Encoding of the body is not taken here. The header `Accept` lists what is.',
    'Send the body as one of those, without an encoding.',
  ],
  ...webhookProblemPages,
  RateExceeded: [
    'Too many requests came from this address, this token, or for this sign-in.',
    'Wait for the seconds in `Retry-After`, then go on more slowly.',
  ],
  HeadersTooLarge: ['The headers of the request are too large.', 'Send fewer or shorter headers.'],
  InternalFault: [
    'Something failed that should not have. It was recorded under the request id.',
    'Try again; if it stays, give the operator the `requestId`.',
  ],
  ServerBusy: [
    'The server has as much of this work as it takes at a time, or a look back took too long or broke off.',
    'Wait for the seconds in `Retry-After` and send the request again.',
  ],
  HistoryTooLong: [
    'The workspace had more at the time given by `?at=`, in events or in memory, than the server replays for one question.',
    'Ask for an earlier time, ask for single things whose own history is enough (a workspace, a department, a worker), or ' +
      'let the operator build the tables of that time with `opslog replay --workspace … --at … --into …`.',
  ],
  ProjectionBehind: [
    'The read tables did not reach the position to wait for in time.',
    'Ask again after the seconds in `Retry-After`. `/health/ready` shows the lag.',
  ],
  ReadTablesUnavailable: [
    'The database of the read tables does not answer, so nothing can be listed. Commands still work.',
    'Wait for the seconds in `Retry-After` and ask again.',
  ],
  LogUnavailable: [
    'The event log does not answer, so nothing can be changed or checked.',
    'Wait for the seconds in `Retry-After` and send the request again with the same Idempotency-Key.',
  ],
  StorageFull: [
    'The disk of the server is full, so nothing can be stored. Nothing of the request was recorded.',
    'Tell the operator. After room was made, send the request again with the same Idempotency-Key.',
  ],
  ArtifactStoreUnavailable: [
    'The store of source and bundles does not answer as it should, so no revision can be submitted.',
    'Wait for the seconds in `Retry-After` and send the request again with the same Idempotency-Key. `opslog doctor` says why.',
  ],
};

export const renderProblemPage = (code: ProblemCode): string => {
  const [happened, todo] = pages[code];
  return [
    `# ${code}`,
    `Status ${statuses[code]}, code \`${snakeCase(code)}\`.`,
    '## What happened',
    happened,
    '## What to do',
    `${todo}\n`,
  ].join('\n\n');
};
