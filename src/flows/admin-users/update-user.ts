import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { requireStrongPassword } from '../../passwords/password-policy.ts'
import type { Admin } from '../../steps/authenticate-admin.ts'
import { changeUser } from '../../steps/change-user.ts'
import { addressClaim } from '../../steps/give-way.ts'
import { operatorsTurn } from '../../steps/hashing-turn.ts'
import { withoutRegisteredMetadata } from '../../steps/prove-address.ts'
import { withLockedUser } from '../../steps/with-locked-user.ts'
import { readEmail, readPhone } from '../../users/addresses.ts'
import { findById, type StoredUser } from '../../users/find-user.sql.ts'
import { readBan } from '../../users/read-ban.ts'
import { contestedByOperator, isUnclaimed } from '../../users/registration.ts'
import { requireFreeAddresses } from '../../users/require-free-addresses.ts'
import type { User } from '../../users/user.ts'
import { userNotFound } from '../../users/user-errors.ts'
import type { UpdateUserInput } from './admin-users.endpoint.ts'
import { changedUser } from './changed-user.ts'
import { requireUserById } from './require-user-by-id.ts'

/**
 * Changes a user in the name of an operator. Addresses change at once and no message goes out. A new
 * password ends all sessions; a ban ends none, but is enforced from the next request on.
 *
 * @throws AuthError `validation_failed` (400, or 404 for a malformed id), `user_not_found` (404), also for a new
 *   address of somebody who was deleted softly, `weak_password`, `email_exists`, `phone_exists` (422).
 */
export async function updateUser(
  ctx: AuthContext,
  admin: Admin,
  userId: string,
  changes: UpdateUserInput,
): Promise<User> {
  await requireUserById(ctx, userId)
  const email = changes.email ? readEmail(changes.email) : null
  const phone = changes.phone ? readPhone(changes.phone) : null
  const bannedUntil = readBan(changes.banDuration, ctx.clock.now())
  if (changes.password !== undefined) await requireStrongPassword(ctx, changes.password)
  const passwordHash =
    changes.password === undefined
      ? null
      : await ctx.passwords.hash(changes.password, operatorsTurn(ctx))
  const addresses = [email, phone].filter((address) => address !== null)
  const read = { addresses, bannedUntil, passwordHash }

  const note = auditNote(ctx, { action: 'user_modified', actorRole: admin.role, userId })
  const claim = addressClaim(ctx, { actorRole: admin.role })
  const updated = await withLockedUser(ctx, userId, async (tx) => {
    const before = await findById(tx.sql, userId)
    if (!before) throw userNotFound()
    const { user } = before
    if (addresses.length > 0) {
      // Who is kept for the record alone takes an address from nobody.
      if (user.deletedAt) throw userNotFound()
      await requireFreeAddresses(tx.sql, user, { email: email?.value, phone: phone?.value })
    }
    const own = ownedBy(before, changes)
    await changeUser(tx, {
      before,
      claim,
      after: changedUser(ctx, own.user, changes, read),
      includesDeleted: true,
      passwordHash: passwordHash ?? own.passwordHash,
      registration: own.registration,
      // Whoever got in under the old password is out, and what was sent before, be it to an old
      // address, must not open the account.
      endsSessions: passwordHash === null ? null : { except: null },
      voidsTokens: passwordHash !== null || addresses.length > 0,
      auditRows: note.rows,
    })
    return requireUserById(tx, userId)
  })
  note.log()
  claim.log()
  return updated
}

/**
 * The account that an operator changes, with who brought what it holds. Where nobody has proved an address,
 * a password of the operator's makes the account the operator's own; to confirm the address that was signed up
 * with leaves that sign-up in force, unless others compete with it; any other gift competes with it.
 */
function ownedBy(stored: StoredUser, changes: UpdateUserInput): Omit<StoredUser, 'version'> {
  const { user, passwordHash, registration } = stored
  if (!isUnclaimed(stored)) return { user, passwordHash, registration }
  if (changes.emailConfirm || changes.phoneConfirm || changes.password !== undefined) {
    const isVouchedFor = changes.password === undefined && vouchesFor(stored, changes)
    return isVouchedFor || isWithoutAddress(user)
      ? { user, passwordHash, registration: null }
      : {
          user: withoutRegisteredMetadata(user, registration),
          passwordHash: null,
          registration: null,
        }
  }
  const { role, email, phone, userMetadata, appMetadata } = changes
  const isGift = [role, email, phone, userMetadata, appMetadata].some((one) => one !== undefined)
  return {
    user,
    passwordHash,
    registration: isGift ? contestedByOperator(registration, userMetadata) : registration,
  }
}

/** Whether nobody but who holds the session brought anything: somebody anonymous, to whom an operator gives an address. */
const isWithoutAddress = ({ isAnonymous, email, phone }: User): boolean =>
  isAnonymous && email === null && phone === null

/** Whether an operator confirms the one address that one client signed up with. */
const vouchesFor = ({ user, registration }: StoredUser, changes: UpdateUserInput): boolean =>
  registration?.by !== 'rivals' &&
  ((changes.emailConfirm && user.email !== null && !changes.email) ||
    (changes.phoneConfirm && user.phone !== null && !changes.phone) ||
    false)
