import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { requireShort } from '../../kit/require-short.ts'
import { requireImportableHash } from '../../passwords/importable-hash.ts'
import { requireHashablePassword } from '../../passwords/password-policy.ts'
import type { Admin } from '../../steps/authenticate-admin.ts'
import { operatorsTurn } from '../../steps/hashing-turn.ts'
import type { Account } from '../../users/account.ts'
import { readEmail, readPhone } from '../../users/addresses.ts'
import { findTaken } from '../../users/find-taken.sql.ts'
import { insertAccount } from '../../users/insert-account.sql.ts'
import { requireMetadataFits } from '../../users/metadata.ts'
import { type NewAddress, newAccount } from '../../users/new-account.ts'
import { readBan } from '../../users/read-ban.ts'
import { readUserId } from '../../users/read-user-id.ts'
import { emailExists, phoneExists, userIdExists } from '../../users/user-errors.ts'
import type { NewUser } from './user-input.ts'

/**
 * Makes a user in the name of an operator: no message goes out, and the rules for new passwords do
 * not hold. Without a password the user has none.
 *
 * @throws AuthError `validation_failed` (400, or 422 for metadata that is too large), `email_exists`, `phone_exists` (422).
 */
export async function createUser(ctx: AuthContext, admin: Admin, input: NewUser): Promise<Account> {
  const now = ctx.clock.now()
  const account: Account = {
    ...newAccount(
      { random: ctx.random, now },
      {
        ...(input.id && { id: readUserId(input.id) }),
        addresses: readAddresses(input),
        audience: requireShort(input.audience ?? '', 'aud') || ctx.request.audience,
        role: requireShort(input.role?.trim() ?? '', 'role') || ctx.config.jwt.defaultRole,
        appMetadata: input.appMetadata ?? {},
        userMetadata: readUserMetadata(input),
      },
    ),
    bannedUntil: readBan(input.banDuration, now) ?? null,
  }
  requireMetadataFits(ctx.config, account)
  const passwordHash = await readPasswordHash(ctx, input)
  const note = auditNote(ctx, {
    action: 'user_signedup',
    actorRole: admin.role,
    userId: account.id,
    traits: { provider: account.appMetadata['provider'] },
  })
  const stored = await insertAccount(ctx.sql, {
    account,
    passwordHash,
    registration: null,
    auditRows: note.rows,
  })
  if (!stored) throw await explainConflict(ctx, account)
  note.log()
  return account
}

function readAddresses({ email, phone, emailConfirm, phoneConfirm }: NewUser): NewAddress[] {
  const addresses: NewAddress[] = []
  if (email) addresses.push({ ...readEmail(email), confirmed: emailConfirm ?? false })
  if (phone) addresses.push({ ...readPhone(phone), confirmed: phoneConfirm ?? false })
  if (addresses.length > 0) return addresses
  throw validationFailed('email: Cannot create a user without either an email or phone')
}

/** A confirmed address shows in the metadata, as it does once a user confirms it. */
const readUserMetadata = ({ userMetadata, email, emailConfirm }: NewUser) => ({
  ...userMetadata,
  ...(email && emailConfirm && { email_verified: true }),
})

async function readPasswordHash(ctx: AuthContext, input: NewUser): Promise<string | null> {
  const { password, passwordHash } = input
  if (password !== undefined && passwordHash) {
    throw validationFailed('password: Only a password or a password hash should be provided')
  }
  if (passwordHash) {
    const importable = requireImportableHash(passwordHash)
    void ctx.passwords.learn(async () => [importable])
    return importable
  }
  if (!password) return null
  requireHashablePassword(password)
  return ctx.passwords.hash(password, operatorsTurn(ctx))
}

async function explainConflict(ctx: AuthContext, account: Account): Promise<Error> {
  const taken = await findTaken(ctx.sql, account)
  if (taken.email) return emailExists()
  if (taken.phone) return phoneExists()
  return userIdExists()
}
