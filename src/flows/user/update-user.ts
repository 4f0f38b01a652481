import { auditRows } from '../../audit/audit-row.ts'
import { insertAuditEntries } from '../../audit/insert-audit-entries.sql.ts'
import type { AuthContext } from '../../deps.ts'
import { conflict, validationFailed } from '../../errors/request-errors.ts'
import {
  currentPasswordInvalid,
  currentPasswordRequired,
  reauthenticationNeeded,
  reauthenticationNotValid,
  samePassword,
} from '../../passwords/password-errors.ts'
import { requireStrongPassword } from '../../passwords/password-policy.ts'
import type { Caller } from '../../steps/authenticate-caller.ts'
import { changePassword } from '../../steps/change-password.ts'
import type { Account } from '../../users/account.ts'
import { readEmail, readPhone } from '../../users/addresses.ts'
import { findById } from '../../users/find-account.sql.ts'
import { lockUser } from '../../users/lock-user.ts'
import { mergeMetadata } from '../../users/metadata.ts'
import { requireFreeAddresses } from '../../users/require-free-addresses.ts'
import { notAdmin, subjectNotFound } from '../../users/user-errors.ts'

export interface UserUpdate {
  email?: string | undefined
  phone?: string | undefined
  password?: string | undefined
  currentPassword?: string | undefined
  nonce?: string | undefined
  /** Merged into the user's metadata; null removes a key. */
  data?: Record<string, unknown> | undefined
  appMetadata?: Record<string, unknown> | undefined
}

/** A password change that is allowed: the hash that it replaces, and the one that it sets. */
interface PasswordChange {
  from: string | null
  to: string
}

/**
 * Changes the signed-in user's own password and metadata.
 *
 * A new password ends all other sessions and voids every link and code.
 *
 * @throws AuthError `weak_password`, `same_password`, `email_exists`, `phone_exists` (422),
 *   `current_password_required`, `current_password_invalid`, `reauthentication_needed` (400),
 *   `reauthentication_not_valid` (422), `not_admin` (403), `validation_failed` (400).
 */
export async function updateUser(
  ctx: AuthContext,
  caller: Caller,
  update: UserUpdate,
): Promise<Account> {
  await checkUpdate(ctx, caller, update)
  const change = await preparePasswordChange(ctx, caller, update)

  return ctx.transaction(async (tx) => {
    const user = await lockUser(tx.em, caller.account.id)
    if (!user) throw subjectNotFound()
    if (change) {
      if (user.passwordHash !== change.from) throw conflict('The password was changed meanwhile')
      await changePassword(tx, user, change.to, caller.session?.id ?? null)
    }
    if (update.data) user.userMetadata = mergeMetadata(user.userMetadata, update.data)
    user.updatedAt = ctx.clock.now()
    await tx.em.flush()

    const actorId = user.id
    const changed = change ? [{ action: 'user_updated_password', actorId } as const] : []
    const rows = auditRows(ctx, ...changed, { action: 'user_modified', actorId })
    await insertAuditEntries(tx.sql, rows)
    const updated = await findById(tx.sql, user.id)
    if (!updated) throw subjectNotFound()
    return updated.account
  })
}

async function checkUpdate(
  ctx: AuthContext,
  { account }: Caller,
  update: UserUpdate,
): Promise<void> {
  const email = update.email ? readEmail(update.email).value : account.email
  const phone = update.phone ? readPhone(update.phone).value : account.phone
  if (update.password !== undefined) requireStrongPassword(ctx.config.passwords, update.password)
  if (update.appMetadata) throw notAdmin('Updating app_metadata requires admin privileges')
  if (email === account.email && phone === account.phone) return

  await requireFreeAddresses(ctx.sql, account, { email, phone })
  // A new address has to be confirmed by a message, and none is sent yet.
  throw validationFailed(`${email === account.email ? 'phone' : 'email'}: cannot be changed yet`)
}

async function preparePasswordChange(
  ctx: AuthContext,
  { account, session }: Caller,
  { password, currentPassword, nonce }: UserUpdate,
): Promise<PasswordChange | null> {
  if (password === undefined) return null
  const { requireReauthentication, requireCurrentPassword } = ctx.config.security.passwordUpdate
  if (requireReauthentication) {
    if (!nonce) throw reauthenticationNeeded()
    // Nothing sends a nonce yet, so none can be right.
    throw reauthenticationNotValid()
  }
  const found = await findById(ctx.sql, account.id)
  const current = found?.passwordHash ?? null
  if (current !== null) {
    // Who came by a code or link has forgotten the password, and has just proved the address.
    const cameByCode = session?.amr.some(({ method }) => method === 'otp') ?? false
    if (requireCurrentPassword && !cameByCode) {
      if (!currentPassword) throw currentPasswordRequired()
      if (!(await ctx.passwords.verify(current, currentPassword))) throw currentPasswordInvalid()
    }
    if (await ctx.passwords.verify(current, password)) throw samePassword()
  }
  return { from: current, to: await ctx.passwords.hash(password) }
}
