import { z } from 'zod';
import { idField, roleField, secretAnswer } from '../commands/fields.ts';

// What the API answers about invitations.

const departmentIds = z.array(idField).meta({ description: 'Empty: every department.' });

const invitationFields = {
  id: idField,
  workspaceId: idField,
  email: z.string(),
  role: roleField,
  departmentIds: departmentIds,
  expiresAt: z.iso.datetime(),
};
export const invitation = z
  .strictObject({
    ...invitationFields,
    status: z.enum(['open', 'accepted', 'revoked', 'expired']),
    settledAt: z.iso.datetime().nullable().meta({ description: 'When it was accepted or revoked.' }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Invitation' });
export const issuedInvitation = z
  .strictObject({
    ...invitationFields,
    token: z.string().meta({
      ...secretAnswer,
      description: 'Give it to the person. Shown now and never again; only its digest is kept.',
    }),
  })
  .meta({ id: 'IssuedInvitation' });
export const shownInvitation = z
  .strictObject({
    workspaceId: idField,
    workspaceName: z.string(),
    email: z.string(),
    role: roleField,
    departmentIds: departmentIds,
    expiresAt: z.iso.datetime(),
    hasAccount: z.boolean().meta({ description: 'True: sign in as this address, then accept. False: register.' }),
  })
  .meta({ id: 'ShownInvitation' });
export const joined = z
  .strictObject({
    userId: idField,
    email: z.string(),
    workspaceId: idField,
    workspaceName: z.string(),
    role: roleField,
    departmentIds: departmentIds,
  })
  .meta({ id: 'Joined' });
