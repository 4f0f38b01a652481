import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Random } from '../../platform/kit/random.ts'
import { isUuid, nilUuid } from '../../platform/kit/uuid.ts'
import type { Address } from './addresses.ts'
import { type Identity, type User, unsetFields } from './user.ts'

/** An address of a new account. */
export interface NewAddress extends Address {
  /** Whether control of it counts as proved from the start. */
  confirmed: boolean
}

export interface NewUserTraits {
  /** Of email and phone at most one of a kind; none of somebody anonymous. */
  addresses: NewAddress[]
  audience: string
  role: string
  appMetadata?: Record<string, unknown>
  username?: string | null
  isAnonymous?: boolean
  userMetadata?: Record<string, unknown>
  /** Chosen by the caller; random when left out. */
  id?: string
}

interface Needs {
  random: Random
  now: Date
}

/** A user who did not exist before, with one identity per address. */
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
    identities: given.addresses.map((address) => addressIdentity({ random, now }, id, address)),
    factors: [],
  }
}

/** An identity that Latchkey itself stands for. */
export function addressIdentity(
  { random, now }: Needs,
  userId: string,
  address: NewAddress,
): Identity {
  return {
    id: random.uuid(),
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

/** What an identity by address says about its user. */
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
  { random, now }: Needs,
  userId: string,
  {
    provider,
    subject,
    claims,
  }: { provider: string; subject: string; claims: Readonly<Record<string, unknown>> },
): Identity => ({
  id: random.uuid(),
  subject,
  userId,
  provider,
  identityData: { ...claims },
  lastSignInAt: now,
  suspendedAt: null,
  createdAt: now,
  updatedAt: now,
})

/** The providers of identities, the oldest first. */
export const providersIn = (identities: readonly Identity[]): string[] =>
  identities
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
    .map(({ provider }) => provider)

/** Metadata that names the providers of a user, the first of which counts as the main one. */
export function providersOf(
  appMetadata: Record<string, unknown>,
  providers: readonly string[],
): Record<string, unknown> {
  const each = [...new Set(providers)]
  return { ...appMetadata, provider: each[0], providers: each }
}

/**
 * The id that an operator chose for a new user.
 *
 * @throws AuthError `validation_failed`
 */
export function readUserId(id: string): string {
  if (!isUuid(id)) throw validationFailed('id: ID must conform to the uuid v4 format')
  if (id === nilUuid) throw validationFailed('id: ID cannot be a nil uuid')
  return id.toLowerCase()
}
