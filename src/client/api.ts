// Made from openapi.json by "npm run generate". Changes here are lost.

export type paths = {
  "/auth/sessions": {
    get: operations["listSessions"];
    post: operations["openSession"];
    delete: operations["closeSession"];
  };
  "/auth/me": {
    get: operations["getMe"];
  };
  "/auth/password": {
    post: operations["changePassword"];
  };
  "/auth/sessions/{sessionId}": {
    delete: operations["revokeSession"];
  };
  "/auth/sessions/revoke-others": {
    post: operations["revokeOtherSessions"];
  };
  "/workspaces": {
    get: operations["listWorkspaces"];
    post: operations["createWorkspace"];
  };
  "/workspaces/{workspaceId}": {
    get: operations["getWorkspace"];
    delete: operations["deleteWorkspace"];
  };
  "/workspaces/{workspaceId}/departments": {
    get: operations["listDepartments"];
    post: operations["createDepartment"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}": {
    get: operations["getDepartment"];
    delete: operations["removeDepartment"];
  };
  "/workspaces/{workspaceId}/members": {
    get: operations["listMembers"];
  };
  "/workspaces/{workspaceId}/members/{userId}": {
    delete: operations["removeMember"];
    patch: operations["changeMember"];
  };
  "/workspaces/{workspaceId}/leave": {
    post: operations["leaveWorkspace"];
  };
  "/workspaces/{workspaceId}/invitations": {
    get: operations["listInvitations"];
    post: operations["inviteMember"];
  };
  "/workspaces/{workspaceId}/invitations/{invitationId}": {
    delete: operations["revokeInvitation"];
  };
  "/auth/invitations/show": {
    post: operations["showInvitation"];
  };
  "/auth/invitations/register": {
    post: operations["registerByInvitation"];
  };
  "/auth/invitations/accept": {
    post: operations["acceptInvitation"];
  };
  "/workspaces/{workspaceId}/api-tokens": {
    get: operations["listApiTokens"];
    post: operations["issueApiToken"];
  };
  "/workspaces/{workspaceId}/api-tokens/{tokenId}": {
    delete: operations["revokeApiToken"];
  };
  "/workspaces/{workspaceId}/workers": {
    get: operations["listWorkers"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker": {
    get: operations["getWorker"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker/pause": {
    post: operations["pauseWorker"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker/resume": {
    post: operations["resumeWorker"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker/domains": {
    get: operations["listDomains"];
    post: operations["attachDomain"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker/domains/{hostname}": {
    get: operations["getDomain"];
    delete: operations["detachDomain"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker/domains/{hostname}/verify": {
    post: operations["verifyDomain"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker/domains/{hostname}/certificate": {
    put: operations["putDomainCertificate"];
    delete: operations["removeDomainCertificate"];
  };
  "/workspaces/{workspaceId}/workers/reconcile": {
    post: operations["reconcileWorkers"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker/revisions": {
    get: operations["listRevisions"];
    post: operations["submitRevision"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker/revisions/{revision}": {
    get: operations["getRevision"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker/revisions/{revision}/sbom": {
    get: operations["getRevisionSbom"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker/revisions/{revision}/receipt": {
    get: operations["getRevisionReceipt"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker/deployments": {
    get: operations["listDeployments"];
    post: operations["deployRevision"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker/rollback": {
    post: operations["rollBack"];
  };
  "/worker/deployments/{ticketId}": {
    get: operations["getDeployment"];
  };
  "/worker/deployments/{ticketId}/cancel": {
    post: operations["cancelDeployment"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker/schedules": {
    get: operations["getSchedules"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker/secrets/{name}": {
    put: operations["putSecret"];
    delete: operations["removeSecret"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker/secrets": {
    get: operations["listSecrets"];
  };
  "/workspaces/{workspaceId}/credentials": {
    get: operations["listCredentials"];
    post: operations["createCredential"];
  };
  "/workspaces/{workspaceId}/credentials/{credentialId}": {
    get: operations["getCredential"];
    delete: operations["deleteCredential"];
  };
  "/workspaces/{workspaceId}/credentials/{credentialId}/replace": {
    post: operations["replaceCredential"];
  };
  "/workspaces/{workspaceId}/credentials/{credentialId}/rename": {
    post: operations["renameCredential"];
  };
  "/workspaces/{workspaceId}/credentials/{credentialId}/describe": {
    post: operations["describeCredential"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker/logs": {
    get: operations["readWorkerLogs"];
  };
  "/workspaces/{workspaceId}/departments/{departmentId}/worker/logs/stream": {
    get: operations["followWorkerLogs"];
  };
  "/workspaces/{workspaceId}/resources": {
    get: operations["listResources"];
    post: operations["createResource"];
  };
  "/workspaces/{workspaceId}/resources/{resourceId}": {
    get: operations["getResource"];
    delete: operations["removeResource"];
    patch: operations["describeResource"];
  };
  "/workspaces/{workspaceId}/resources/{resourceId}/graph": {
    get: operations["getResourceGraph"];
  };
  "/workspaces/{workspaceId}/resources/{resourceId}/tag": {
    post: operations["tagResource"];
  };
  "/workspaces/{workspaceId}/resources/{resourceId}/untag": {
    post: operations["untagResource"];
  };
  "/workspaces/{workspaceId}/resource-relations": {
    get: operations["listResourceRelations"];
    post: operations["relateResources"];
  };
  "/workspaces/{workspaceId}/resource-relations/{relationId}": {
    delete: operations["unrelateResources"];
  };
  "/workspaces/{workspaceId}/resource-graph": {
    get: operations["exportResources"];
  };
  "/workspaces/{workspaceId}/jobs": {
    get: operations["listJobs"];
  };
  "/workspaces/{workspaceId}/jobs/{jobId}": {
    get: operations["getJob"];
  };
  "/workspaces/{workspaceId}/jobs/{jobId}/cancel": {
    post: operations["cancelJob"];
  };
  "/workspaces/{workspaceId}/jobs/{jobId}/redrive": {
    post: operations["redriveJob"];
  };
  "/workspaces/{workspaceId}/webhooks": {
    get: operations["listWebhooks"];
    post: operations["createWebhook"];
  };
  "/workspaces/{workspaceId}/webhooks/{webhookId}": {
    get: operations["getWebhook"];
    delete: operations["removeWebhook"];
    patch: operations["reviseWebhook"];
  };
  "/workspaces/{workspaceId}/webhooks/{webhookId}/pause": {
    post: operations["pauseWebhook"];
  };
  "/workspaces/{workspaceId}/webhooks/{webhookId}/resume": {
    post: operations["resumeWebhook"];
  };
  "/workspaces/{workspaceId}/webhooks/{webhookId}/rotate-secret": {
    post: operations["rotateWebhookSecret"];
  };
  "/workspaces/{workspaceId}/webhooks/{webhookId}/deliveries": {
    get: operations["listWebhookDeliveries"];
  };
  "/workspaces/{workspaceId}/webhooks/{webhookId}/deliveries/{deliveryId}": {
    get: operations["getWebhookDelivery"];
  };
  "/workspaces/{workspaceId}/webhooks/{webhookId}/deliveries/{deliveryId}/redrive": {
    post: operations["redriveWebhookDelivery"];
  };
  "/workspaces/{workspaceId}/webhooks/{webhookId}/redrive": {
    post: operations["redriveWebhook"];
  };
  "/workspaces/{workspaceId}/webhooks/{webhookId}/test": {
    post: operations["testWebhook"];
  };
  "/workspaces/{workspaceId}/webhooks/{webhookId}/replay": {
    post: operations["replayWebhook"];
  };
  "/workspaces/{workspaceId}/diff": {
    get: operations["diffWorkspace"];
  };
  "/workspaces/{workspaceId}/audit": {
    get: operations["listAudit"];
  };
  "/workspaces/{workspaceId}/audit/head": {
    get: operations["getAuditHead"];
  };
  "/workspaces/{workspaceId}/audit/export": {
    get: operations["exportAudit"];
  };
  "/workspaces/{workspaceId}/events": {
    get: operations["listEvents"];
  };
  "/workspaces/{workspaceId}/events/stream": {
    get: operations["followEvents"];
  };
  "/health/live": {
    get: operations["getLive"];
  };
  "/health/ready": {
    get: operations["getReady"];
  };
  "/metrics": {
    get: operations["getMetrics"];
  };
  "/openapi.json": {
    get: operations["getOpenApi"];
  };
  "/docs": {
    get: operations["getDocs"];
  };
  "/problems/{code}": {
    get: operations["getProblem"];
  };
};

export type operations = {
  /** Sessions of the caller */
  listSessions: {
    parameters: {
      query?: {
        /** Items per page, from 1 to 200. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of sessions */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["SessionPage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired */
      403: Refusal;
      /** SessionNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable */
      503: Refusal;
    };
  };
  /** Sign in */
  openSession: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["OpenSessionRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Signed in */
      201: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["OpenedSession"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** CredentialsInvalid, PasswordExpired */
      401: Refusal;
      /** SessionNotFound */
      404: Refusal;
      /** StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Sign out */
  closeSession: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Signed out */
      204: { headers: { [name: string]: unknown }; content?: never };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** SessionNotFound */
      404: Refusal;
      /** StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Who the token stands for */
  getMe: {
    parameters: {
      query?: {
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The user or the API token */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["Me"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** UserNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable */
      503: Refusal;
    };
  };
  /** Change the password of the caller */
  changePassword: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["ChangePasswordRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Changed */
      204: { headers: { [name: string]: unknown }; content?: never };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired, CredentialsInvalid, PasswordExpired */
      401: Refusal;
      /** UserNotFound */
      404: Refusal;
      /** StreamContended, UserExists */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused, PasswordRefused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** End one session of the caller */
  revokeSession: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        sessionId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Ended */
      204: { headers: { [name: string]: unknown }; content?: never };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired */
      403: Refusal;
      /** SessionNotFound */
      404: Refusal;
      /** StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** End every other session of the caller */
  revokeOtherSessions: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Ended */
      204: { headers: { [name: string]: unknown }; content?: never };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired */
      403: Refusal;
      /** SessionNotFound, UserNotFound */
      404: Refusal;
      /** StreamContended, UserExists */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Workspaces of the caller */
  listWorkspaces: {
    parameters: {
      query?: {
        /** Items per page, from 1 to 200. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of workspaces */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["WorkspacePage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired */
      403: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable */
      503: Refusal;
    };
  };
  /** Create a workspace */
  createWorkspace: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["CreateWorkspaceRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Created */
      201: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["Workspace"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** MemberNotFound, WorkspaceNotFound */
      404: Refusal;
      /** LastOwnerRequired, MemberExists, NameTaken, StreamContended, WorkspaceExists */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** ConfirmationMismatch, IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** One workspace */
  getWorkspace: {
    parameters: {
      query?: {
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The workspace */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["Workspace"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Delete a workspace for good */
  deleteWorkspace: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["DeleteWorkspaceRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Deleted */
      204: { headers: { [name: string]: unknown }; content?: never };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** MemberNotFound, WorkspaceNotFound */
      404: Refusal;
      /** LastOwnerRequired, MemberExists, StreamContended, WorkspaceExists */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** ConfirmationMismatch, IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Departments of a workspace */
  listDepartments: {
    parameters: {
      query?: {
        /** Items per page, from 1 to 200. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of departments */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DepartmentPage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Create a department */
  createDepartment: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["CreateDepartmentRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Created */
      201: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["Department"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, WorkspaceNotFound */
      404: Refusal;
      /** DepartmentExists, NameTaken, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** One department */
  getDepartment: {
    parameters: {
      query?: {
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        departmentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The department */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["Department"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Remove a department */
  removeDepartment: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        departmentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Removed */
      204: { headers: { [name: string]: unknown }; content?: never };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, WorkspaceNotFound */
      404: Refusal;
      /** DepartmentExists, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Members of a workspace */
  listMembers: {
    parameters: {
      query?: {
        /** Items per page, from 1 to 200. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of members */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["MemberPage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Remove a member */
  removeMember: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        userId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Removed */
      204: { headers: { [name: string]: unknown }; content?: never };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** MemberNotFound, WorkspaceNotFound */
      404: Refusal;
      /** LastOwnerRequired, MemberExists, StreamContended, WorkspaceExists */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** ConfirmationMismatch, IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Change the role and departments of a member */
  changeMember: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        userId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["ChangeMemberRequest"];
    } };
    responses: {
      /** Changed */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["ChangedMember"] | components["schemas"]["DryRun"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, MemberNotFound, WorkspaceNotFound */
      404: Refusal;
      /** LastOwnerRequired, MemberExists, StreamContended, WorkspaceExists */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** ConfirmationMismatch, IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Leave a workspace */
  leaveWorkspace: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Left */
      204: { headers: { [name: string]: unknown }; content?: never };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** MemberNotFound, WorkspaceNotFound */
      404: Refusal;
      /** LastOwnerRequired, MemberExists, StreamContended, WorkspaceExists */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** ConfirmationMismatch, IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Invitations to a workspace */
  listInvitations: {
    parameters: {
      query?: {
        /** Items per page, from 1 to 200. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of invitations */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["InvitationPage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Invite a person */
  inviteMember: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["InviteMemberRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Invited */
      201: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["IssuedInvitation"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, InvitationNotFound, WorkspaceNotFound */
      404: Refusal;
      /** InvitationExists, InvitationSettled, MemberExists, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Revoke an invitation */
  revokeInvitation: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        invitationId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Revoked */
      204: { headers: { [name: string]: unknown }; content?: never };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** InvitationNotFound, WorkspaceNotFound */
      404: Refusal;
      /** InvitationExists, InvitationSettled, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** What an invitation is for */
  showInvitation: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["ShowInvitationRequest"];
    } };
    responses: {
      /** The invitation */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["ShownInvitation"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** InvitationNotFound */
      404: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
    };
  };
  /** Register by an invitation, and join */
  registerByInvitation: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["RegisterByInvitationRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Registered and joined */
      201: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["Joined"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** InvitationNotFound, MemberNotFound, UserNotFound, WorkspaceNotFound */
      404: Refusal;
      /** InvitationExists, InvitationSettled, LastOwnerRequired, MemberExists, NameTaken, SignInRequired, StreamContended, UserExists, WorkspaceExists */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** ConfirmationMismatch, IdempotencyKeyReused, PasswordRefused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Accept an invitation as the account of its address */
  acceptInvitation: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["AcceptInvitationRequest"];
    } };
    responses: {
      /** Joined */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["Joined"] | components["schemas"]["DryRun"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** InvitationNotFound, MemberNotFound, WorkspaceNotFound */
      404: Refusal;
      /** InvitationAddressDiffers, InvitationExists, InvitationSettled, LastOwnerRequired, MemberExists, StreamContended, WorkspaceExists */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** ConfirmationMismatch, IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** API tokens of a workspace */
  listApiTokens: {
    parameters: {
      query?: {
        /** Items per page, from 1 to 200. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of tokens, without the tokens themselves */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["ApiTokenPage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Issue an API token */
  issueApiToken: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["IssueApiTokenRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Issued */
      201: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["IssuedApiToken"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** ApiTokenNotFound, DepartmentNotFound, WorkspaceNotFound */
      404: Refusal;
      /** ApiTokenExists, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Revoke an API token */
  revokeApiToken: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        tokenId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Revoked */
      204: { headers: { [name: string]: unknown }; content?: never };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** ApiTokenNotFound, WorkspaceNotFound */
      404: Refusal;
      /** ApiTokenExists, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Workers of a workspace, each with its latest deployment */
  listWorkers: {
    parameters: {
      query?: {
        /** Items per page, from 1 to 200. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of workers */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["WorkerPage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** The worker of a department */
  getWorker: {
    parameters: {
      query?: {
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        departmentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The worker */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["WorkerWithDomains"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, EdgeWorkerNotFound, WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Take the worker off the air */
  pauseWorker: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        departmentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Paused */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["Worker"] | components["schemas"]["DryRun"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, EdgeWorkerNotFound, RevisionNotFound, TicketNotFound, WorkspaceNotFound */
      404: Refusal;
      /** DeploymentAlive, EdgeWorkerNotDeployed, EdgeWorkerPaused, EdgeWorkerPlacedElsewhere, EdgeWorkerRetired, EdgeWorkersMaintenance, LeaseHeld, LeaseLost, RevisionEvidenceMissing, RevisionRetired, RollbackTargetMissing, StreamContended, TicketNotDue, TicketSettled */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Put the worker back on the air */
  resumeWorker: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        departmentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Resumed */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["Worker"] | components["schemas"]["DryRun"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, EdgeWorkerNotFound, RevisionNotFound, TicketNotFound, WorkspaceNotFound */
      404: Refusal;
      /** DeploymentAlive, EdgeWorkerNotDeployed, EdgeWorkerPaused, EdgeWorkerPlacedElsewhere, EdgeWorkerRetired, EdgeWorkersMaintenance, LeaseHeld, LeaseLost, RevisionEvidenceMissing, RevisionRetired, RollbackTargetMissing, StreamContended, TicketNotDue, TicketSettled */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Host names of the worker, by name */
  listDomains: {
    parameters: {
      query?: {
        /** Items per page, from 1 to 200. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        departmentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of domains */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DomainPage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Attach a host name to the worker */
  attachDomain: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        departmentId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["AttachDomainRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Claimed; or attached before */
      202: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DomainTicket"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, DomainNotFound, EdgeWorkerNotFound, WorkspaceNotFound */
      404: Refusal;
      /** DomainCertificateManaged, DomainDetaching, DomainNotAttached, DomainTaken, EdgeWorkerNotDeployed, EdgeWorkerRetired, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** DomainNameInvalid, DomainNameReserved, IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** A host name, where it stands, and its certificate */
  getDomain: {
    parameters: {
      query?: {
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        departmentId: string;
        hostname: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The domain */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["Domain"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, DomainNotFound, WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Detach a host name */
  detachDomain: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        departmentId: string;
        hostname: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** On its way */
      202: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DomainTicket"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, DomainNotFound, WorkspaceNotFound */
      404: Refusal;
      /** DomainCertificateManaged, DomainDetaching, DomainNotAttached, DomainTaken, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Look whether the host name leads to the worker */
  verifyDomain: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        departmentId: string;
        hostname: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** A job looks */
      202: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DomainTicket"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, DomainNotFound, JobNotFound, WorkspaceNotFound */
      404: Refusal;
      /** DomainCertificateManaged, DomainDetaching, DomainNotAttached, DomainTaken, JobCancelNotRequested, JobExists, JobNotDead, JobNotDue, JobSettled, LeaseHeld, LeaseLost, LeaseTooLong, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused, JobMalformed */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Give the certificate for a host name, or replace it */
  putDomainCertificate: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        departmentId: string;
        hostname: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["PutDomainCertificateRequest"];
    } };
    responses: {
      /** Stored */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["StoredCertificate"] | components["schemas"]["DryRun"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, DomainNotFound, WorkspaceNotFound */
      404: Refusal;
      /** DomainCertificateManaged, DomainDetaching, DomainNotAttached, DomainTaken, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** DomainCertificateInvalid, IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Remove the certificate of a host name */
  removeDomainCertificate: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        departmentId: string;
        hostname: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Removed, or there was none */
      204: { headers: { [name: string]: unknown }; content?: never };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, DomainNotFound, WorkspaceNotFound */
      404: Refusal;
      /** DomainCertificateManaged, DomainDetaching, DomainNotAttached, DomainTaken, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Compare what the providers run with what should run */
  reconcileWorkers: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: { content: {
      "application/json": components["schemas"]["ReconcileWorkersRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Asked for */
      202: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["RequestedReconciliation"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** JobNotFound, WorkspaceNotFound */
      404: Refusal;
      /** JobCancelNotRequested, JobExists, JobNotDead, JobNotDue, JobSettled, LeaseHeld, LeaseLost, LeaseTooLong, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused, JobMalformed */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Revisions of the worker, newest first */
  listRevisions: {
    parameters: {
      query?: {
        /** Items per page, from 1 to 200. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        departmentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of revisions */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["RevisionPage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Submit source; it is built into a new revision */
  submitRevision: {
    parameters: {
      query?: {
        /** Follows from the entry point when left out. */
        language?: "javascript" | "typescript";
        /** Path of the file that exports the handler. Default: the first of src/index.ts, index.ts, src/index.js, index.js. */
        entryPoint?: string;
        /** Version of the runtime's behaviour. Default: 2026-01-01. */
        compatibilityDate?: string;
        /** Separated by commas. */
        compatibilityFlags?: string;
      };
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        departmentId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["SubmitRevisionRequest"];
      "application/gzip": Uint8Array;
      "application/x-gzip": Uint8Array;
      "application/zip": Uint8Array;
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Built and recorded */
      201: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["SubmittedRevision"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, EdgeWorkerNotFound, RevisionNotFound, TicketNotFound, WorkspaceNotFound */
      404: Refusal;
      /** DeploymentAlive, EdgeWorkerNotDeployed, EdgeWorkerPaused, EdgeWorkerPlacedElsewhere, EdgeWorkerRetired, EdgeWorkersMaintenance, LeaseHeld, LeaseLost, RevisionEvidenceMissing, RevisionRetired, RollbackTargetMissing, StreamContended, TicketNotDue, TicketSettled */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** ArchiveTooLarge, BodyTooLarge, BundleTooLarge, SubmissionTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** ArchiveBroken, ArchiveEntryRefused, BuildTimedOut, EntryPointMissing, IdempotencyKeyReused, ImportUnresolved, SecretNotFound, SettingsInvalid, SourceSyntaxInvalid, SubmissionEmpty, SubmissionFileNotText, SubmissionPathDuplicate, SubmissionPathRefused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** ArtifactStoreUnavailable, LogUnavailable, ServerBusy, StorageFull */
      503: Refusal;
    };
  };
  /** One revision */
  getRevision: {
    parameters: {
      query?: {
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        departmentId: string;
        revision: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The revision */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["Revision"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, RevisionNotFound, WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Everything that went into the bundle */
  getRevisionSbom: {
    parameters: {
      query?: {
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        departmentId: string;
        revision: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A CycloneDX document */
      200: { headers: { [name: string]: unknown }; content: {
        "application/vnd.cyclonedx+json": { [name: string]: unknown };
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, RevisionNotFound, WorkspaceNotFound */
      404: Refusal;
      /** RevisionEvidenceMissing */
      409: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** The signed build receipt */
  getRevisionReceipt: {
    parameters: {
      query?: {
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        departmentId: string;
        revision: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A DSSE envelope around an in-toto statement */
      200: { headers: { [name: string]: unknown }; content: {
        "application/vnd.dsse.envelope.v1+json": { [name: string]: unknown };
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, RevisionNotFound, WorkspaceNotFound */
      404: Refusal;
      /** RevisionEvidenceMissing */
      409: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Deployments of the worker, newest first */
  listDeployments: {
    parameters: {
      query?: {
        /** Items per page, from 1 to 200. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        departmentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of deployments */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DeploymentPage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Deploy a revision */
  deployRevision: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        departmentId: string;
      };
      cookie?: never;
    };
    requestBody?: { content: {
      "application/json": components["schemas"]["DeployRevisionRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Admitted */
      202: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["AdmittedDeployment"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, EdgeWorkerNotFound, RevisionNotFound, TicketNotFound, WorkspaceNotFound */
      404: Refusal;
      /** DeploymentAlive, EdgeWorkerNotDeployed, EdgeWorkerPaused, EdgeWorkerPlacedElsewhere, EdgeWorkerRetired, EdgeWorkersMaintenance, LeaseHeld, LeaseLost, RevisionEvidenceMissing, RevisionRetired, RollbackTargetMissing, SecretGone, StreamContended, TicketNotDue, TicketSettled */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** EdgeProviderNotFound, IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Deploy a revision that was live before */
  rollBack: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        departmentId: string;
      };
      cookie?: never;
    };
    requestBody?: { content: {
      "application/json": components["schemas"]["RollBackRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Admitted */
      202: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["AdmittedDeployment"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, EdgeWorkerNotFound, RevisionNotFound, TicketNotFound, WorkspaceNotFound */
      404: Refusal;
      /** DeploymentAlive, EdgeWorkerNotDeployed, EdgeWorkerPaused, EdgeWorkerPlacedElsewhere, EdgeWorkerRetired, EdgeWorkersMaintenance, LeaseHeld, LeaseLost, RevisionEvidenceMissing, RevisionRetired, RollbackTargetMissing, SecretGone, StreamContended, TicketNotDue, TicketSettled */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** EdgeProviderNotFound, IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** A deployment with its steps, and what happens next */
  getDeployment: {
    parameters: {
      query?: {
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        ticketId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The deployment */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DeploymentWithSteps"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired */
      403: Refusal;
      /** TicketNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Cancel a deployment */
  cancelDeployment: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        ticketId: string;
      };
      cookie?: never;
    };
    requestBody?: { content: {
      "application/json": components["schemas"]["CancelDeploymentRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Cancelled, or asked for */
      202: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["CancelledDeployment"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, EdgeWorkerNotFound, RevisionNotFound, TicketNotFound, WorkspaceNotFound */
      404: Refusal;
      /** DeploymentAlive, EdgeWorkerNotDeployed, EdgeWorkerPaused, EdgeWorkerPlacedElsewhere, EdgeWorkerRetired, EdgeWorkersMaintenance, LeaseHeld, LeaseLost, RevisionEvidenceMissing, RevisionRetired, RollbackTargetMissing, StreamContended, TicketNotDue, TicketSettled */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Schedules of the live revision */
  getSchedules: {
    parameters: {
      query?: {
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        departmentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The schedules */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["SchedulesOfWorker"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, EdgeWorkerNotFound, WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Store a secret, or a new version of it */
  putSecret: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        departmentId: string;
        name: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["PutSecretRequest"];
    } };
    responses: {
      /** Stored; the version of before when the value is the same */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["StoredSecret"] | components["schemas"]["DryRun"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, EdgeSecretNotFound, WorkspaceNotFound */
      404: Refusal;
      /** SecretVersionsExhausted, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Remove a secret for good */
  removeSecret: {
    parameters: {
      query?: {
        /** Remove it even though the live revision, or one on its way, reads it. */
        force?: "true" | "false";
      };
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        departmentId: string;
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Removed */
      204: { headers: { [name: string]: unknown }; content?: never };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, EdgeSecretNotFound, WorkspaceNotFound */
      404: Refusal;
      /** SecretInUse, SecretVersionsExhausted, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Secrets of the department, without their values */
  listSecrets: {
    parameters: {
      query?: {
        /** Items per page, from 1 to 200. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        departmentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of secrets */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["SecretPage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Credentials of a workspace, without their values */
  listCredentials: {
    parameters: {
      query?: {
        /** Items per page, from 1 to 200. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        kind?: "sshKey" | "sshPassword" | "apiToken" | "registryLogin" | "generic";
        /** Only those bound to this department. */
        departmentId?: string;
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of credentials */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["CredentialPage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Create a credential */
  createCredential: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["CreateCredentialRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Created */
      201: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["WrittenCredential"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** CredentialNotFound, DepartmentNotFound, WorkspaceNotFound */
      404: Refusal;
      /** CredentialExists, NameTaken, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** CredentialKindFixed, IdempotencyKeyReused, SshKeyInvalid */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** One credential, without its value */
  getCredential: {
    parameters: {
      query?: {
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        credentialId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The credential */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["Credential"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** CredentialNotFound, WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Delete a credential for good */
  deleteCredential: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        credentialId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Deleted */
      204: { headers: { [name: string]: unknown }; content?: never };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** CredentialNotFound, WorkspaceNotFound */
      404: Refusal;
      /** CredentialExists, NameTaken, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** CredentialKindFixed, IdempotencyKeyReused, SshKeyInvalid */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Replace the value of a credential */
  replaceCredential: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        credentialId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["ReplaceCredentialRequest"];
    } };
    responses: {
      /** Replaced */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["WrittenCredential"] | components["schemas"]["DryRun"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** CredentialNotFound, WorkspaceNotFound */
      404: Refusal;
      /** CredentialExists, NameTaken, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** CredentialKindFixed, IdempotencyKeyReused, SshKeyInvalid */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Rename a credential */
  renameCredential: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        credentialId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["RenameCredentialRequest"];
    } };
    responses: {
      /** Renamed */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["WrittenCredential"] | components["schemas"]["DryRun"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** CredentialNotFound, WorkspaceNotFound */
      404: Refusal;
      /** CredentialExists, NameTaken, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** CredentialKindFixed, IdempotencyKeyReused, SshKeyInvalid */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Give a credential another description */
  describeCredential: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        credentialId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["DescribeCredentialRequest"];
    } };
    responses: {
      /** Described */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["WrittenCredential"] | components["schemas"]["DryRun"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** CredentialNotFound, WorkspaceNotFound */
      404: Refusal;
      /** CredentialExists, NameTaken, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** CredentialKindFixed, IdempotencyKeyReused, SshKeyInvalid */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Lines that the worker wrote, oldest first */
  readWorkerLogs: {
    parameters: {
      query?: {
        /** Lines from this instant on, as RFC 3339 writes it. */
        since?: string;
        /** Lines after this cursor. */
        after?: string;
        /** Lines at most, from 1 to 1000. */
        limit?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        departmentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The lines */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["WorkerLogPage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, EdgeWorkerNotFound, WorkspaceNotFound */
      404: Refusal;
      /** LogsUnavailable */
      409: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable */
      503: Refusal;
    };
  };
  /** Lines that the worker writes, as they come */
  followWorkerLogs: {
    parameters: {
      query?: {
        /** Lines from this instant on, as RFC 3339 writes it. */
        since?: string;
        /** Lines after this cursor. */
        after?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        departmentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The stream */
      200: { headers: { [name: string]: unknown }; content: {
        "text/event-stream": string;
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, EdgeWorkerNotFound, WorkspaceNotFound */
      404: Refusal;
      /** LogsUnavailable */
      409: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable */
      503: Refusal;
    };
  };
  /** Everything that the workspace has, of whatever feature */
  listResources: {
    parameters: {
      query?: {
        /** Items per page, from 1 to 200. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        /** Such as edgeWorker; custom for what was made by hand. At most 64 characters on one line. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
        type?: string;
        /** Equal to this, letter by letter. At most 64 characters on one line. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
        kind?: string;
        /** Equal to this, letter by letter. At most 64 characters on one line. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
        status?: string;
        /** Equal to this, letter by letter. At most 64 characters on one line. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
        provider?: string;
        /** Equal to this, letter by letter. At most 64 characters on one line. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
        departmentId?: string;
        /** A key, or a key with a value. */
        tag?: string;
        /** Text in the name, in upper or lower case. At most 100 characters on one line. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
        q?: string;
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of resources */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["ResourcePage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Note a thing that is not managed here */
  createResource: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["CreateResourceRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Created */
      201: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["CreatedResource"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, ResourceNotFound, WorkspaceNotFound */
      404: Refusal;
      /** ResourceExists, ResourceTagsExhausted, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** A resource with its relations */
  getResource: {
    parameters: {
      query?: {
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        resourceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The resource */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["ResourceWithRelations"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** ResourceNotFound, WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Remove a resource that was made by hand */
  removeResource: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        resourceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Removed */
      204: { headers: { [name: string]: unknown }; content?: never };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** ResourceNotFound, WorkspaceNotFound */
      404: Refusal;
      /** ResourceExists, ResourceManaged, ResourceTagsExhausted, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Rename a resource that was made by hand, or describe it anew */
  describeResource: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        resourceId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["DescribeResourceRequest"];
    } };
    responses: {
      /** Described */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DescribedResource"] | components["schemas"]["DryRun"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** ResourceNotFound, WorkspaceNotFound */
      404: Refusal;
      /** ResourceExists, ResourceManaged, ResourceTagsExhausted, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** What a resource is connected with, over several relations */
  getResourceGraph: {
    parameters: {
      query?: {
        /** Edges from the resource at most, from 0 to 8. */
        depth?: string;
        /** `out` follows relations from source to target, `in` the other way. */
        direction?: "out" | "in" | "both";
        /** Types of relations to follow, with commas between them; all when not given. */
        types?: string;
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        resourceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The nodes and edges that were found */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["ResourceGraph"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** ResourceNotFound, WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Tag a resource of any type */
  tagResource: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        resourceId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["TagResourceRequest"];
    } };
    responses: {
      /** The tags from now on */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["TaggedResource"] | components["schemas"]["DryRun"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** ResourceNotFound, WorkspaceNotFound */
      404: Refusal;
      /** ResourceExists, ResourceTagsExhausted, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Take tags from a resource of any type */
  untagResource: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        resourceId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["UntagResourceRequest"];
    } };
    responses: {
      /** The tags from now on */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["TaggedResource"] | components["schemas"]["DryRun"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** ResourceNotFound, WorkspaceNotFound */
      404: Refusal;
      /** ResourceExists, ResourceTagsExhausted, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Relations between resources, oldest first */
  listResourceRelations: {
    parameters: {
      query?: {
        /** Items per page, from 1 to 200. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        /** At either end. */
        resourceId?: string;
        /** How the source relates to the target: belongs_to, deployed_on, runs_container, has_domain, resolves_to, monitors, has_deployment, depends_on, uses, or a word of your own. */
        type?: string;
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of relations */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["ResourceRelationPage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Relate a resource to another one */
  relateResources: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["RelateResourcesRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Related; or it was before */
      201: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["RelatedResources"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** ResourceNotFound, ResourceRelationNotFound, WorkspaceNotFound */
      404: Refusal;
      /** ResourceRelationManaged, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused, ResourceRelationInvalid */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Remove a relation that was made by hand */
  unrelateResources: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        relationId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Removed */
      204: { headers: { [name: string]: unknown }; content?: never };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** ResourceNotFound, ResourceRelationNotFound, WorkspaceNotFound */
      404: Refusal;
      /** ResourceRelationManaged, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused, ResourceRelationInvalid */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** The whole graph of a workspace, as a text */
  exportResources: {
    parameters: {
      query?: {
        format?: "jsonl" | "dot" | "mermaid";
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The graph */
      200: { headers: { [name: string]: unknown }; content: {
        "application/x-ndjson": string;
        "text/vnd.graphviz": string;
        "text/plain": string;
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Jobs of a workspace, newest first */
  listJobs: {
    parameters: {
      query?: {
        /** Items per page, from 1 to 200. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        status?: "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | "DEAD";
        /** For example `domain.verify`. */
        kind?: string;
        /** What the job is about. */
        subjectId?: string;
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of jobs */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["JobPage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** A job, and what happens next */
  getJob: {
    parameters: {
      query?: {
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The job */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["Job"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** JobNotFound, WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Cancel a job */
  cancelJob: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Cancelled, or asked for */
      202: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["CancelledJob"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** JobNotFound, WorkspaceNotFound */
      404: Refusal;
      /** JobCancelNotRequested, JobExists, JobNotCancellable, JobNotDead, JobNotDue, JobSettled, LeaseHeld, LeaseLost, LeaseTooLong, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused, JobMalformed */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Begin a dead job again */
  redriveJob: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** It waits to be begun again */
      202: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["RedrivenJob"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** JobNotFound, WorkspaceNotFound */
      404: Refusal;
      /** JobCancelNotRequested, JobExists, JobNotDead, JobNotDue, JobSettled, LeaseHeld, LeaseLost, LeaseTooLong, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused, JobMalformed */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Webhooks of a workspace, oldest first */
  listWebhooks: {
    parameters: {
      query?: {
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The webhooks, without their secrets */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["WebhookList"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Send events to a URL */
  createWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["CreateWebhookRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Created */
      201: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["CreatedWebhook"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, WebhookNotFound, WorkspaceNotFound */
      404: Refusal;
      /** NameTaken, StreamContended, WebhookExists, WebhookLimitReached */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused, WebhookUrlRefused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** A webhook, without its secret */
  getWebhook: {
    parameters: {
      query?: {
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The webhook */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["Webhook"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WebhookNotFound, WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Remove a webhook */
  removeWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** Removed */
      204: { headers: { [name: string]: unknown }; content?: never };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WebhookNotFound, WorkspaceNotFound */
      404: Refusal;
      /** StreamContended, WebhookExists */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Change where a webhook goes, or what it wants */
  reviseWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["ReviseWebhookRequest"];
    } };
    responses: {
      /** As it is now */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["RevisedWebhook"] | components["schemas"]["DryRun"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** DepartmentNotFound, WebhookNotFound, WorkspaceNotFound */
      404: Refusal;
      /** StreamContended, WebhookExists */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused, WebhookUrlRefused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Send nothing for a while */
  pauseWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** As it is now */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["WebhookState"] | components["schemas"]["DryRun"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WebhookNotFound, WorkspaceNotFound */
      404: Refusal;
      /** StreamContended, WebhookExists */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Send again what happens from now on */
  resumeWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** As it is now */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["WebhookState"] | components["schemas"]["DryRun"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WebhookNotFound, WorkspaceNotFound */
      404: Refusal;
      /** StreamContended, WebhookExists */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Replace the secret of a webhook */
  rotateWebhookSecret: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: { content: {
      "application/json": components["schemas"]["RotateWebhookSecretRequest"];
    } };
    responses: {
      /** The new secret */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["RotatedWebhookSecret"] | components["schemas"]["DryRun"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WebhookNotFound, WorkspaceNotFound */
      404: Refusal;
      /** StreamContended, WebhookExists */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Deliveries of a webhook, newest first */
  listWebhookDeliveries: {
    parameters: {
      query?: {
        /** Items per page, from 1 to 200. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        status?: "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | "DEAD";
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of deliveries */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["WebhookDeliveryPage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WebhookNotFound, WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** A delivery with all its attempts */
  getWebhookDelivery: {
    parameters: {
      query?: {
        /** RFC 3339: answer with the state as it was then. */
        at?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
        webhookId: string;
        deliveryId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The delivery */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["WebhookDeliveryWithAttempts"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WebhookDeliveryNotFound, WebhookNotFound, WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** HistoryTooLong */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable, ServerBusy */
      503: Refusal;
    };
  };
  /** Begin a dead delivery again */
  redriveWebhookDelivery: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        webhookId: string;
        deliveryId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** It waits to be sent again */
      202: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["RedrivenJob"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** JobNotFound, WebhookDeliveryNotFound, WebhookNotFound, WorkspaceNotFound */
      404: Refusal;
      /** JobCancelNotRequested, JobExists, JobNotDead, JobNotDue, JobSettled, LeaseHeld, LeaseLost, LeaseTooLong, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused, JobMalformed */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Begin the dead deliveries of a webhook again */
  redriveWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** They wait to be sent again */
      202: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["RedrivenDeliveries"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** JobNotFound, WebhookNotFound, WorkspaceNotFound */
      404: Refusal;
      /** JobCancelNotRequested, JobExists, JobNotDead, JobNotDue, JobSettled, LeaseHeld, LeaseLost, LeaseTooLong, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused, JobMalformed */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Send a message that says nothing */
  testWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** It waits to be sent */
      202: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["EnqueuedDelivery"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** JobNotFound, WebhookNotFound, WorkspaceNotFound */
      404: Refusal;
      /** JobCancelNotRequested, JobExists, JobNotDead, JobNotDue, JobSettled, LeaseHeld, LeaseLost, LeaseTooLong, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused, JobMalformed */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Send what happened in a time once more */
  replayWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** Makes a retry safe: the same key with the same body gets the same answer, with another body 422. */
        "Idempotency-Key"?: string;
        /** The ETag that was read: 412 when it has changed since. */
        "If-Match"?: string;
        /** `dry-run`: decide and answer with the facts that would be, append nothing. */
        Prefer?: string;
      };
      path: {
        workspaceId: string;
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody: { content: {
      "application/json": components["schemas"]["ReplayWebhookRequest"];
    } };
    responses: {
      /** A dry run */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["DryRun"];
      } };
      /** A job looks for the events */
      202: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["EnqueuedReplay"];
      } };
      /** BodyMalformed, RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** JobNotFound, WebhookNotFound, WorkspaceNotFound */
      404: Refusal;
      /** JobCancelNotRequested, JobExists, JobNotDead, JobNotDue, JobSettled, LeaseHeld, LeaseLost, LeaseTooLong, StreamContended */
      409: Refusal;
      /** RevisionMismatch */
      412: Refusal;
      /** BodyTooLarge */
      413: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** MediaTypeUnsupported */
      415: Refusal;
      /** IdempotencyKeyReused, JobMalformed */
      422: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable */
      503: Refusal;
    };
  };
  /** Who changed what between two times */
  diffWorkspace: {
    parameters: {
      query?: {
        /** Things per page, from 1 to 50. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        /** RFC 3339; a day before `to` when not given. */
        from?: string;
        /** RFC 3339; now when not given. */
        to?: string;
        /** Only things of this kind. */
        type?: "workspace" | "department" | "apiToken" | "invitation" | "edgeWorker" | "edgeSecret" | "edgeDomain" | "credential" | "resource" | "webhook";
        /** Only what this user, token or part of the platform changed. */
        actorId?: string;
        /** Only what facts of this department changed. */
        departmentId?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of changed things */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["WorkspaceDiff"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable */
      503: Refusal;
    };
  };
  /** What happened in a workspace */
  listAudit: {
    parameters: {
      query?: {
        /** Items per page, from 1 to 200. */
        limit?: string;
        /** `next` of the page before. */
        cursor?: string;
        actorId?: string;
        /** `<category>.<Event>`, for example `edgeWorker.DeploymentAdmitted`. */
        action?: string;
        resourceType?: string;
        resourceId?: string;
        /** X-Request-Id of the request that led to it. */
        requestId?: string;
        /** The same for everything that one request led to, here and outside. */
        correlationId?: string;
        status?: "success" | "failure" | "refused";
        riskLevel?: "low" | "medium" | "high";
        /** RFC 3339, inclusive. */
        from?: string;
        /** RFC 3339, exclusive. */
        to?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page of the audit trail */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["AuditPage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable */
      503: Refusal;
    };
  };
  /** The newest entry of the audit trail, signed */
  getAuditHead: {
    parameters: {
      query?: {
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The signed head */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["SealedAuditHead"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable */
      503: Refusal;
    };
  };
  /** The audit trail as a file, oldest entry first */
  exportAudit: {
    parameters: {
      query?: {
        /** JSON lines can be verified again. */
        format?: "jsonl" | "csv";
        actorId?: string;
        /** `<category>.<Event>`, for example `edgeWorker.DeploymentAdmitted`. */
        action?: string;
        resourceType?: string;
        resourceId?: string;
        /** X-Request-Id of the request that led to it. */
        requestId?: string;
        /** The same for everything that one request led to, here and outside. */
        correlationId?: string;
        status?: "success" | "failure" | "refused";
        riskLevel?: "low" | "medium" | "high";
        /** RFC 3339, inclusive. */
        from?: string;
        /** RFC 3339, exclusive. */
        to?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The entries */
      200: { headers: { [name: string]: unknown }; content: {
        "application/x-ndjson": string;
        "text/csv": string;
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable */
      503: Refusal;
    };
  };
  /** What happened in a workspace, as events, oldest first */
  listEvents: {
    parameters: {
      query?: {
        /** Events after this position of the log. */
        after?: string;
        /** Only these, for example `DeploymentCompleted` or `opslog.edgeWorker.DeploymentCompleted`. */
        type?: string;
        /** Only of this category, for example `edgeWorker`. */
        resourceType?: string;
        /** Only of what has this id. */
        resourceId?: string;
        /** Events at most, from 1 to 500. */
        limit?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Events */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["EventPage"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable */
      503: Refusal;
    };
  };
  /** Events of a workspace, as they come */
  followEvents: {
    parameters: {
      query?: {
        /** Events after this position of the log. */
        after?: string;
        /** Only these, for example `DeploymentCompleted` or `opslog.edgeWorker.DeploymentCompleted`. */
        type?: string;
        /** Only of this category, for example `edgeWorker`. */
        resourceType?: string;
        /** Only of what has this id. */
        resourceId?: string;
        /** The `Opslog-Position` of a command: wait, ten seconds at most, until the answer can hold what it wrote. The header `Opslog-Wait-For` does the same. */
        waitFor?: string;
      };
      header?: never;
      path: {
        workspaceId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The stream */
      200: { headers: { [name: string]: unknown }; content: {
        "text/event-stream": string;
      } };
      /** RequestInvalid */
      400: Refusal;
      /** AuthenticationRequired */
      401: Refusal;
      /** PasswordChangeRequired, RoleInsufficient */
      403: Refusal;
      /** WorkspaceNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
      /** LogUnavailable, ProjectionBehind, ReadTablesUnavailable */
      503: Refusal;
    };
  };
  /** Is the process up? */
  getLive: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** It is */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["Live"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
    };
  };
  /** Can it serve, and how far are the read tables behind? */
  getReady: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Ready */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": components["schemas"]["Readiness"];
      } };
      /** RequestInvalid */
      400: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
    };
  };
  /** Metrics for Prometheus */
  getMetrics: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Text exposition */
      200: { headers: { [name: string]: unknown }; content: {
        "text/plain": string;
      } };
      /** RequestInvalid */
      400: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
    };
  };
  /** This API as OpenAPI 3.1 */
  getOpenApi: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The document */
      200: { headers: { [name: string]: unknown }; content: {
        "application/json": { [name: string]: unknown };
      } };
      /** RequestInvalid */
      400: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
    };
  };
  /** This API for people */
  getDocs: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A page */
      200: { headers: { [name: string]: unknown }; content: {
        "text/html": string;
      } };
      /** RequestInvalid */
      400: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
    };
  };
  /** What a problem means and what to do */
  getProblem: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        code: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Markdown */
      200: { headers: { [name: string]: unknown }; content: {
        "text/markdown": string;
      } };
      /** RequestInvalid */
      400: Refusal;
      /** RouteNotFound */
      404: Refusal;
      /** UrlTooLong */
      414: Refusal;
      /** RateExceeded */
      429: Refusal;
      /** InternalFault */
      500: Refusal;
    };
  };
};

type Refusal = {
  headers: { [name: string]: unknown };
  content: { "application/problem+json": components["schemas"]["Problem"] };
};

export type components = {
  schemas: {
    AcceptInvitationRequest: {
      /** The token of the invitation. */
      token: string;
    };
    AdmittedDeployment: {
      ticketId: string;
      workerId: string;
      versionId: string;
      revision: number;
      kind: "deploy" | "rollback";
      /** Poll this path for the state of the deployment. */
      statusUrl: string;
    };
    ApiToken: {
      id: string;
      workspaceId: string;
      name: string;
      role: "OWNER" | "ADMIN" | "MEMBER" | "VIEWER";
      departmentId: string | null;
      expiresAt: string | null;
      /** It ends within 14 days: put another one in its place. */
      expiresSoon: boolean;
      /** Noted once an hour; null when it was never used. */
      lastUsedAt: string | null;
      revokedAt: string | null;
      /** RFC 3339, UTC. */
      createdAt: string;
    };
    ApiTokenPage: {
      items: components["schemas"]["ApiToken"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
    };
    AttachDomainRequest: {
      /** A full host name such as www.example.com; an international one as it is written, or in its ASCII form, which is the one that is kept, in lower case (IDNA). */
      hostname: string;
      /** Take over what is there for this name and was not made here. Without it that is a conflict. */
      adopt?: boolean;
    };
    AuditEntry: {
      id: string;
      sequence: number;
      action: string;
      actor: {
        type: string;
        id: string | null;
        authMethod: string;
      };
      resource: {
        type: string;
        id: string;
      };
      departmentId: string | null;
      riskLevel: "low" | "medium" | "high";
      status: "success" | "failure" | "refused";
      requestId: string | null;
      correlationId: string | null;
      causationId: string | null;
      /** Where the caller called from. */
      ip: string | null;
      metadata: unknown;
      /** RFC 3339, UTC. */
      createdAt: string;
      previousHash: string | null;
      hash: string;
    };
    AuditPage: {
      items: components["schemas"]["AuditEntry"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
    };
    CancelDeploymentRequest: {
      giveUp?: boolean;
    };
    CancelledDeployment: {
      ticketId: string;
      /** False: a runner is at work and will confirm, or report too late. */
      cancelled: boolean;
    };
    CancelledJob: {
      jobId: string;
      /** False: whoever works on it will confirm, or say that it was too late. */
      cancelled: boolean;
    };
    ChangeMemberRequest: {
      role: "OWNER" | "ADMIN" | "MEMBER" | "VIEWER";
      departmentIds?: string[];
    };
    ChangePasswordRequest: {
      currentPassword: string;
      /** At least 12 characters, each taken as it is. */
      newPassword: string;
    };
    ChangedMember: {
      userId: string;
      role: "OWNER" | "ADMIN" | "MEMBER" | "VIEWER";
      departmentIds: string[];
    };
    ChangedThing: {
      type: string;
      id: string;
      name: string;
      departmentId: string | null;
      /** `cameAndWent`: it is at neither of both times. */
      change: "created" | "changed" | "removed" | "cameAndWent";
      fields: {
        field: string;
        before: unknown;
        after: unknown;
        /** A secret, which is not shown: it is another one. */
        replaced: boolean;
      }[];
      relations: {
        added: components["schemas"]["ResourceRelation"][];
        removed: components["schemas"]["ResourceRelation"][];
        cut: boolean;
      };
      /** Oldest first; the newest ones when there are many. */
      facts: {
        event: string;
        position: string;
        at: string;
        actor: {
          type: string;
          id: string;
        };
        requestId: string | null;
        correlationId: string | null;
      }[];
      factCount: number;
    };
    CreateCredentialRequest: {
      /** Unique in the workspace, whatever its case, so that ß is SS, and ı is i. 1 to 100 characters on one line, one of them visible. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
      name: string;
      /** For people. No secrets: it can be seen. At most 500 characters, on several lines if need be. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
      description?: string;
      /** Only for this department; else for the whole workspace. */
      departmentId?: string;
      value: components["schemas"]["CredentialValue"];
    };
    CreateDepartmentRequest: {
      /** A name for people. 1 to 100 characters on one line, one of them visible. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
      name: string;
      /** A short name for URLs and commands. */
      slug: string;
    };
    CreateResourceRequest: {
      /** A name for people. 1 to 100 characters on one line, one of them visible. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. What looks like a secret is masked before it is written down. */
      name: string;
      /** What it is, in your word. */
      kind: string;
      /** Whose it is; of the whole workspace when not given. */
      departmentId?: string;
      /** A line about it. What looks like a secret is masked before it is written down. At most 250 characters on one line. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
      description?: string;
      /** Who runs it. What looks like a secret is masked before it is written down. At most 64 characters on one line. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
      provider?: string;
      /** Notes by name. At most 500 characters on one line. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. What looks like a secret is masked before it is written down. */
      metadata?: { [name: string]: string };
    };
    CreateWebhookRequest: {
      /** https; where the messages go. */
      url: string;
      /** For people. At most 200 characters on one line. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
      description?: string;
      /** `*` for all but those of jobs, `edgeWorker.*`, or `edgeWorker.DeploymentCompleted`. */
      eventTypes: string[];
      /** Only events of these departments; empty: of the whole workspace. */
      departmentIds?: string[];
    };
    CreateWorkspaceRequest: {
      /** A name for people. 1 to 100 characters on one line, one of them visible. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
      name: string;
      /** A short name for URLs and commands. */
      slug: string;
    };
    CreatedResource: {
      id: string;
      workspaceId: string;
      departmentId: string | null;
      kind: string;
      name: string;
    };
    CreatedWebhook: {
      id: string;
      url: string;
      description: string;
      eventTypes: string[];
      /** Empty: events of the whole workspace. */
      departmentIds: string[];
      /** In this answer and nowhere else; null when this very request came before and the secret has ended since. */
      secret: string | null;
    };
    Credential: {
      id: string;
      workspaceId: string;
      /** Only for this department; null: the whole workspace. */
      departmentId: string | null;
      name: string;
      kind: "sshKey" | "sshPassword" | "apiToken" | "registryLogin" | "generic";
      /** Null for whoever is not an administrator. */
      description: string | null;
      /** Null for whoever is not an administrator. */
      details: components["schemas"]["CredentialDetails"] | null;
      /** Null for whoever is not an administrator. */
      version: number | null;
      /** Null for whoever is not an administrator. */
      digest: string | null;
      storedBy: string | null;
      storedAt: string | null;
      /** To the hour; null when it was never used. */
      lastUse: {
        /** RFC 3339, UTC. */
        at: string;
        purpose: string;
        subjectId: string;
      } | null;
      /** RFC 3339, UTC. */
      createdAt: string;
    };
    /** What may be known of the value. */
    CredentialDetails: {
      kind: "sshKey";
      userName: string;
      keyType: string;
      /** A line of `authorized_keys`. */
      publicKey: string;
      /** As `ssh-keygen -l` shows it. */
      fingerprint: string;
      /** Made here: nobody has ever seen the private key. */
      isGenerated: boolean;
    } | {
      kind: "sshPassword";
      userName: string;
    } | {
      kind: "apiToken";
      provider: string;
    } | {
      kind: "registryLogin";
      registry: string;
      userName: string;
    } | {
      kind: "generic";
      fieldNames: string[];
    };
    CredentialPage: {
      items: components["schemas"]["Credential"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
    };
    CredentialValue: {
      kind: "sshKey";
      /** Who signs in with it; kept as it is. */
      userName: string;
      /** In OpenSSH or PEM format, kept without white space at its ends. Never shown again. */
      privateKey?: string;
      /** Of the private key, kept as it is. Never shown again. */
      passphrase?: string;
      /** Make an Ed25519 pair here: the public key is answered, the private one never. */
      generate?: true;
    } | {
      kind: "sshPassword";
      /** Who signs in with it; kept as it is. */
      userName: string;
      /** Up to 1 KiB, kept as it is. Never shown again. */
      password: string;
    } | {
      kind: "apiToken";
      /** Whose token it is. */
      provider: string;
      /** Up to 8 KiB, kept as it is. Never shown again. */
      token: string;
    } | {
      kind: "registryLogin";
      /** Host of the registry. */
      registry: string;
      /** Who signs in with it; kept as it is. */
      userName: string;
      /** Password or token, kept as it is. Never shown again. */
      password: string;
    } | {
      kind: "generic";
      /** Up to 20 fields by name; the names can be seen, the values never. */
      fields: { [name: string]: string };
    };
    DeleteWorkspaceRequest: {
      /** The slug of the workspace: deleting is for good. */
      confirm: string;
    };
    Department: {
      id: string;
      workspaceId: string;
      name: string;
      slug: string;
      /** RFC 3339, UTC. */
      createdAt?: string;
    };
    DepartmentPage: {
      items: components["schemas"]["Department"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
    };
    DeployRevisionRequest: {
      /** Default: the newest one. */
      revision?: number;
      /** Default: where the worker runs, or where this installation puts new workers. */
      provider?: "workerd" | "cloudflare";
      /** Cancel a deployment that waits for its turn or its next attempt, in favour of this one. */
      supersede?: boolean;
    };
    Deployment: {
      ticketId: string;
      workspaceId: string;
      departmentId: string;
      workerId: string;
      versionId: string | null;
      revision: number | null;
      kind: "deploy" | "rollback" | null;
      status: "pending" | "leased" | "uncertain" | "completed" | "failed" | "cancelled";
      attempts: number;
      maxAttempts: number;
      cancelRequested: boolean;
      /** The steps in the order in which they are performed. */
      plan: string[];
      reasonCode: string | null;
      reason: string | null;
      /** Where the worker answers once the deployment has completed. */
      url: string | null;
      /** What happens next and when; null for a settled deployment. */
      next: {
        action: "start" | "retry" | "probe" | "report";
        /** Null: at once. */
        at: string | null;
        description: string;
      } | null;
      /** RFC 3339, UTC. */
      createdAt: string;
      /** RFC 3339, UTC. */
      updatedAt: string;
      completedAt: string | null;
    };
    DeploymentExplanation: {
      /** How it stands, in one or two sentences. */
      summary: string;
      /** The step that it stands or fell at. */
      step: string | null;
      /** What was last asked outside for this step. */
      asked: string | null;
      /** What was answered; no answer is said, too. */
      answered: string | null;
      /** What looking has found since; null while nobody has looked. */
      found: string | null;
      /** What happens next, without anybody doing anything. */
      next: string;
      /** When; null: at once, or never. */
      at: string | null;
      /** Attempts that may still begin. Looking at what is uncertain is not bounded by them. */
      attemptsLeft: number;
      /** How to end it, or what to do now that it has ended. */
      ways: {
        action: "wait" | "cancel" | "giveUp" | "supersede" | "deploy" | "rollback" | "reconcile" | "repair";
        description: string;
      }[];
    };
    DeploymentPage: {
      items: components["schemas"]["Deployment"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
    };
    DeploymentWithSteps: {
      ticketId: string;
      workspaceId: string;
      departmentId: string;
      workerId: string;
      versionId: string | null;
      revision: number | null;
      kind: "deploy" | "rollback" | null;
      status: "pending" | "leased" | "uncertain" | "completed" | "failed" | "cancelled";
      attempts: number;
      maxAttempts: number;
      cancelRequested: boolean;
      /** The steps in the order in which they are performed. */
      plan: string[];
      reasonCode: string | null;
      reason: string | null;
      /** Where the worker answers once the deployment has completed. */
      url: string | null;
      /** What happens next and when; null for a settled deployment. */
      next: {
        action: "start" | "retry" | "probe" | "report";
        /** Null: at once. */
        at: string | null;
        description: string;
      } | null;
      /** RFC 3339, UTC. */
      createdAt: string;
      /** RFC 3339, UTC. */
      updatedAt: string;
      completedAt: string | null;
      explanation: components["schemas"]["DeploymentExplanation"];
      steps: {
        sequence: number;
        attempt: number;
        step: string;
        outcome: "done" | "refused" | "retry" | "uncertain";
        detail: string | null;
        /** Whether it was done or only looked at. */
        mode: "perform" | "probe";
        /** What was asked, answered and found outside. */
        facts: { [name: string]: string };
        /** RFC 3339, UTC. */
        startedAt: string;
        durationMs: number;
      }[];
    };
    DescribeCredentialRequest: {
      /** For people. No secrets: it can be seen. At most 500 characters, on several lines if need be. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
      description: string;
    };
    DescribeResourceRequest: {
      /** A name for people. 1 to 100 characters on one line, one of them visible. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. What looks like a secret is masked before it is written down. */
      name?: string;
      /** A line about it. What looks like a secret is masked before it is written down. At most 250 characters on one line. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
      description?: string;
      /** Who runs it. What looks like a secret is masked before it is written down. At most 64 characters on one line. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
      provider?: string;
      /** In place of all notes of before. At most 500 characters on one line. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. What looks like a secret is masked before it is written down. */
      metadata?: { [name: string]: string };
    };
    DescribedResource: {
      id: string;
      name: string;
    };
    Domain: {
      /** ASCII form, lower case. */
      hostname: string;
      /** As people write it. */
      unicodeHostname: string;
      provider: string;
      status: "attaching" | "attached" | "refused" | "detaching";
      /** Where the worker answers under this name; null until attached. */
      url: string | null;
      adopt: boolean;
      /** Why it was not attached; the name is free again. */
      refusal: {
        code: string;
        reason: string;
        /** Who has the name outside, as the provider names them. */
        owner: string | null;
      } | null;
      /** The last look at whether the name leads to the worker; `detail` says who was asked. */
      verification: {
        verified: boolean;
        detail: string;
        /** What was asked, answered and found outside, and ids of what was made there. */
        facts: { [name: string]: string };
        /** RFC 3339, UTC. */
        at: string;
      } | null;
      /** Given for a name on-prem; elsewhere the provider makes its own. */
      certificate: {
        /** DNS names that it covers. */
        names: string[];
        issuer: string;
        /** RFC 3339, UTC. */
        notAfter: string;
        /** SHA-256, hex pairs with colons. */
        fingerprint: string;
        /** Ending: within 30 days. An expired one is served until it is replaced. */
        state: "valid" | "ending" | "expired";
        /** RFC 3339, UTC. */
        storedAt: string;
      } | null;
      /** What was asked, answered and found outside, and ids of what was made there. */
      facts: { [name: string]: string };
      attachedAt: string | null;
      /** RFC 3339, UTC. */
      createdAt: string;
      /** RFC 3339, UTC. */
      updatedAt: string;
    };
    DomainPage: {
      items: components["schemas"]["Domain"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
    };
    DomainTicket: {
      /** ASCII form, lower case. */
      hostname: string;
      /** As people write it. */
      unicodeHostname: string;
      status: "attaching" | "attached" | "refused" | "detaching" | "detached";
      /** The job that does it. */
      jobId: string;
      /** Poll this path for the state of the domain. */
      statusUrl: string;
    };
    /** The facts that the command would have led to; secrets are masked. */
    DryRun: {
      dryRun: true;
      events: {
        type: string;
        data: unknown;
      }[];
    };
    EnqueuedDelivery: {
      deliveryId: string;
    };
    EnqueuedReplay: {
      /** A job that enqueues the deliveries: see the jobs. */
      jobId: string;
    };
    /** A CloudEvent 1.0. */
    Event: {
      specversion: "1.0";
      /** Id of the event. A consumer that remembers it handles an event once. */
      id: string;
      /** `/opslog/<category>/<id of the subject>` */
      source: string;
      /** `opslog.<category>.<Event>` */
      type: string;
      /** Id of what the event is about. */
      subject: string;
      time: string;
      datacontenttype: "application/json";
      /** Secrets are masked, long texts left out. asyncapi.json has the shapes. */
      data: unknown;
      /** Position in the log. It rises from event to event, with gaps. */
      position: string;
      /** Counts the events of one subject from 0. */
      revision: number;
      workspaceid?: string;
      departmentid?: string;
      /** The same for everything that one request led to. */
      correlationid?: string;
      causationid?: string;
      actortype?: string;
      actorid?: string;
    };
    EventPage: {
      items: components["schemas"]["Event"][];
      /** Give it as `after` to read on; there need not be anything yet. */
      next: string;
      /** There may be more at once, even when this page is empty. */
      more: boolean;
    };
    Invitation: {
      id: string;
      workspaceId: string;
      email: string;
      role: "OWNER" | "ADMIN" | "MEMBER" | "VIEWER";
      /** Empty: every department. */
      departmentIds: string[];
      expiresAt: string;
      status: "open" | "accepted" | "revoked" | "expired";
      /** When it was accepted or revoked. */
      settledAt: string | null;
      createdAt: string;
    };
    InvitationPage: {
      items: components["schemas"]["Invitation"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
    };
    InviteMemberRequest: {
      /** Kept and compared in lower case and Unicode NFC, without white space at its ends. */
      email: string;
      role: "OWNER" | "ADMIN" | "MEMBER" | "VIEWER";
      /** Limits the member; empty: everywhere. */
      departmentIds?: string[];
      expiresInDays?: number;
    };
    IssueApiTokenRequest: {
      /** A name for people. 1 to 100 characters on one line, one of them visible. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
      name: string;
      role: "OWNER" | "ADMIN" | "MEMBER" | "VIEWER";
      /** Limits the token to one department. */
      departmentId?: string;
      /** Without it the token never expires. */
      expiresInDays?: number;
    };
    IssuedApiToken: {
      id: string;
      workspaceId: string;
      name: string;
      role: "OWNER" | "ADMIN" | "MEMBER" | "VIEWER";
      departmentId: string | null;
      expiresAt: string | null;
      /** Shown now and never again; only its digest is kept. */
      token: string;
    };
    IssuedInvitation: {
      id: string;
      workspaceId: string;
      email: string;
      role: "OWNER" | "ADMIN" | "MEMBER" | "VIEWER";
      /** Empty: every department. */
      departmentIds: string[];
      expiresAt: string;
      /** Give it to the person. Shown now and never again; only its digest is kept. */
      token: string;
    };
    Job: {
      jobId: string;
      workspaceId: string;
      /** Null: it is about the whole workspace. */
      departmentId: string | null;
      kind: string;
      /** What it is about. */
      subjectId: string;
      payload: { [name: string]: string | number | boolean };
      /** FAILED: the world outside said no. DEAD: its attempts are spent. */
      status: "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | "DEAD";
      /** It may or may not have happened; the next attempt looks before it does anything. */
      uncertain: boolean;
      cancelRequested: boolean;
      /** From 0, the most urgent, to 9. */
      priority: number;
      /** Begun since it was enqueued or redriven. */
      attempts: number;
      /** Attempts of which nothing came: so many as `maxAttempts`, and it is dead. */
      failures: number;
      maxAttempts: number;
      redrives: number;
      /** Recorded so far; what is recorded is not done again. */
      steps: number;
      /** Percent. */
      progress: number;
      note: string | null;
      reasonCode: string | null;
      lastError: string | null;
      /** What came of it, in words. */
      detail: string | null;
      result: { [name: string]: string | number | boolean } | null;
      /** What happens next and when; null for a settled job. */
      next: {
        action: "start" | "retry" | "probe" | "report";
        /** Null: at once. */
        at: string | null;
        description: string;
      } | null;
      requestId: string | null;
      correlationId: string | null;
      /** RFC 3339, UTC. */
      createdAt: string;
      /** RFC 3339, UTC. */
      updatedAt: string;
      /** Of the newest attempt. */
      startedAt: string | null;
      completedAt: string | null;
    };
    JobPage: {
      items: components["schemas"]["Job"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
    };
    Joined: {
      userId: string;
      email: string;
      workspaceId: string;
      workspaceName: string;
      role: "OWNER" | "ADMIN" | "MEMBER" | "VIEWER";
      /** Empty: every department. */
      departmentIds: string[];
    };
    Live: {
      status: "live";
    };
    Me: {
      kind: "user";
      id: string;
      email: string;
      displayName: string;
      /** RFC 3339, UTC. */
      sessionExpiresAt: string;
      /** The password was made by the program: change it first, as little else is allowed. */
      mustChangePassword: boolean;
    } | {
      kind: "apiToken";
      id: string;
      name: string;
      workspaceId: string;
      role: "OWNER" | "ADMIN" | "MEMBER" | "VIEWER";
      departmentId: string | null;
      expiresAt: string | null;
    };
    Member: {
      userId: string;
      email: string;
      displayName: string;
      role: "OWNER" | "ADMIN" | "MEMBER" | "VIEWER";
      /** Empty: every department. */
      departmentIds: string[];
      /** RFC 3339, UTC. */
      createdAt: string;
      /** RFC 3339, UTC. */
      updatedAt: string;
    };
    MemberPage: {
      items: components["schemas"]["Member"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
    };
    OpenSessionRequest: {
      /** Kept and compared in lower case and Unicode NFC, without white space at its ends. */
      email: string;
      password: string;
    };
    OpenedSession: {
      id: string;
      userId: string;
      /** Send it as `Authorization: Bearer <token>`. */
      token: string;
      /** RFC 3339, UTC. */
      expiresAt: string;
      /** The password was made by the program: change it first, as little else is allowed. */
      mustChangePassword: boolean;
    };
    /** RFC 9457. */
    Problem: {
      /** Path of the page that explains this problem. */
      type: string;
      title: string;
      status: number;
      detail: string;
      code: string;
      field?: string;
      errors?: {
        pointer: string;
        detail: string;
      }[];
      details?: { [name: string]: string | number };
      requestId: string;
    };
    PutDomainCertificateRequest: {
      /** PEM: the certificate of the name, then its chain in order. Never shown again. */
      certificate: string;
      /** PEM, not encrypted. Never shown again. */
      privateKey: string;
    };
    PutSecretRequest: {
      /** Up to 5120 bytes of text, kept as they are. Never shown again. */
      value: string;
    };
    Readiness: {
      ready: boolean;
      checks: {
        name: string;
        ok: boolean;
        detail?: string;
      }[];
      lag: {
        events: number;
        ms: number;
      };
    };
    ReconcileWorkersRequest: {
      /** Also put right what is found. Without it nothing is changed, only told. */
      apply?: boolean;
    };
    RedrivenDeliveries: {
      redriven: number;
      /** There were more than one request takes. */
      more: boolean;
    };
    RedrivenJob: {
      jobId: string;
      redrives: number;
    };
    RegisterByInvitationRequest: {
      /** The token of the invitation. */
      token: string;
      /** A name for people. 1 to 100 characters on one line, one of them visible. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
      displayName: string;
      /** At least 12 characters, each taken as it is. */
      password: string;
    };
    RelateResourcesRequest: {
      sourceId: string;
      /** How the source relates to the target: belongs_to, deployed_on, runs_container, has_domain, resolves_to, monitors, has_deployment, depends_on, uses, or a word of your own. */
      type: string;
      targetId: string;
    };
    RelatedResources: {
      id: string;
      sourceId: string;
      type: string;
      targetId: string;
    };
    RenameCredentialRequest: {
      /** A name for people. 1 to 100 characters on one line, one of them visible. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
      name: string;
    };
    ReplaceCredentialRequest: {
      value: components["schemas"]["CredentialValue"];
    };
    ReplayWebhookRequest: {
      /** RFC 3339; from this time on. */
      from: string;
      /** RFC 3339; up to before this time. */
      to: string;
    };
    RequestedReconciliation: {
      jobs: {
        provider: string;
        jobId: string;
        /** Its result has what was found, as JSON in `findings`. */
        statusUrl: string;
      }[];
    };
    Resource: {
      id: string;
      workspaceId: string;
      /** Null: of the whole workspace. */
      departmentId: string | null;
      /** The feature that it is of, such as department, edgeWorker, edgeDomain, edgeSecret; or custom, made by hand. */
      type: string;
      /** What it is more closely, such as the word given to a custom one. */
      kind: string | null;
      name: string;
      provider: string | null;
      status: string;
      detail: string | null;
      metadata: { [name: string]: string | number | boolean };
      tags: string[];
      /** RFC 3339, UTC. */
      createdAt: string;
      /** RFC 3339, UTC. */
      updatedAt: string;
    };
    ResourceGraph: {
      nodes: {
        id: string;
        workspaceId: string;
        /** Null: of the whole workspace. */
        departmentId: string | null;
        /** The feature that it is of, such as department, edgeWorker, edgeDomain, edgeSecret; or custom, made by hand. */
        type: string;
        /** What it is more closely, such as the word given to a custom one. */
        kind: string | null;
        name: string;
        provider: string | null;
        status: string;
        detail: string | null;
        metadata: { [name: string]: string | number | boolean };
        tags: string[];
        /** RFC 3339, UTC. */
        createdAt: string;
        /** RFC 3339, UTC. */
        updatedAt: string;
        distance: number;
      }[];
      edges: components["schemas"]["ResourceRelation"][];
      /** The bound that ended the walk early: 1,000 nodes or 5,000 edges. Null: this is all. */
      cut: "nodes" | "edges" | null;
    };
    ResourcePage: {
      items: components["schemas"]["Resource"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
    };
    ResourceRelation: {
      id: string;
      sourceId: string;
      type: string;
      targetId: string;
      /** Those of a feature come and go with what it does. */
      madeBy: "feature" | "hand";
      /** RFC 3339, UTC. */
      createdAt: string;
    };
    ResourceRelationPage: {
      items: components["schemas"]["ResourceRelation"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
    };
    ResourceWithRelations: {
      id: string;
      workspaceId: string;
      /** Null: of the whole workspace. */
      departmentId: string | null;
      /** The feature that it is of, such as department, edgeWorker, edgeDomain, edgeSecret; or custom, made by hand. */
      type: string;
      /** What it is more closely, such as the word given to a custom one. */
      kind: string | null;
      name: string;
      provider: string | null;
      status: string;
      detail: string | null;
      metadata: { [name: string]: string | number | boolean };
      tags: string[];
      /** RFC 3339, UTC. */
      createdAt: string;
      /** RFC 3339, UTC. */
      updatedAt: string;
      /** At either end, oldest first, 200 at most. */
      relations: components["schemas"]["ResourceRelation"][];
      hasMoreRelations: boolean;
    };
    ReviseWebhookRequest: {
      /** https; where the messages go. */
      url?: string;
      /** For people. At most 200 characters on one line. It is kept in Unicode NFC, without white space at its ends; marks of writing direction are refused. */
      description?: string;
      /** `*` for all but those of jobs, `edgeWorker.*`, or `edgeWorker.DeploymentCompleted`. */
      eventTypes?: string[];
      /** Only events of these departments; empty: of the whole workspace. */
      departmentIds?: string[];
    };
    RevisedWebhook: {
      id: string;
      url: string;
      description: string;
      eventTypes: string[];
      /** Empty: events of the whole workspace. */
      departmentIds: string[];
      /** disabled: by itself, for the reason that is given; resume it when the receiver works again. */
      status: "active" | "paused" | "disabled";
    };
    Revision: {
      versionId: string;
      workerId: string;
      revision: number;
      language: "javascript" | "typescript";
      entryPoint: string;
      compatibilityDate: string;
      compatibilityFlags: string[];
      variableNames: string[];
      /** The versions of secrets that it reads, for good. */
      secrets: {
        name: string;
        /** Counts the values of this secret from 1. */
        version: number;
        /** Of the value, keyed: equal values of this secret have equal digests. */
        digest: string;
      }[];
      /** When its scheduled handler is called while it is live. */
      schedules: {
        cron: string;
        timeZone: string;
      }[];
      /** SHA-256, hexadecimal. */
      environmentDigest: string;
      /** SHA-256, hexadecimal. */
      sourceDigest: string;
      sourceBytes: number;
      sourceFiles: number;
      /** SHA-256, hexadecimal. */
      bundleDigest: string;
      bundleBytes: number;
      /** SHA-256, hexadecimal. */
      sbomDigest: string;
      state: "uploading" | "ready" | "deploy_pending" | "deploying" | "deployed" | "superseded" | "failed" | "uncertain";
      createdBy: string | null;
      /** RFC 3339, UTC. */
      createdAt: string;
      deployedAt: string | null;
      /** Since when its source and bundle are no longer kept. */
      retiredAt: string | null;
    };
    RevisionPage: {
      items: components["schemas"]["Revision"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
    };
    RollBackRequest: {
      /** Default: the one that was live before. */
      revision?: number;
      /** Default: where the worker runs, or where this installation puts new workers. */
      provider?: "workerd" | "cloudflare";
      /** Cancel a deployment that waits for its turn or its next attempt, in favour of this one. */
      supersede?: boolean;
    };
    RotateWebhookSecretRequest: {
      /** So long the old secret signs beside the new one; 0 ends it at once. */
      overlapHours?: number;
    };
    RotatedWebhookSecret: {
      id: string;
      /** In this answer and nowhere else; null when this very request came before and the secret has ended since. */
      secret: string | null;
      /** RFC 3339, UTC. */
      previousSecretValidUntil: string;
    };
    SchedulesOfWorker: {
      /** The live revision, whose schedules these are. */
      revision: number | null;
      /** Who fires them: this platform on-prem, Cloudflare itself. */
      provider: string | null;
      /** False while the worker is paused or not deployed. */
      firing: boolean;
      schedules: {
        cron: string;
        timeZone: string;
        /** The next three instants. */
        next: string[];
      }[];
      /** Newest first. On-prem only. */
      lastFirings: {
        cron: string;
        timeZone: string;
        scheduledFor: string;
        /** Of the job that runs it. */
        status: string;
        detail: string | null;
      }[];
    };
    /** A DSSE envelope, signed with the key that signs build receipts. */
    SealedAuditHead: {
      payloadType: string;
      /** Base64 of JSON: workspaceId, sequence and hash of the newest entry, its position in the log, and at. */
      payload: string;
      signatures: {
        keyid: string;
        sig: string;
      }[];
    };
    Secret: {
      name: string;
      /** Counts the values of this secret from 1. */
      version: number;
      /** Of the value, keyed: equal values of this secret have equal digests. */
      digest: string;
      /** The version that the live revision reads. */
      liveVersion: number | null;
      /** The newest revisions that read it, and which version each of them reads. */
      revisions: {
        revision: number;
        version: number;
      }[];
      storedBy: string | null;
      /** RFC 3339, UTC. */
      storedAt: string;
      /** RFC 3339, UTC. */
      createdAt: string;
    };
    SecretPage: {
      items: components["schemas"]["Secret"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
    };
    Session: {
      id: string;
      /** The one that asks. */
      isCurrent: boolean;
      /** What the client called itself, cut and masked. */
      userAgent: string | null;
      createdAt: string;
      /** Noted once an hour. */
      lastSeenAt: string;
      expiresAt: string;
    };
    SessionPage: {
      items: components["schemas"]["Session"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
    };
    ShowInvitationRequest: {
      /** The token of the invitation. */
      token: string;
    };
    ShownInvitation: {
      workspaceId: string;
      workspaceName: string;
      email: string;
      role: "OWNER" | "ADMIN" | "MEMBER" | "VIEWER";
      /** Empty: every department. */
      departmentIds: string[];
      expiresAt: string;
      /** True: sign in as this address, then accept. False: register. */
      hasAccount: boolean;
    };
    StoredCertificate: {
      /** DNS names that it covers. */
      names: string[];
      issuer: string;
      /** RFC 3339, UTC. */
      notAfter: string;
      /** SHA-256, hex pairs with colons. */
      fingerprint: string;
      /** RFC 3339, UTC. */
      notBefore: string;
    };
    StoredSecret: {
      name: string;
      /** Counts the values of this secret from 1. */
      version: number;
      /** Of the value, keyed: equal values of this secret have equal digests. */
      digest: string;
      /** As in `Opslog-Position`. */
      position: string;
    };
    SubmitRevisionRequest: {
      /** Text in `content`, or bytes as base64 in `contentBase64`, kept as they are. */
      files: {
        /** Relative, with forward slashes; kept in Unicode NFC, without a leading `./`. */
        path: string;
        content: string;
      } | {
        /** Relative, with forward slashes; kept in Unicode NFC, without a leading `./`. */
        path: string;
        contentBase64: string;
      }[];
      /** Follows from the entry point when left out. */
      language?: "javascript" | "typescript";
      /** Path of the file that exports the handler. Default: the first of src/index.ts, index.ts, src/index.js, index.js. */
      entryPoint?: string;
      /** Version of the runtime's behaviour. Default: 2026-01-01. */
      compatibilityDate?: string;
      compatibilityFlags?: string[];
      /** Plain configuration, kept as it is. Not for secrets: revisions keep them in the clear. */
      variables?: { [name: string]: string };
      /** Secrets that the worker reads. */
      secretNames?: string[];
      /** When the worker's scheduled handler is called. */
      schedules?: {
        /** Minute, hour, day of month, month, day of week. */
        cron: string;
        /** An IANA time zone. Cloudflare knows UTC only. */
        timeZone?: string;
      }[];
    };
    SubmittedRevision: {
      versionId: string;
      workerId: string;
      revision: number;
      language: "javascript" | "typescript";
      entryPoint: string;
      compatibilityDate: string;
      compatibilityFlags: string[];
      variableNames: string[];
      /** The versions of secrets that it reads, for good. */
      secrets: {
        name: string;
        /** Counts the values of this secret from 1. */
        version: number;
        /** Of the value, keyed: equal values of this secret have equal digests. */
        digest: string;
      }[];
      /** When its scheduled handler is called while it is live. */
      schedules: {
        cron: string;
        timeZone: string;
      }[];
      /** SHA-256, hexadecimal. */
      environmentDigest: string;
      /** SHA-256, hexadecimal. */
      sourceDigest: string;
      sourceBytes: number;
      sourceFiles: number;
      /** SHA-256, hexadecimal. */
      bundleDigest: string;
      bundleBytes: number;
      /** SHA-256, hexadecimal. */
      sbomDigest: string;
      warnings: string[];
    };
    TagResourceRequest: {
      tags: string[];
    };
    TaggedResource: {
      id: string;
      /** All tags from now on. */
      tags: string[];
    };
    UntagResourceRequest: {
      tags: string[];
    };
    Webhook: {
      id: string;
      url: string;
      description: string;
      eventTypes: string[];
      /** Empty: events of the whole workspace. */
      departmentIds: string[];
      /** disabled: by itself, for the reason that is given; resume it when the receiver works again. */
      status: "active" | "paused" | "disabled";
      reasonCode: string | null;
      reason: string | null;
      /** Nothing of what happened from then on is sent: see `replay`. */
      inactiveSince: string | null;
      /** Nothing but failures since then. */
      failingSince: string | null;
      secretVersion: number;
      /** Until then the secret of before signs, too. */
      previousSecretValidUntil: string | null;
      createdBy: string | null;
      /** RFC 3339, UTC. */
      createdAt: string;
      /** RFC 3339, UTC. */
      updatedAt: string;
    };
    WebhookDelivery: {
      id: string;
      /** `webhook-id`: the id of the event, the same at every attempt. */
      messageId: string;
      eventType: string;
      test: boolean;
      /** DEAD: given up, and may be redriven. FAILED: not to be tried again. */
      status: "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | "DEAD";
      attempts: number;
      maxAttempts: number;
      nextAttemptAt: string | null;
      /** Of the newest answer; null: there was none. */
      responseStatus: number | null;
      latencyMs: number | null;
      error: string | null;
      /** RFC 3339, UTC. */
      createdAt: string;
      completedAt: string | null;
    };
    WebhookDeliveryAttempt: {
      attempt: number;
      outcome: string;
      responseStatus: number | null;
      latencyMs: number | null;
      detail: string;
      /** RFC 3339, UTC. */
      startedAt: string;
      durationMs: number;
    };
    WebhookDeliveryPage: {
      items: components["schemas"]["WebhookDelivery"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
    };
    WebhookDeliveryWithAttempts: {
      id: string;
      /** `webhook-id`: the id of the event, the same at every attempt. */
      messageId: string;
      eventType: string;
      test: boolean;
      /** DEAD: given up, and may be redriven. FAILED: not to be tried again. */
      status: "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | "DEAD";
      attempts: number;
      maxAttempts: number;
      nextAttemptAt: string | null;
      /** Of the newest answer; null: there was none. */
      responseStatus: number | null;
      latencyMs: number | null;
      error: string | null;
      /** RFC 3339, UTC. */
      createdAt: string;
      completedAt: string | null;
      /** Oldest first. */
      history: components["schemas"]["WebhookDeliveryAttempt"][];
    };
    WebhookList: {
      items: components["schemas"]["Webhook"][];
    };
    WebhookState: {
      id: string;
      /** disabled: by itself, for the reason that is given; resume it when the receiver works again. */
      status: "active" | "paused" | "disabled";
    };
    Worker: {
      id: string;
      workspaceId: string;
      departmentId: string;
      scriptName: string;
      status: "draft" | "active" | "paused";
      liveRevision: number | null;
      /** Where it answers; null before its first deployment. */
      url: string | null;
      /** What a reconciliation found to run instead of the live revision; null for nothing. */
      drift: string | null;
      newestRevision: number;
      /** The newest deployment. */
      deployment: {
        ticketId: string;
        revision: number;
        kind: "deploy" | "rollback";
        status: "pending" | "leased" | "uncertain" | "completed" | "failed" | "cancelled";
      } | null;
    };
    WorkerInCompany: {
      id: string;
      workspaceId: string;
      departmentId: string;
      scriptName: string;
      status: "draft" | "active" | "paused";
      liveRevision: number | null;
      /** Where it answers; null before its first deployment. */
      url: string | null;
      /** What a reconciliation found to run instead of the live revision; null for nothing. */
      drift: string | null;
      latestDeployment: components["schemas"]["Deployment"] | null;
      /** RFC 3339, UTC. */
      createdAt: string;
      /** RFC 3339, UTC. */
      updatedAt: string;
    };
    WorkerLogLine: {
      /** The place right after this line. */
      cursor: string;
      at: string;
      revision: number | null;
      origin: "console" | "runtime" | "platform";
      level: string;
      /** Secrets and variables of the worker are masked in it. */
      message: string;
    };
    WorkerLogPage: {
      items: components["schemas"]["WorkerLogLine"][];
      /** Give it as `after` to read on; there need not be anything yet. */
      next: string;
      /** Lines between the given cursor and the last item that are gone. */
      dropped: number;
    };
    WorkerPage: {
      items: components["schemas"]["WorkerInCompany"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
    };
    WorkerWithDomains: {
      id: string;
      workspaceId: string;
      departmentId: string;
      scriptName: string;
      status: "draft" | "active" | "paused";
      liveRevision: number | null;
      /** Where it answers; null before its first deployment. */
      url: string | null;
      /** What a reconciliation found to run instead of the live revision; null for nothing. */
      drift: string | null;
      newestRevision: number;
      /** The newest deployment. */
      deployment: {
        ticketId: string;
        revision: number;
        kind: "deploy" | "rollback";
        status: "pending" | "leased" | "uncertain" | "completed" | "failed" | "cancelled";
      } | null;
      /** Where it answers under attached host names, the first 100; null for a past time, or when not known. */
      domainUrls: string[] | null;
    };
    Workspace: {
      id: string;
      name: string;
      slug: string;
      /** What the caller is here. */
      role: "OWNER" | "ADMIN" | "MEMBER" | "VIEWER";
      /** Where the caller may act; empty: everywhere. */
      departmentIds: string[];
      /** RFC 3339, UTC. */
      createdAt?: string;
    };
    WorkspaceDiff: {
      items: components["schemas"]["ChangedThing"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
      from: {
        at: string;
        position: string;
      };
      to: {
        at: string;
        position: string;
      };
    };
    WorkspacePage: {
      items: components["schemas"]["Workspace"][];
      /** Send it as `cursor` for the next page; null on the last one. */
      next: string | null;
    };
    WrittenCredential: {
      id: string;
      workspaceId: string;
      /** Only for this department; null: the whole workspace. */
      departmentId: string | null;
      name: string;
      kind: "sshKey" | "sshPassword" | "apiToken" | "registryLogin" | "generic";
      description: string;
      details: components["schemas"]["CredentialDetails"];
      /** Counts the values of this credential from 1. */
      version: number;
      /** Of the value, keyed: equal values of this credential have equal digests. */
      digest: string;
    };
  };
};
