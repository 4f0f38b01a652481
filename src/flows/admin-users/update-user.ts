import { auditNote } from '../../audit/audit-note.ts'
import { insertAuditEntries } from '../../audit/insert-audit-entries.sql.ts'
import type { AuthContext } from '../../deps.ts'
import { voidOneTimeTokens } from '../../one-time-tokens/void-one-time-tokens.sql.ts'
import { requireStrongPassword } from '../../passwords/password-policy.ts'
import type { Admin } from '../../steps/authenticate-admin.ts'
import type { Account } from '../../users/account.ts'
import { readEmail, readPhone } from '../../users/addresses.ts'
import { assignAddress, confirmAddress } from '../../users/assign-address.ts'
import { lockUser } from '../../users/lock-user.ts'
import { mergeMetadata } from '../../users/metadata.ts'
import { readBan } from '../../users/read-ban.ts'
import { requireFreeAddresses } from '../../users/require-free-addresses.ts'
import { userNotFound } from '../../users/user-errors.ts'
import { replacePassword } from './replace-password.ts'
import { requireUserById } from './require-user-by-id.ts'
import type { UserChanges } from './user-input.ts'

/**
 * Changes a user in the name of an operator. Addresses change at once and no message goes out. A new
 * password ends all sessions; a ban ends none, but is enforced from the next request on.
 *
 * @throws AuthError `validation_failed` (400, or 404 for a malformed id), `user_not_found` (404),
 *   `weak_password`, `email_exists`, `phone_exists` (422).
 */
export async function updateUser(
  ctx: AuthContext,
  admin: Admin,
  userId: string,
  changes: UserChanges,
): Promise<Account> {
  await requireUserById(ctx, userId)
  const email = changes.email ? readEmail(changes.email) : null
  const phone = changes.phone ? readPhone(changes.phone) : null
  const bannedUntil = readBan(changes.banDuration, ctx.clock.now())
  if (changes.password !== undefined) requireStrongPassword(ctx.config.passwords, changes.password)
  const passwordHash =
    changes.password === undefined ? null : await ctx.passwords.hash(changes.password)

  const note = auditNote(ctx, { action: 'user_modified', actorRole: admin.role, userId })
  const updated = await ctx.transaction(async (tx) => {
    const user = await lockUser(tx.em, userId)
    if (!user) throw userNotFound()
    if (email || phone) {
      await requireFreeAddresses(tx.sql, user, { email: email?.value, phone: phone?.value })
    }

    const role = changes.role?.trim()
    if (role) user.role = role
    if (passwordHash !== null) await replacePassword(tx, user, passwordHash)
    if (email) await assignAddress(tx, user, email)
    if (phone) await assignAddress(tx, user, phone)
    // What was sent to an old address must not open the account at the new one.
    if (email || phone) await voidOneTimeTokens(tx.sql, userId)
    if (changes.emailConfirm) await confirmAddress(tx, user, 'email')
    if (changes.phoneConfirm) await confirmAddress(tx, user, 'phone')
    if (changes.appMetadata) user.appMetadata = mergeMetadata(user.appMetadata, changes.appMetadata)
    if (changes.userMetadata) {
      user.userMetadata = mergeMetadata(user.userMetadata, changes.userMetadata)
    }
    if (bannedUntil !== undefined) user.bannedUntil = bannedUntil
    user.updatedAt = ctx.clock.now()
    await tx.em.flush()

    await insertAuditEntries(tx.sql, note.rows)
    return requireUserById(tx, userId)
  })
  note.log()
  return updated
}
