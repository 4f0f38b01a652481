import { wireInstant } from '../kit/instant.ts'
import type { Account } from '../users/account.ts'
import { type AccountRow, type IdentityRow, toAccountRow, toFactor } from '../users/account-row.ts'
import { presentFactor } from './present-factor.ts'

/** A user on the wire. */
export const presentUser = (account: Account): Record<string, unknown> =>
  presentUserRow(toAccountRow(account))

/**
 * The same of a user as read from the database, whose instants are text there already: to make dates of
 * them and text again takes a tenth of a request's time. What a user does not have is not there on the
 * wire, and JSON leaves out what is undefined.
 */
export const presentUserRow = (user: AccountRow): Record<string, unknown> => ({
  id: user.id,
  aud: user.audience,
  role: user.role,
  email: user.email ?? '',
  email_confirmed_at: instantIn(user.email_confirmed_at),
  invited_at: instantIn(user.invited_at),
  phone: user.phone ?? '',
  phone_confirmed_at: instantIn(user.phone_confirmed_at),
  confirmation_sent_at: instantIn(user.confirmation_sent_at),
  confirmed_at: confirmedAt(user),
  recovery_sent_at: instantIn(user.recovery_sent_at),
  new_email: user.new_email ?? undefined,
  email_change_sent_at: instantIn(user.email_change_sent_at),
  new_phone: user.new_phone ?? undefined,
  phone_change_sent_at: instantIn(user.phone_change_sent_at),
  reauthentication_sent_at: instantIn(user.reauthentication_sent_at),
  last_sign_in_at: instantIn(user.last_sign_in_at),
  app_metadata: user.app_metadata,
  user_metadata: user.user_metadata,
  factors: user.factors.length === 0 ? undefined : user.factors.map(toFactor).map(presentFactor),
  identities: user.identities.map(presentIdentity),
  created_at: wireInstant(user.created_at),
  updated_at: wireInstant(user.updated_at),
  banned_until: instantIn(user.banned_until),
  deleted_at: instantIn(user.deleted_at),
  is_anonymous: user.is_anonymous,
})

const presentIdentity = (identity: IdentityRow): Record<string, unknown> => ({
  identity_id: identity.id,
  id: identity.subject,
  user_id: identity.user_id,
  identity_data: identity.identity_data,
  provider: identity.provider,
  last_sign_in_at: instantIn(identity.last_sign_in_at),
  created_at: wireInstant(identity.created_at),
  updated_at: wireInstant(identity.updated_at),
  email: emailOf(identity),
})

/** From when on the account had a proved address. Two instants on the wire compare as text. */
function confirmedAt(user: AccountRow): string | undefined {
  const email = instantIn(user.email_confirmed_at)
  const phone = instantIn(user.phone_confirmed_at)
  if (email === undefined || phone === undefined) return email ?? phone
  return email < phone ? email : phone
}

const instantIn = (text: string | null): string | undefined =>
  text === null ? undefined : wireInstant(text)

function emailOf({ identity_data: { email } }: IdentityRow): string | undefined {
  return typeof email === 'string' && email !== '' ? email.toLowerCase() : undefined
}
