import type { ImportedState } from '../../accounts/users/find-imported.sql.ts'
import type { Owners } from '../../accounts/users/find-owners.sql.ts'
import { requireMetadataFits } from '../../accounts/users/metadata.ts'
import type { User } from '../../accounts/users/user.ts'
import {
  emailExists,
  identityExists,
  phoneExists,
  userIdExists,
} from '../../accounts/users/user-errors.ts'
import type { Config } from '../../platform/config/config.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'

/** What has to be done about a user. */
export type Verdict = 'add' | 'update' | 'unchanged' | 'changed here' | 'deleted here'

/**
 * Who was never brought over is new. Of the others, news is taken over until somebody changes the user
 * here: from then on they live here.
 */
export function classifyUser(fingerprint: string, state: ImportedState | undefined): Verdict {
  if (!state) return 'add'
  if (!state.isThere) return 'deleted here'
  if (!state.isUntouched) return 'changed here'
  return state.fingerprint === fingerprint ? 'unchanged' : 'update'
}

/** Why a user is not stored who brings more metadata than is allowed; null for any other. */
export function findExcess(config: Pick<Config, 'security'>, user: User): AuthError | null {
  try {
    requireMetadataFits(config, user)
    return null
  } catch (error) {
    if (error instanceof AuthError) return error
    throw error
  }
}

/** Why a user cannot be stored; null where nobody else has what they want. */
export function findObstacle(
  user: User,
  owners: Owners,
  { isNew }: { isNew: boolean },
): AuthError | null {
  const belongsToOtherUser = (owner: string | undefined) => owner !== undefined && owner !== user.id
  if (isNew && owners.hasId(user.id)) return userIdExists()
  // Users of single sign-on may share their addresses with others.
  if (!user.isSsoUser && belongsToOtherUser(owners.ofEmail(user.email))) return emailExists()
  if (!user.isSsoUser && belongsToOtherUser(owners.ofPhone(user.phone))) return phoneExists()
  const isTaken = user.identities.some((identity) =>
    belongsToOtherUser(owners.ofIdentity(identity)),
  )
  return isTaken ? identityExists() : null
}
