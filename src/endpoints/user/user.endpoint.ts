import { fields, Metadata, Text } from '../../platform/http/inputs.ts'
import { type Endpoint, messageErrors } from '../http/endpoint.ts'
import { limit, user, userOrClient } from '../http/guards.ts'
import { codeChallengeFields, type LinkOptions } from '../http/link-options.ts'

export interface UpdateOwnUserInput extends LinkOptions {
  accessToken: string
  /** Becomes the user's email once the mailed links or codes confirm it. */
  email?: string | undefined
  /** In E.164. Becomes the user's phone once the code that is sent to it is verified. */
  phone?: string | undefined
  /** The channel to a new phone: `sms`, the default, or `whatsapp`. */
  channel?: string | undefined
  /**
   * A name to sign in with, in addition to an address, where the configuration enables user names.
   */
  username?: string | undefined
  password?: string | undefined
  /** The present password, where the configuration requires it. */
  currentPassword?: string | undefined
  /** The code that `reauthenticate` sent, where the configuration requires it. */
  nonce?: string | undefined
  /** Merged into the user's metadata; null removes a key. */
  data?: Record<string, unknown> | undefined
}

export interface DeleteOwnUserInput {
  accessToken: string
  /** The password, of a user who has one. */
  password?: string | undefined
  /** The code that `reauthenticate` sent. */
  nonce?: string | undefined
}

export const getUserEndpoint = {
  method: 'GET',
  path: '/user',
  summary: 'Returns the signed-in user.',
  inCode: 'auth.api.getUser',
  guards: [userOrClient],
  needsRecentProof: false,
  answers: { 200: 'User' },
  errors: [],
} as const satisfies Endpoint

export const updateUserEndpoint = {
  method: 'PUT',
  path: '/user',
  summary: 'Changes the signed-in user.',
  inCode: 'auth.api.updateUser',
  guards: [user, limit('update_user')],
  needsRecentProof: true,
  query: { redirectTo: Text },
  body: fields({
    email: Text,
    phone: Text,
    channel: Text,
    username: Text,
    password: Text,
    currentPassword: Text,
    nonce: Text,
    data: Metadata,
    // Only for operators, who have another endpoint.
    appMetadata: Metadata,
    ...codeChallengeFields,
  }),
  answers: { 200: 'User' },
  errors: [
    ...messageErrors,
    'address_too_new',
    'conflict',
    'current_password_invalid',
    'current_password_required',
    'email_exists',
    'insufficient_aal',
    'not_admin',
    'over_request_rate_limit',
    'phone_exists',
    'reauthentication_needed',
    'reauthentication_not_valid',
    'same_password',
    'user_sso_managed',
    'username_exists',
    'weak_password',
  ],
  conditions: {
    over_request_rate_limit: 'after too many wrong passwords',
  },
} as const satisfies Endpoint<UpdateOwnUserInput & { appMetadata?: Record<string, unknown> }>

export const deleteOwnUserEndpoint = {
  method: 'DELETE',
  path: '/user',
  summary: 'Erases the signed-in user.',
  inCode: 'auth.api.deleteUser',
  existsIf: ({ security }) => security.ownDeletionEnabled,
  guards: [user, limit('delete_user')],
  needsRecentProof: false,
  body: fields({ password: Text, nonce: Text }),
  isBodyOptional: true,
  answers: { 200: 'Empty' },
  errors: [
    'address_too_new',
    'conflict',
    'insufficient_aal',
    'invalid_credentials',
    'over_request_rate_limit',
    'reauthentication_needed',
    'reauthentication_not_valid',
  ],
  conditions: {
    address_too_new: 'for a user without a password to whom no nonce can be sent yet',
    over_request_rate_limit: 'after too many wrong passwords',
    reauthentication_needed:
      'without password and nonce; with 403 for a user who has neither password nor confirmed address, and whose sign-in is not recent',
  },
} as const satisfies Endpoint<DeleteOwnUserInput>
