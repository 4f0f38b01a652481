import type { AuthContext } from '../../accounts/auth-context.ts'
import { type Address, readEmail, readPhone } from '../../accounts/users/addresses.ts'
import type { UserWithPassword } from '../../accounts/users/find-user.sql.ts'
import { requireMetadataFits } from '../../accounts/users/metadata.ts'
import { type NewAddress, newUser, providersOf, readUserId } from '../../accounts/users/new-user.ts'
import { readBan } from '../../accounts/users/read-ban.ts'
import { type Identity, maxIdentities, type User } from '../../accounts/users/user.ts'
import { readGivenUsername } from '../../accounts/users/username.ts'
import { requireImportableHash } from '../../credentials/passwords/hash-schemes.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { requireShort } from '../../platform/kit/storable-text.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import { type IdentityToImport, readInstant, type UserToImport } from './import-input.ts'

/** A record that can be stored unless it conflicts with another user. */
export interface Candidate extends UserWithPassword {
  place: number
  /** Whether the record contains its id. */
  isIdGiven: boolean
  /** Whether it contains the id of the row of an identity. */
  isIdentityIdGiven: boolean
}

/** The maximum size of a user's metadata. A million bytes are a mistake, and would delay others. */
const maxContentBytes = 1_048_576

/**
 * Creates the account of a record. It applies the checks for a new user's record and the
 * constraints of the database, since one invalid record would fail the whole statement.
 *
 * @throws AuthError `validation_failed`
 */
export function readMovedUser(ctx: AuthContext, given: UserToImport): UserWithPassword {
  rejectForeign(given)
  const user = readAccount(ctx, given)
  const identities = readIdentities(ctx, user, given.identities ?? [])
  const moved: User = identities.length === 0 ? user : { ...user, identities }
  requireReachable(moved)
  if (contentBytes(moved) > maxContentBytes) {
    throw validationFailed(`user_metadata: all metadata cannot exceed ${maxContentBytes} bytes`)
  }
  const imported = withProviders(moved, given.appMetadata)
  requireMetadataFits(ctx.config, imported)
  const { passwordHash } = given
  return {
    user: imported,
    passwordHash: passwordHash ? requireImportableHash(passwordHash) : null,
  }
}

/** Returns the variable part of a record's size. */
export const contentBytes = ({ userMetadata, appMetadata, identities }: User): number =>
  Buffer.byteLength(
    JSON.stringify([userMetadata, appMetadata, identities.map(({ identityData }) => identityData)]),
  )

function rejectForeign(given: UserToImport): void {
  if (given.password !== undefined) {
    throw validationFailed('password: cannot be imported, only its hash, as password_hash')
  }
  if (given.deletedAt) throw validationFailed('deleted_at: a deleted user is not imported')
}

function readAccount(ctx: AuthContext, given: UserToImport): User {
  const now = ctx.clock.now()
  const createdAt = readInstant(given.createdAt, 'created_at') ?? now
  const proofs = readProofs(given, now)
  const made = newUser(
    { random: ctx.random, now: createdAt },
    {
      ...(given.id && { id: readUserId(given.id) }),
      addresses: readAddresses(given, proofs),
      audience: requireShort(given.audience ?? '', 'aud') || ctx.request.audience,
      role: requireShort(given.role?.trim() ?? '', 'role') || ctx.config.jwt.defaultRole,
      userMetadata: {
        ...given.userMetadata,
        ...(given.email && proofs.emailConfirmedAt && { email_verified: true }),
      },
    },
  )
  return {
    ...made,
    username: readImportedUsername(ctx, given),
    emailConfirmedAt: made.email === null ? null : proofs.emailConfirmedAt,
    phoneConfirmedAt: made.phone === null ? null : proofs.phoneConfirmedAt,
    bannedUntil:
      readInstant(given.bannedUntil, 'banned_until') ?? readBan(given.banDuration, now) ?? null,
    invitedAt: readInstant(given.invitedAt, 'invited_at'),
    lastSignInAt: readInstant(given.lastSignInAt, 'last_sign_in_at'),
    updatedAt: readInstant(given.updatedAt, 'updated_at') ?? createdAt,
  }
}

