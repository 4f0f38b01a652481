import type { AuthContext } from '../../accounts/auth-context.ts'
import { phoneToFind } from '../../accounts/users/addresses.ts'
import type { UserWithPassword } from '../../accounts/users/find-user.sql.ts'
import { type Identity, type User, unsetFields } from '../../accounts/users/user.ts'
import { findScheme } from '../../credentials/passwords/hash-schemes.ts'
import type { Config } from '../../platform/config/config.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import { type ColumnKeys, openColumn } from './column-encryption.ts'
import type { Loss } from './import-report.ts'
import { isVerified, lacksCredential, type ReadFactor, readFactor } from './read-factors.ts'
import { type ReadPasskey, readPasskey } from './read-passkey.ts'
import { type ReadSession, readSession } from './read-sessions.ts'
import {
  type IdentityRecord,
  readSourceInstant,
  type SourceUser,
  type UserRecord,
} from './source-records.ts'

/** A user of the source in Latchkey's form, with all data. */
export interface ReadUser {
  moved: UserWithPassword
  factors: ReadFactor[]
  passkeys: ReadPasskey[]
  sessions: ReadSession[]
  /** Changes with account, password, factors or passkeys: see `hasOtherPassword`. */
  fingerprint: string
  losses: Loss[]
}

/** @throws SourceError if a column is encrypted with a missing key. */
export function readUser(ctx: AuthContext, source: SourceUser, keys: ColumnKeys): ReadUser {
  const userId = source.user.id
  const now = ctx.clock.now()
  const losses: Loss[] = []
  const lose = (what: Loss['what'], reason: string) => losses.push({ userId, what, reason })

  const { lacksPassword, lacksRole, ...moved } = readAccount(ctx.config, source, keys)
  if (lacksPassword) lose('password', 'unknown hash')
  if (lacksRole) lose('role', 'of operators')

  const verified = source.factors.filter(isVerified)
  for (const _factor of source.factors.slice(verified.length)) lose('factor', 'unverified')
  const factors = verified.map((factor) => readFactor(keys, userId, factor))
  for (const _factor of factors.filter(lacksCredential)) lose('factor', 'unknown credential')

  const passkeys: ReadPasskey[] = []
  for (const record of source.passkeys) {
    const read = readPasskey(userId, record)
    if (read) passkeys.push(read)
    else lose('passkey', 'unknown credential')
  }

  const sessions: ReadSession[] = []
  for (const record of source.sessions) {
    const read = readSession({ ...ctx, keys, now }, record, source.identities)
    if (typeof read === 'string') lose('session', read)
    else sessions.push(read)
  }
  const count = source.sessionsLeft
  if (count > 0) losses.push({ userId, what: 'session', reason: 'too many', count })
  const fingerprint = fingerprintOf(moved, factors, passkeys)
  return { moved, factors, passkeys, sessions, losses, fingerprint }
}

const halfLength = 32

const digest = (value: unknown): string => sha256Hex(JSON.stringify(value)).slice(0, halfLength)

/**
 * Returns a digest that changes with the source's data of a user: account, factors and passkeys in
 * its first half, the password in its second. The hash stored here cannot be compared, since a
 * sign-in rehashes the password.
 */
export const fingerprintOf = (
  { passwordHash, ...rest }: UserWithPassword,
  factors: readonly ReadFactor[],
  passkeys: readonly ReadPasskey[],
): string => digest([rest, factors, passkeys]) + digest(passwordHash)

export const hasOtherPassword = (fingerprint: string, former: string): boolean =>
  fingerprint.slice(halfLength) !== former.slice(halfLength)

/** A user of the source in Latchkey's form, and the data that could not be imported. */
interface ReadAccount extends UserWithPassword {
  lacksPassword: boolean
  /** Whether the role is one of operators, so that the user has the default role instead. */
  lacksRole: boolean
}

/**
 * Converts a user of the source. Addresses are normalized but not validated, since GoTrue accepted
 * them. No user of the source becomes an operator, since
 * a writer of that database would choose the operators of this service.
 *
 * @throws SourceError if the password is encrypted with a missing key.
 */
