import { hourOf } from '../hourOf.ts';
import { type Decision, type Message, reject } from '../kernel.ts';
import type { ApiTokenEvent } from './events.ts';
import type { ApiToken } from './state.ts';

export type ApiTokenCommand =
  | Message<'IssueApiToken', Extract<ApiTokenEvent, { type: 'ApiTokenIssued' }>['data']>
  | Message<'RecordApiTokenUse', { usedAt: number }>
  | Message<'RevokeApiToken', { workspaceId: string }>;

export type ApiTokenRejection = 'ApiTokenNotFound' | 'ApiTokenExists';

export const decide = (command: ApiTokenCommand, state: ApiToken): Decision<ApiTokenEvent, ApiTokenRejection> => {
  switch (command.type) {
    case 'IssueApiToken':
      if (state.status === 'absent') return [{ type: 'ApiTokenIssued', data: command.data }];
      return state.digest === command.data.digest ? [] : reject('ApiTokenExists', 'A token with this id exists.');
    case 'RecordApiTokenUse': {
      const { usedAt } = command.data;
      if (state.status !== 'active' || hourOf(usedAt) <= hourOf(state.usedAt)) return [];
      return [{ type: 'ApiTokenUsed', data: { usedAt } }];
    }
    case 'RevokeApiToken':
      if (state.status === 'absent' || state.workspaceId !== command.data.workspaceId) {
        return reject('ApiTokenNotFound', 'There is no such token in this workspace.');
      }
      return state.status === 'revoked' ? [] : [{ type: 'ApiTokenRevoked', data: {} }];
  }
};
