/** Problems of people, sessions, members, invitations and tokens: what happened, and what to do. */
export const identityPages = {
  UserNotFound: [
    'There is no such user.',
    'Check the id. A user who was just added may need a moment: wait for the position that the command answered.',
  ],
  UserExists: [
    'A user is registered under this id with another e-mail address.',
    'Send the request again with a new Idempotency-Key.',
  ],
  SessionNotFound: [
    'The request carries no session that could be closed: there is none of this id, or the token is an API token.',
    'Nothing needs doing for a session. To end an API token, revoke it in its workspace.',
  ],
  CredentialsInvalid: [
    'The e-mail address or the password is wrong. Which of the two is not said.',
    'Check both. After several attempts in a row the API asks you to wait.',
  ],
  PasswordRefused: [
    'The new password is one that everybody tries first: one of the 10,000 most common, the e-mail address, a few characters over and over, or the one that it should replace.',
    'Choose another one of at least 12 characters. Any characters are fine; several words make a good one.',
  ],
  PasswordExpired: [
    'The password was made by the program, for a first sign-in or at a reset, and was not changed within its 24 hours.',
    'Ask the operator for another one: "opslog users reset-password <email>".',
  ],
  PasswordChangeRequired: [
    'Whoever signed in did so with a password that the program made. Until it is changed, the session may only change it, say who it is, and end.',
    'Change the password: "opslog password", or POST /auth/password. The session goes on afterwards.',
  ],
  MemberExists: [
    'The user is a member of the workspace already, with another role or other departments.',
    'Change the member instead of adding it.',
  ],
  MemberNotFound: ['The user is not a member of this workspace.', 'List the members; add the user first.'],
  LastOwnerRequired: [
    'The change would leave the workspace without an OWNER of all its departments.',
    'Make another member such an OWNER first.',
  ],
  InvitationNotFound: [
    'The invitation does not exist here, or nobody can accept it any more: it was revoked or accepted, it ran out, or whoever gave it may no longer do so. All of these answer alike.',
    'Ask whoever invited you for another one.',
  ],
  InvitationExists: [
    'An invitation of this id exists for something else.',
    'Send the request again with a new Idempotency-Key.',
  ],
  InvitationSettled: ['The invitation was accepted already.', 'Remove the member instead.'],
  InvitationAddressDiffers: [
    'The invitation is for another e-mail address than that of the account that is signed in.',
    'Sign in with the account of that address, or ask for an invitation for yours.',
  ],
  SignInRequired: [
    'The address that was invited has an account already, and the password was not the one of it.',
    'Sign in with that account, then accept the invitation. Whoever lost the password asks the operator to reset it.',
  ],
  ApiTokenNotFound: ['There is no API token of this id in the workspace.', 'List the tokens of the workspace.'],
  ApiTokenExists: [
    'A token of this id exists with another digest.',
    'Send the request again with a new Idempotency-Key.',
  ],
} as const;
