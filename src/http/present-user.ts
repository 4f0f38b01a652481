import { type Account, confirmedAt, type Identity } from '../users/account.ts'
import { presentFactor } from './present-factor.ts'

/** A user on the wire. */
export const presentUser = (account: Account): Record<string, unknown> =>
  jsonRecord({
    id: account.id,
    aud: account.audience,
    role: account.role,
    email: account.email ?? '',
    email_confirmed_at: account.emailConfirmedAt,
    invited_at: account.invitedAt,
    phone: account.phone ?? '',
    phone_confirmed_at: account.phoneConfirmedAt,
    confirmation_sent_at: account.confirmationSentAt,
    confirmed_at: confirmedAt(account),
    recovery_sent_at: account.recoverySentAt,
    new_email: account.newEmail,
    email_change_sent_at: account.emailChangeSentAt,
    new_phone: account.newPhone,
    phone_change_sent_at: account.phoneChangeSentAt,
    reauthentication_sent_at: account.reauthenticationSentAt,
    last_sign_in_at: account.lastSignInAt,
    app_metadata: account.appMetadata,
    user_metadata: account.userMetadata,
    factors: account.factors.length === 0 ? null : account.factors.map(presentFactor),
    identities: account.identities.map(presentIdentity),
    created_at: account.createdAt,
    updated_at: account.updatedAt,
    banned_until: account.bannedUntil,
    deleted_at: account.deletedAt,
    is_anonymous: account.isAnonymous,
  })

const presentIdentity = (identity: Identity): Record<string, unknown> =>
  jsonRecord({
    identity_id: identity.id,
    id: identity.subject,
    user_id: identity.userId,
    identity_data: identity.identityData,
    provider: identity.provider,
    last_sign_in_at: identity.lastSignInAt,
    created_at: identity.createdAt,
    updated_at: identity.updatedAt,
    email: emailOf(identity),
  })

function emailOf({ identityData }: Identity): string | null {
  const { email } = identityData
  return typeof email === 'string' && email !== '' ? email.toLowerCase() : null
}

/**
 * A record as JSON is to have it. What a user does not have is not there on the wire, and JSON leaves out
 * what is undefined; instants are made text here, since JSON.stringify takes its time to ask them.
 */
function jsonRecord(record: Record<string, unknown>): Record<string, unknown> {
  for (const name of Object.keys(record)) {
    const value = record[name]
    record[name] = value instanceof Date ? value.toISOString() : (value ?? undefined)
  }
  return record
}
