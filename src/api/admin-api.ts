import { object } from 'superstruct'
import type { Deps } from '../deps.ts'
import { createUser } from '../flows/admin-users/create-user.ts'
import { requireUserById } from '../flows/admin-users/require-user-by-id.ts'
import { updateUser } from '../flows/admin-users/update-user.ts'
import type { NewUser, UserChanges } from '../flows/admin-users/user-input.ts'
import { Flag, Metadata, Text } from '../http/inputs.ts'
import type { Account } from '../users/account.ts'
import { type CallOptions, openCall } from './call-options.ts'
import { readInput } from './read-input.ts'

/**
 * What operators do, called from code. To hold this object is to be an operator: no token is asked
 * for. Every method throws `AuthError` with the code of the wire.
 */
export interface AdminApi {
  /** No message goes out. Errors: `email_exists`, `phone_exists`, `validation_failed`. */
  createUser(input: NewUser, options?: CallOptions): Promise<Account>
  /** Errors: `user_not_found`, `validation_failed` for what is no UUID. */
  getUser(userId: string, options?: CallOptions): Promise<Account>
  /** Metadata is merged. Errors: those of both above, `weak_password`. */
  updateUser(userId: string, changes: UserChanges, options?: CallOptions): Promise<Account>
}

const changes = {
  role: Text,
  email: Text,
  phone: Text,
  password: Text,
  emailConfirm: Flag,
  phoneConfirm: Flag,
  userMetadata: Metadata,
  appMetadata: Metadata,
  banDuration: Text,
}
const ChangesInput = object(changes)
const NewUserInput = object({ ...changes, id: Text, audience: Text, passwordHash: Text })

/** Who acts, in the audit log, when the host's own code does. */
const hostCode = { role: 'host' }

/** @internal */
export const createAdminApi = (deps: Deps): AdminApi => ({
  createUser: async (input, options) =>
    createUser(openCall(deps, options), hostCode, readInput(input, NewUserInput)),
  getUser: async (userId, options) => requireUserById(openCall(deps, options), userId),
  updateUser: async (userId, input, options) =>
    updateUser(openCall(deps, options), hostCode, userId, readInput(input, ChangesInput)),
})
