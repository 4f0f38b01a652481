import type { Owners } from '../../accounts/users/find-owners.sql.ts'
import type { ImportedState } from '../../accounts/users/imported-users.sql.ts'
import { requireMetadataFits } from '../../accounts/users/metadata.ts'
import { maxIdentities, type User } from '../../accounts/users/user.ts'
import {
  emailExists,
  identityExists,
  phoneExists,
  tooManyIdentities,
  userIdExists,
} from '../../accounts/users/user-errors.ts'
import type { Config } from '../../platform/config/config.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { requireIndexable } from '../../platform/kit/storable-text.ts'

/** The operation that a user requires. */
export type Verdict = 'add' | 'update' | 'unchanged' | 'changed here' | 'deleted here'

/**
 * Classifies a user of the source. A user that was never imported is new. Later changes at the
 * source are applied until the user is changed here.
 */
export function classifyUser(fingerprint: string, state: ImportedState | undefined): Verdict {
  if (!state) return 'add'
  if (!state.isThere) return 'deleted here'
  if (!state.isUntouched) return 'changed here'
  return state.fingerprint === fingerprint ? 'unchanged' : 'update'
}

/**
 * Returns the rejection of a user whose metadata, identities or indexed texts exceed the limit, or
 * who has an identity twice; null for any other. One such user would fail the whole batch.
 *
 * @param before the stored user, whose metadata may be larger than the limit.
 */
export function findExcess(
  config: Pick<Config, 'security'>,
  user: User,
  before?: User,
): AuthError | null {
  const { identities } = user
  if (identities.length > maxIdentities) return tooManyIdentities()
  const subjects = new Set(identities.map(({ provider, subject }) => `${provider}\0${subject}`))
  const ids = new Set(identities.map(({ id }) => id))
  if (Math.min(subjects.size, ids.size) < identities.length) return identityExists()
  try {
    for (const [field, text] of indexedTexts(user)) requireIndexable(text, field)
    requireMetadataFits(config, user, before)
    return null
  } catch (error) {
    if (error instanceof AuthError) return error
    throw error
  }
}

const indexedTexts = (user: User): [field: string, text: unknown][] => [
  ['aud', user.audience],
  ['role', user.role],
  ['email', user.email],
  ['phone', user.phone],
  ['email_change', user.newEmail],
  ['phone_change', user.newPhone],
  ...user.identities.flatMap(({ provider, subject, identityData }): [string, unknown][] => [
    ['identities.provider', provider],
    ['identities.provider_id', subject],
    ['identities.email', identityData['email']],
  ]),
]

/**
 * Returns whether a reclaimable account has an address of a user. Users of single sign-on may have
 * the address of another user.
 */
export const needsRoom = (owners: Owners, user: User): boolean =>
  !user.isSsoUser && owners.reclaimableBy(user) > 0

/**
 * Returns the rejection of a user whose address, id or identity another user has; null if there is
 * none.
 */
export function findObstacle(
  user: User,
  owners: Owners,
  { isNew }: { isNew: boolean },
): AuthError | null {
  const belongsToOtherUser = (owner: string | undefined) => owner !== undefined && owner !== user.id
  if (isNew && owners.hasId(user.id)) return userIdExists()
  // Users of single sign-on may have the address of another user.
  if (!user.isSsoUser && belongsToOtherUser(owners.ofEmail(user.email))) return emailExists()
  if (!user.isSsoUser && belongsToOtherUser(owners.ofPhone(user.phone))) return phoneExists()
  // Its provider and subject may be the user's own, and its id that of another user's row.
  const isTaken = user.identities.some((identity) =>
    [owners.ofIdentity(identity), owners.ofIdentityId(identity.id)].some(belongsToOtherUser),
  )
  return isTaken ? identityExists() : null
}