function readAccount(
  { jwt, console: { viewerRoles } }: Pick<Config, 'jwt' | 'console'>,
  source: SourceUser,
  keys: ColumnKeys,
): ReadAccount {
  const { user } = source
  const stored = user.encrypted_password || null
  const hash = stored && openColumn(keys, user.id, stored)
  const isKnown = hash !== null && findScheme(hash) !== undefined
  const made = toUser(source)
  const lacksRole = [...jwt.adminRoles, ...viewerRoles].includes(made.role)
  return {
    user: lacksRole ? { ...made, role: jwt.defaultRole } : made,
    lacksRole,
    passwordHash: isKnown ? hash : null,
    lacksPassword: hash !== null && !isKnown,
  }
}

function toUser({ user, identities }: SourceUser): User {
  const createdAt = readCreation(user)
  return {
    ...unsetFields,
    id: user.id,
    audience: user.aud ?? '',
    role: user.role ?? '',
    email: user.email?.toLowerCase() || null,
    phone: readPhone(user.phone),
    ...readInstants(user),
    newEmail: user.email_change?.toLowerCase() || null,
    // Links of a pending change are not imported, so the change must be requested again.
    emailChangeConfirmedBy: null,
    newPhone: readPhone(user.phone_change),
    appMetadata: readObject(user.raw_app_meta_data),
    userMetadata: readObject(user.raw_user_meta_data),
    isAnonymous: user.is_anonymous ?? false,
    isSsoUser: user.is_sso_user ?? false,
    createdAt,
    updatedAt: readSourceInstant(user.updated_at) ?? createdAt,
    identities: identities.map((identity) => toIdentity(user.id, identity, createdAt)),
    factors: [],
  }
}

/**
 * Returns the time of creation, or an equivalent that is the same in each run, since it is part of
 * the fingerprint.
 */
const readCreation = ({ created_at, updated_at, last_sign_in_at }: UserRecord): Date =>
  readSourceInstant(created_at ?? updated_at ?? last_sign_in_at) ?? new Date(0)

const readInstants = (user: UserRecord) => ({
  emailConfirmedAt: readSourceInstant(user.email_confirmed_at),
  phoneConfirmedAt: readSourceInstant(user.phone_confirmed_at),
  invitedAt: readSourceInstant(user.invited_at),
  confirmationSentAt: readSourceInstant(user.confirmation_sent_at),
  recoverySentAt: readSourceInstant(user.recovery_sent_at),
  emailChangeSentAt: readSourceInstant(user.email_change_sent_at),
  phoneChangeSentAt: readSourceInstant(user.phone_change_sent_at),
  changeProvedAt: null,
  reauthenticationSentAt: readSourceInstant(user.reauthentication_sent_at),
  lastSignInAt: readSourceInstant(user.last_sign_in_at),
  bannedUntil: readSourceInstant(user.banned_until),
  deletedAt: readSourceInstant(user.deleted_at),
})

function toIdentity(userId: string, record: IdentityRecord, createdAt: Date): Identity {
  // A source may contain another subject of email, which is the id of the user here.
  const subject = record.provider === 'email' ? userId : (record.provider_id ?? record.id)
  const madeAt = readSourceInstant(record.created_at) ?? createdAt
  return {
    id: isUuid(record.id) && record.provider_id ? record.id : madeUpId(record.provider, subject),
    subject,
    userId,
    provider: record.provider,
    identityData: readObject(record.identity_data),
    lastSignInAt: readSourceInstant(record.last_sign_in_at),
    suspendedAt: null,
    createdAt: madeAt,
    updatedAt: readSourceInstant(record.updated_at) ?? madeAt,
  }
}

/** Returns an id for a row of an older layout, the same in each run. @see RFC 9562 §5.8 */
function madeUpId(provider: string, subject: string): string {
  const hex = sha256Hex(`gotrue identity:${provider}:${subject}`)
  const groups = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ]
  return [...groups, hex.slice(20, 32)].join('-')
}

const readPhone = (phone: string | null | undefined): string | null =>
  phone ? phoneToFind(phone).value : null

/** Returns an object. The columns may contain any JSON, and `null`. */
const readObject = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})
