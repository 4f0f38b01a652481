import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { requireStrongPassword } from '../../passwords/password-policy.ts'
import type { Admin } from '../../steps/authenticate-admin.ts'
import { withLockedUser } from '../../steps/with-locked-user.ts'
import type { Account } from '../../users/account.ts'
import { readEmail, readPhone } from '../../users/addresses.ts'
import { findById } from '../../users/find-account.sql.ts'
import { readBan } from '../../users/read-ban.ts'
import { requireFreeAddresses } from '../../users/require-free-addresses.ts'
import { saveAccount } from '../../users/save-account.sql.ts'
import { userNotFound } from '../../users/user-errors.ts'
import { changedAccount } from './changed-account.ts'
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
  const addresses = [email, phone].filter((address) => address !== null)
  const read = { addresses, bannedUntil, passwordHash }

  const note = auditNote(ctx, { action: 'user_modified', actorRole: admin.role, userId })
  const updated = await withLockedUser(ctx, userId, async (tx) => {
    const before = await findById(tx.sql, userId)
    if (!before) throw userNotFound()
    const { account } = before
    if (addresses.length > 0) {
      await requireFreeAddresses(tx.sql, account, { email: email?.value, phone: phone?.value })
    }
    await saveAccount(tx.sql, {
      ...{ before, after: changedAccount(ctx, account, changes, read) },
      includesDeleted: true,
      passwordHash: passwordHash ?? before.passwordHash,
      // Whoever got in under the old password is out, and what was sent before, be it to an old
      // address, must not open the account.
      endsSessions: passwordHash === null ? null : { except: null },
      voidsTokens: passwordHash !== null || addresses.length > 0,
      auditRows: note.rows,
    })
    return requireUserById(tx, userId)
  })
  note.log()
  return updated
}
