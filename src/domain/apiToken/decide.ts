import { type Decision, type Message, reject } from '../kernel.ts';
import type { Role } from '../roles.ts';
import type { ApiTokenEvent } from './events.ts';
import type { ApiToken } from './state.ts';

export type ApiTokenCommand =
  | Message<
      'IssueApiToken',
      { workspaceId: string; name: string; digest: string; role: Role; departmentId: string; expiresAt: number }
    >
  | Message<'RevokeApiToken', { workspaceId: string }>;

export type ApiTokenRejection = 'ApiTokenNotFound' | 'ApiTokenExists';

export const decide = (command: ApiTokenCommand, state: ApiToken): Decision<ApiTokenEvent, ApiTokenRejection> => {
  switch (command.type) {
    case 'IssueApiToken':
      if (state.status === 'absent') return [{ type: 'ApiTokenIssued', data: command.data }];
      return state.digest === command.data.digest ? [] : reject('ApiTokenExists', 'A token with this id exists.');
    case 'RevokeApiToken':
      if (state.status === 'absent' || state.workspaceId !== command.data.workspaceId) {
        return reject('ApiTokenNotFound', 'There is no such token in this workspace.');
      }
      return state.status === 'revoked' ? [] : [{ type: 'ApiTokenRevoked', data: {} }];
  }
};
