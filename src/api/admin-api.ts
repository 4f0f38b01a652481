import { object } from 'superstruct'
import type { Deps } from '../deps.ts'
import { createUser } from '../flows/admin-users/create-user.ts'
import { requireUserById } from '../flows/admin-users/require-user-by-id.ts'
import { updateUser } from '../flows/admin-users/update-user.ts'
import { Flag, Metadata, Text } from '../http/inputs.ts'
import type { Account } from '../users/account.ts'
import { type CallOptions, openCall } from './call-options.ts'
import { readInput } from './read-input.ts'

/** What an operator may change of a user. */
export interface AdminUserChanges {
  role?: string | undefined
  email?: string | undefined
  phone?: string | undefined
  password?: string | undefined
  /** Counts the address as proved. */
  emailConfirm?: boolean | undefined
  phoneConfirm?: boolean | undefined
  userMetadata?: Record<string, unknown> | undefined
  appMetadata?: Record<string, unknown> | undefined
  /** A duration such as `24h` or `1h30m`; `none` lifts a ban. */
  banDuration?: string | undefined
}

/** A new user. At least one of `email` and `phone` is given. */
export interface AdminNewUser extends AdminUserChanges {
  /** A UUID; random when left out. */
  id?: string | undefined
  /** Default: the service's own. */
  audience?: string | undefined
  /** The hash of a password that another service stored (argon2, PHC string), instead of the password. */
  passwordHash?: string | undefined
}

/**
 * What operators do, called from code. To hold this object is to be an operator: no token is asked
 * for. Every method throws `AuthError` with the code of the wire.
 */
export interface AdminApi {
  /** No message goes out. Errors: `email_exists`, `phone_exists`, `validation_failed`. */
  createUser(input: AdminNewUser, options?: CallOptions): Promise<Account>
  /** Errors: `user_not_found`, `validation_failed` for what is no UUID. */
  getUser(userId: string, options?: CallOptions): Promise<Account>
  /** Metadata is merged. Errors: those of both above, `weak_password`. */
  updateUser(userId: string, changes: AdminUserChanges, options?: CallOptions): Promise<Account>
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
const Changes = object(changes)
const NewUser = object({ ...changes, id: Text, audience: Text, passwordHash: Text })

/** Who acts, in the audit log, when the host's own code does. */
const hostCode = { role: 'host' }

/** @internal */
export const createAdminApi = (deps: Deps): AdminApi => ({
  createUser: async (input, options) =>
    createUser(openCall(deps, options), hostCode, readInput(input, NewUser)),
  getUser: async (userId, options) => requireUserById(openCall(deps, options), userId),
  updateUser: async (userId, input, options) =>
    updateUser(openCall(deps, options), hostCode, userId, readInput(input, Changes)),
})
