import type { AuthContext } from '../../accounts/auth-context.ts'
import { findOwners } from '../../accounts/users/find-owners.sql.ts'
import { uniqueValuesOf } from '../../accounts/users/first-records.ts'
import { findImportedUsers } from '../../accounts/users/imported-users.sql.ts'
import type { User } from '../../accounts/users/user.ts'
import type { Config } from '../../platform/config/config.ts'
import { findExcess, findObstacle } from './classify-user.ts'
import { fingerprintOf, type ReadUser } from './read-user.ts'

/**
 * Returns rejected changes of imported users without the values that cannot be stored here, by the
 * rejected ones. Password, ban, deletion, factors and removed identities are applied in any case:
 * access that was revoked at the source must not remain valid here.
 *
 * @param accepted the changes that are stored together with these.
 */
export async function reduceChanges(
  { sql, config }: Pick<AuthContext, 'sql' | 'config'>,
  rejected: readonly ReadUser[],
  accepted: readonly ReadUser[],
): Promise<Map<ReadUser, ReadUser>> {
  const reduced = new Map<ReadUser, ReadUser>()
  if (rejected.length === 0) return reduced
  const users = rejected.map(({ moved }) => moved.user)
  const stored = await findImportedUsers(
    sql,
    users.map(({ id }) => id),
  )
  const owners = await findOwners(sql, users)
  const valuesOf = (user: User) => uniqueValuesOf(user).map(({ value }) => value)
  const taken = new Set(accepted.flatMap(({ moved }) => valuesOf(moved.user)))
  const isFree = (user: User) =>
    findObstacle(user, owners, { isNew: false }) === null &&
    owners.reclaimableBy(user) === 0 &&
    !valuesOf(user).some((value) => taken.has(value))
  for (const read of rejected) {
    const before = stored.get(read.moved.user.id)
    if (!before) continue
    const user = reduceChange(config, { after: read.moved.user, before }, isFree)
    const moved = { ...read.moved, user }
    const fingerprint = fingerprintOf(moved, read.factors, read.passkeys)
    reduced.set(read, { ...read, moved, fingerprint })
    for (const value of valuesOf(user)) taken.add(value)
  }
  return reduced
}

/** Returns the addresses of a user, and the state of their changes. */
const addressesOf = (user: User): Partial<User> => ({
  email: user.email,
  emailConfirmedAt: user.emailConfirmedAt,
  newEmail: user.newEmail,
  phone: user.phone,
  phoneConfirmedAt: user.phoneConfirmedAt,
  newPhone: user.newPhone,
})

/** The values that may exceed a limit, each applied where it can be stored. */
const limited: ((user: User) => Partial<User>)[] = [
  ({ userMetadata }) => ({ userMetadata }),
  ({ appMetadata }) => ({ appMetadata }),
  ({ role }) => ({ role }),
  ({ audience }) => ({ audience }),
]

/** The values that another user may have. Identities contain addresses, so they follow these. */
const unique: ((user: User) => Partial<User>)[] = [
  addressesOf,
  (user) => ({ ...addressesOf(user), identities: user.identities }),
]

function reduceChange(
  config: Pick<Config, 'security'>,
  { after, before }: { after: User; before: User },
  isFree: (user: User) => boolean,
): User {
  const isAtSource = ({ id, provider, subject }: User['identities'][number]) =>
    after.identities.some(
      (one) => one.id === id || (one.provider === provider && one.subject === subject),
    )
  let user: User = {
    ...after,
    ...Object.assign({}, ...[...limited, ...unique].map((valuesOf) => valuesOf(before))),
    identities: before.identities.filter(isAtSource),
  }
  const apply = (values: Partial<User>, isAllowed: (candidate: User) => boolean) => {
    const candidate = { ...user, ...values }
    if (findExcess(config, candidate, before) === null && isAllowed(candidate)) user = candidate
  }
  for (const valuesOf of limited) apply(valuesOf(after), () => true)
  for (const valuesOf of unique) apply(valuesOf(after), isFree)
  return user
}
