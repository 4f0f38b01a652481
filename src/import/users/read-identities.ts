import type { AuthContext } from '../../accounts/auth-context.ts'
import { type Identity, maxIdentities, type User } from '../../accounts/users/user.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { requireShort } from '../../platform/kit/storable-text.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import { type IdentityToImport, readInstant } from './import-input.ts'

/**
 * Reads the identities of a record.
 *
 * @param account the user without them: with an identity for each address, like a new user.
 * @throws AuthError `validation_failed`
 */
export function readIdentities(
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
