import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Random } from '../../platform/kit/random.ts'
import { isUuid, nilUuid, timeOrderedUuid } from '../../platform/kit/uuid.ts'
import type { Address } from './addresses.ts'
import { type Identity, type User, unsetFields } from './user.ts'

/** An address of a new account. */
export interface NewAddress extends Address {
  /** Whether it is confirmed at the creation. */
  confirmed: boolean
}

export interface NewUserTraits {
  /** At most one email and one phone; none for an anonymous user. */
  addresses: NewAddress[]
  audience: string
  role: string
  appMetadata?: Record<string, unknown>
  username?: string | null
  isAnonymous?: boolean
  userMetadata?: Record<string, unknown>
  /** Chosen by the caller; random by default. */
  id?: string
}

interface Needs {
  random: Random
  now: Date
}

/** Returns a new user, with one identity per address. */
export function newUser({ random, now }: Needs, given: NewUserTraits): User {
  const id = given.id ?? random.uuid()
  const find = (kind: Address['kind']) => given.addresses.find((address) => address.kind === kind)
  const [email, phone] = [find('email'), find('phone')]
  const providers = given.addresses.map(({ kind }) => kind)

  return {
    ...unsetFields,
    id,
    audience: given.audience,
    role: given.role,
    email: email?.value ?? null,
    phone: phone?.value ?? null,
    username: given.username ?? null,
    emailConfirmedAt: email?.confirmed ? now : null,
    phoneConfirmedAt: phone?.confirmed ? now : null,
    appMetadata: {
      ...(providers.length > 0 && { provider: providers[0], providers }),
      ...given.appMetadata,
    },
    userMetadata: given.userMetadata ?? {},
    isAnonymous: given.isAnonymous ?? false,
    isSsoUser: false,
    createdAt: now,
    updatedAt: now,
    identities: given.addresses.map((address) => addressIdentity({ now }, id, address)),
    factors: [],
  }
}

/**
 * Returns the identity for an address, whose provider is Latchkey itself. Its id sorts by time: new
 * ones are on the same pages of the index.
 */
export function addressIdentity(
  { now }: Pick<Needs, 'now'>,
  userId: string,
  address: NewAddress,
): Identity {
  return {
    id: timeOrderedUuid(now),
    subject: userId,
    userId,
    provider: address.kind,
    identityData: addressIdentityData(userId, address),
    lastSignInAt: now,
    suspendedAt: null,
    createdAt: now,
    updatedAt: now,
  }
}

/** Returns the claims of an identity for an address. */
export const addressIdentityData = (
  userId: string,
  { kind, value, confirmed }: NewAddress,
): Record<string, unknown> => ({
  sub: userId,
  [kind]: value,
  email_verified: kind === 'email' && confirmed,
  phone_verified: kind === 'phone' && confirmed,
})

/** Creates the identity of a user at a provider. */
export const providerIdentity = (
  { now }: Pick<Needs, 'now'>,
  userId: string,
  {
    provider,
    subject,
    claims,
  }: { provider: string; subject: string; claims: Readonly<Record<string, unknown>> },
): Identity => ({
  id: timeOrderedUuid(now),
  subject,
  userId,
  provider,
  identityData: { ...claims },
  lastSignInAt: now,
  suspendedAt: null,
  createdAt: now,
  updatedAt: now,
})

/** Returns the providers of identities, the oldest first. */
export const providersIn = (identities: readonly Identity[]): string[] =>
  identities
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
    .map(({ provider }) => provider)

/** Returns metadata with the providers of a user, the first of which is the main one. */
export function providersOf(
  appMetadata: Record<string, unknown>,
  providers: readonly string[],
): Record<string, unknown> {
  const each = [...new Set(providers)]
  return { ...appMetadata, provider: each[0], providers: each }
}

/**
 * Reads the id that an operator chose for a new user.
 *
 * @throws AuthError `validation_failed`
 */
export function readUserId(id: string): string {
  if (!isUuid(id)) throw validationFailed('id: ID must conform to the uuid v4 format')
  if (id === nilUuid) throw validationFailed('id: ID cannot be a nil uuid')
  return id.toLowerCase()
}

declare const approved: unique symbol

/**
 * The application's approval of a new user, without which none is stored. Only `approveNewUser`
 * returns it: any other creation of a user would bypass the before-user-created hook.
 */
export interface Approval {
  readonly [approved]: true
}
