import { isDeepStrictEqual } from 'node:util'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { findOwners } from '../../accounts/users/find-owners.sql.ts'
import { uniqueValuesOf } from '../../accounts/users/first-records.ts'
import { findImportedUsers } from '../../accounts/users/imported-users.sql.ts'
import { hasAddress, isAddressIdentity, type User } from '../../accounts/users/user.ts'
import type { Config } from '../../platform/config/config.ts'
import { findExcess, findObstacle, needsRoom } from './classify-user.ts'
import { fingerprintOf, type ReadUser } from './read-user.ts'

/** Rejected changes without the values that cannot be stored here. */
export interface ReducedChanges {
  /** The keys are the rejected changes. */
  reducedByOriginal: Map<ReadUser, ReadUser>
  /** Reduced changes with an address of an account that has to be deleted first. */
  needRoom: Set<ReadUser>
}

/**
 * Reduces rejected changes of imported users to the values that can be stored. Password, ban,
 * deletion, factors, removed or replaced addresses, removed identities, and removed or changed keys
 * of `app_metadata` are applied in any case: access that was revoked at the source must not remain
 * valid here.
 *
 * @param accepted the changes that are stored together with these.
 */
export async function reduceChanges(
  ctx: Pick<AuthContext, 'sql' | 'clock' | 'config'>,
  rejected: readonly ReadUser[],
  accepted: readonly ReadUser[],
): Promise<ReducedChanges> {
  const reduced: ReducedChanges = { reducedByOriginal: new Map(), needRoom: new Set() }
  if (rejected.length === 0) return reduced
  const users = rejected.map(({ moved }) => moved.user)
  const stored = await findImportedUsers(
    ctx.sql,
    users.map(({ id }) => id),
  )
  const owners = await findOwners(ctx, users)
  const valuesOf = (user: User) => uniqueValuesOf(user).map(({ value }) => value)
  const taken = new Set(accepted.flatMap(({ moved }) => valuesOf(moved.user)))
  const isFree = (user: User) =>
    findObstacle(user, owners, { isNew: false }) === null &&
    !valuesOf(user).some((value) => taken.has(value))
  for (const read of rejected) {
    const before = stored.get(read.moved.user.id)
    if (!before) continue
    const user = reduceChange(ctx.config, { after: read.moved.user, before }, isFree)
    const moved = { ...read.moved, user }
    const fingerprint = fingerprintOf(moved, read.factors, read.passkeys)
    const change = { ...read, moved, fingerprint }
    reduced.reducedByOriginal.set(read, change)
    if (needsRoom(owners, user)) reduced.needRoom.add(change)
    for (const value of valuesOf(user)) taken.add(value)
  }
  return reduced
}

/**
 * The kind of a user depends on the addresses: one of single sign-on may share them, and an
 * anonymous one has none.
 */
const kindOf = ({ isSsoUser, isAnonymous }: User): Partial<User> => ({ isSsoUser, isAnonymous })

const emailOf = (user: User): Partial<User> => ({
  ...kindOf(user),
  email: user.email,
  emailConfirmedAt: user.emailConfirmedAt,
  newEmail: user.newEmail,
})

const phoneOf = (user: User): Partial<User> => ({
  ...kindOf(user),
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
  emailOf,
  phoneOf,
  (user) => ({ ...emailOf(user), ...phoneOf(user), identities: user.identities }),
]

/**
 * Returns the null values of an address that the source removed or replaced, of its confirmation
 * and of a pending change that it removed. A replaced address may belong to another person now, so
 * it does not stay, even if the new one cannot be stored and the user has no other way to sign in.
 */
function revokedOf(kind: 'email' | 'phone', after: User, before: User): Partial<User> {
  const confirmedAt = `${kind}ConfirmedAt` as const
  const pending = kind === 'email' ? 'newEmail' : 'newPhone'
  const isReplaced = after[kind] !== before[kind]
  return {
    ...(isReplaced && { [kind]: null }),
    ...((isReplaced || after[confirmedAt] === null) && { [confirmedAt]: null }),
    ...(after[pending] === null && { [pending]: null }),
  }
}

/** Returns the metadata without the top-level keys that the source removed or changed. */
const withEqualKeys = (after: Metadata, before: Metadata): Metadata =>
  Object.fromEntries(
    Object.entries(before).filter(
      ([key, value]) => Object.hasOwn(after, key) && isDeepStrictEqual(after[key], value),
    ),
  )

type Metadata = User['appMetadata']

/** Returns whether an identity is that of an address that the user has, or of a provider. */
const isOfUser =
  (user: User) =>
  (identity: User['identities'][number]): boolean =>
    !isAddressIdentity(identity) || user[identity.provider] !== null

function reduceChange(
  config: Pick<Config, 'security'>,
  { after, before }: { after: User; before: User },
  isFree: (user: User) => boolean,
): User {
  // A provider may have changed the subject of an identity with the same id.
  const isAtSource = ({ provider, subject }: User['identities'][number]) =>
    after.identities.some((one) => one.provider === provider && one.subject === subject)
  let user: User = {
    ...after,
    ...Object.assign({}, ...[...limited, emailOf, phoneOf].map((valuesOf) => valuesOf(before))),
    ...revokedOf('email', after, before),
    ...revokedOf('phone', after, before),
    appMetadata: withEqualKeys(after.appMetadata, before.appMetadata),
    identities: before.identities.filter(isAtSource),
  }
  const apply = (values: Partial<User>, isAllowed: (candidate: User) => boolean) => {
    const candidate = { ...user, ...values }
    if (findExcess(config, candidate, before) === null && isAllowed(candidate)) user = candidate
  }
  for (const valuesOf of limited) apply(valuesOf(after), () => true)
  // Without its new address, an anonymous user stays one.
  const isOfKind = (one: User) =>
    one.isAnonymous || !before.isAnonymous || hasAddress(one) || one.identities.length > 0
  for (const valuesOf of unique) apply(valuesOf(after), (one) => isFree(one) && isOfKind(one))
  return { ...user, identities: user.identities.filter(isOfUser(user)) }
}