function readImportedUsername(ctx: AuthContext, { username }: UserToImport): string | null {
  if (username !== undefined && !ctx.config.usernames.enabled) {
    throw validationFailed('username: user names are not enabled (AUTH_USERNAMES_ENABLED)')
  }
  return readGivenUsername(ctx, username)
}

type Proofs = Pick<User, 'emailConfirmedAt' | 'phoneConfirmedAt'>

const readProofs = (given: UserToImport, now: Date): Proofs => ({
  emailConfirmedAt:
    readInstant(given.emailConfirmedAt, 'email_confirmed_at') ?? (given.emailConfirm ? now : null),
  phoneConfirmedAt:
    readInstant(given.phoneConfirmedAt, 'phone_confirmed_at') ?? (given.phoneConfirm ? now : null),
})

function readAddresses({ email, phone }: UserToImport, proofs: Proofs): NewAddress[] {
  const addresses: NewAddress[] = []
  if (email) addresses.push({ ...readEmail(email), confirmed: proofs.emailConfirmedAt !== null })
  if (phone)
    addresses.push({ ...readNamedPhone(phone), confirmed: proofs.phoneConfirmedAt !== null })
  return addresses
}

/** Names the field in the rejection of a malformed number, which the wire's message does not. */
function readNamedPhone(phone: string): Address {
  try {
    return readPhone(phone)
  } catch {
    throw validationFailed('phone: Invalid phone number format (E.164 required)')
  }
}

/** Requires an address or an identity at a provider. */
function requireReachable({ identities }: User): void {
  if (identities.length > 0) return
  throw validationFailed('email: Cannot create a user without either an email or phone')
}

const withProviders = (user: User, given: UserToImport['appMetadata']): User => {
  const providers = user.identities.map(({ provider }) => provider)
  return { ...user, appMetadata: { ...providersOf({}, providers), ...given } }
}

/**
 * Reads the identities of a record.
 *
 * @param account the user without them: with an identity for each address, like a new user.
 * @throws AuthError `validation_failed`
 */
function readIdentities(
  ctx: AuthContext,
  user: User,
  given: readonly IdentityToImport[],
): Identity[] {
  if (given.length > maxIdentities) {
    throw validationFailed(`identities: a user has at most ${maxIdentities}`)
  }
  const identities = given.map((identity, at) =>
    readIdentity(ctx, user, identity, `identities.${at}`),
  )
  const users = identities.map(({ provider, subject }) => `${provider}\0${subject}`)
  const ids = identities.map(({ id }) => id)
  if (new Set(users).size < users.length || new Set(ids).size < ids.length) {
    throw validationFailed('identities: names one of them twice')
  }
  return identities
}

function readIdentity(
  { random }: AuthContext,
  user: User,
  given: IdentityToImport,
  field: string,
): Identity {
  const createdAt = readInstant(given.createdAt, `${field}.created_at`) ?? user.createdAt
  return {
    ...readAccountAtProvider(user, given, field),
    id: readRowId(given.id, field) ?? random.uuid(),
    userId: user.id,
    lastSignInAt: readInstant(given.lastSignInAt, `${field}.last_sign_in_at`),
    suspendedAt: readInstant(given.suspendedAt, `${field}.suspended_at`),
    createdAt,
    updatedAt: readInstant(given.updatedAt, `${field}.updated_at`) ?? createdAt,
  }
}

/**
 * Reads an identity. For an address, Latchkey itself is the provider: the subject is the user's id.
 */
function readAccountAtProvider(user: User, given: IdentityToImport, field: string) {
  const provider = requireShort(given.provider ?? '', `${field}.provider`)
  if (!provider) throw validationFailed(`${field}.provider: is required`)
  if (provider === 'email' || provider === 'phone') {
    const own = user.identities.find((identity) => identity.provider === provider)
    if (!own) throw validationFailed(`${field}.provider: the user has no such address`)
    const { subject, identityData } = own
    return { provider, subject, identityData: { ...given.identityData, ...identityData } }
  }
  const subject = requireShort(given.subject ?? '', `${field}.id`)
  if (!subject) throw validationFailed(`${field}.id: is required: who the user is at the provider`)
  return { provider, subject, identityData: { sub: subject, ...given.identityData } }
}

function readRowId(id: string | undefined, field: string): string | undefined {
  if (!id) return undefined
  if (isUuid(id)) return id.toLowerCase()
  throw validationFailed(`${field}.identity_id: has to be a UUID`)
}
