import type { AuditEvent } from '../audit/audit-row.ts'
import type { ResolvedProvider } from '../config/sections/providers.ts'
import type { AuthContext } from '../deps.ts'
import { conflict } from '../errors/request-errors.ts'
import type { IdentityOwner } from '../users/find-owners-of-identity.sql.ts'
import { newUser, providersOf } from '../users/new-user.ts'
import { givesWay, type Registration } from '../users/registration.ts'
import { type Identity, isConfirmed, type User } from '../users/user.ts'
import { emailExists, signUpDisabled } from '../users/user-errors.ts'
import { type AccountDecision, holderOf } from './decide-account.ts'
import { type ExternalPerson, metadataFrom } from './external-person.ts'
import { linkingDomainOf } from './linking-domain.ts'
import { withoutRegisteredMetadata, withoutUnprovedCredentials } from './prove-address.ts'
import { requesterOf } from './requester-of.ts'

/** Somebody whom a provider vouches for, and what the configuration says of that provider. */
interface Newcomer {
  person: ExternalPerson
  settings: Pick<ResolvedProvider, 'emailOptional' | 'signUpDisabled'>
}

/** An account as it is to be. */
export interface ExternalAccount {
  /** As it was read; null for a new one. */
  before: IdentityOwner | null
  user: User
  /** Of a new one, who it would be if nobody had the address; null of one that is there. */
  expected: User | null
  passwordHash: string | null
  registration: Registration | null
  endsSessions: boolean
  /** Whether links and codes from before are worthless: they were sent before anybody had proved the address. */
  voidsTokens: boolean
  /** The address that decides whether the sign-in goes on, and whether the provider has proved it. */
  address: { email: string | null; isVerified: boolean }
  events: readonly AuditEvent[]
}

/** The account of whoever comes, after what was decided: nothing of it is stored yet. */
export function accountFor(
  ctx: AuthContext,
  order: Newcomer,
  decision: AccountDecision,
  owners: readonly IdentityOwner[],
): ExternalAccount {
  switch (decision.kind) {
    case 'exists':
      return existingAccount(ctx, order.person, decision.owner, owners)
    case 'link':
      return linkedAccount(ctx, order.person, decision.owner, owners)
    case 'create':
      return newAccount(ctx, order, decision.withEmail ? order.person.email : null)
    case 'taken':
      throw emailExists()
    case 'multiple':
      throw conflict(
        'Multiple accounts with the same email address in the same linking domain detected',
      )
  }
}

/** The identity is known: what the provider says is brought up to date. */
function existingAccount(
  ctx: AuthContext,
  person: ExternalPerson,
  owner: IdentityOwner,
  owners: readonly IdentityOwner[],
): ExternalAccount {
  const now = ctx.clock.now()
  const { user } = owner
  const identities = user.identities.map((identity) =>
    isOf(identity, person)
      ? { ...identity, identityData: { ...person.claims }, lastSignInAt: now, updatedAt: now }
      : identity,
  )
  const address = addressOf(ctx, person, owner, owners)
  const known = { ...owner, user: { ...user, identities, email: address.email } }
  return joined(ctx, person, known, owner, { address, events: [] })
}

/**
 * The address of an account that somebody comes to. One that nobody has proved is replaced by the one that the provider has
 * verified since, unless it is somebody else's by now.
 */
function addressOf(
  { config }: AuthContext,
  person: ExternalPerson,
  owner: IdentityOwner,
  owners: readonly IdentityOwner[],
): ExternalAccount['address'] {
  const { user, registration } = owner
  const { email } = user
  const isTrusted = config.email.autoconfirm && person.email === email
  if (email !== null && (isTrusted || person.verified.includes(email))) {
    return { email, isVerified: true }
  }
  const isReplaceable = email === null || registration !== null
  if (!person.isEmailVerified || !isReplaceable || isConfirmed(user) || user.isSsoUser) {
    // Only the address that the account has can be proved for it.
    return { email, isVerified: email === null && person.isEmailVerified }
  }
  const holder = holderOf(owners, person.email)
  return holder && !givesWay(holder)
    ? { email, isVerified: email === null }
    : { email: person.email, isVerified: true }
}

/** A verified address has led to the account: the identity joins it. */
function linkedAccount(
  ctx: AuthContext,
  person: ExternalPerson,
  owner: IdentityOwner,
  owners: readonly IdentityOwner[],
): ExternalAccount {
  const identity = newIdentity(ctx, person, owner.user.id)
  const identities = [...owner.user.identities, identity]
  const address = addressOf(ctx, person, owner, owners)
  const known = { ...owner, user: { ...owner.user, identities, email: address.email } }
  return joined(ctx, person, known, owner, { address, events: [linked(identity)] })
}

function joined(
  ctx: AuthContext,
  person: ExternalPerson,
  { user: known, passwordHash, registration }: IdentityOwner,
  before: IdentityOwner,
  { address, events }: Pick<ExternalAccount, 'address' | 'events'>,
): ExternalAccount {
  const isProving = known.emailConfirmedAt === null && address.isVerified && address.email !== null
  // What strangers brought goes; what an operator gave stays.
  const losesAll = isProving && registration !== null
  const own = losesAll ? withoutOthers(known, person, before) : known
  const isProved = own.emailConfirmedAt !== null || isProving
  // What is said before the address is proved would stay for whoever proves it.
  const isOthers = registration !== null && !isProving && !isConfirmed(own)
  const userMetadata = isOthers
    ? own.userMetadata
    : metadataFrom(
        { ...person.claims, email_verified: isProved },
        own.userMetadata,
        ctx.config.security.maxMetadataBytes,
      )
  const now = ctx.clock.now()
  const user: User = {
    ...own,
    ...(isProving && { emailConfirmedAt: now, isAnonymous: false }),
    appMetadata: providersOf(own.appMetadata, providersIn(own.identities)),
    userMetadata,
    updatedAt: now,
  }
  return {
    before,
    user,
    expected: null,
    passwordHash: losesAll ? null : passwordHash,
    registration: isProving ? null : registration,
    endsSessions: losesAll,
    voidsTokens: isProving,
    address,
    events,
  }
}

/** An account that nobody has proved yet, for whom a provider has proved its address. */
function withoutOthers(user: User, person: ExternalPerson, before: IdentityOwner): User {
  const identities = user.identities.filter((identity) => isOf(identity, person))
  const bare = withoutUnprovedCredentials(user, { kind: 'email', value: user.email ?? '' })
  const { userMetadata } = withoutRegisteredMetadata(bare, before.registration)
  return { ...bare, userMetadata, identities }
}

function newAccount(
  ctx: AuthContext,
  { person, settings }: Newcomer,
  email: string | null,
): ExternalAccount {
  if (ctx.config.signUp.disabled || settings.signUpDisabled) throw signUpDisabled()
  const now = ctx.clock.now()
  const { random, config } = ctx
  const made = newUser(
    { random, now },
    { addresses: [], audience: ctx.request.audience, role: config.jwt.defaultRole },
  )
  const identity = newIdentity(ctx, person, made.id)
  const isProvedOf = (address: string | null) =>
    address !== null && (person.isEmailVerified || config.email.autoconfirm)
  const userWith = (address: string | null): User => ({
    ...made,
    email: address,
    emailConfirmedAt: isProvedOf(address) ? now : null,
    isSsoUser: linkingDomainOf(config, person.provider).isApart,
    appMetadata: providersOf({}, [person.provider]),
    userMetadata: metadataFrom(
      { ...person.claims, email_verified: isProvedOf(address) },
      {},
      config.security.maxMetadataBytes,
    ),
    identities: [identity],
  })
  const user = userWith(email)
  const isProved = isProvedOf(email)
  const keys = Object.keys(user.userMetadata)
  return {
    before: null,
    user,
    expected: userWith(person.email),
    passwordHash: null,
    registration: email === null || isProved ? null : { by: 'otp', from: requesterOf(ctx), keys },
    endsSessions: false,
    voidsTokens: false,
    address: { email, isVerified: isProved },
    events: [],
  }
}

/** Whether an identity is this person's. */
export const isOf = ({ provider, subject }: Identity, person: ExternalPerson): boolean =>
  provider === person.provider && subject === person.subject

/** An identity as it is made for a user. */
export const newIdentity = (
  { random, clock }: Pick<AuthContext, 'random' | 'clock'>,
  { provider, subject, claims }: ExternalPerson,
  userId: string,
): Identity => ({
  id: random.uuid(),
  subject,
  userId,
  provider,
  identityData: { ...claims },
  lastSignInAt: clock.now(),
  createdAt: clock.now(),
  updatedAt: clock.now(),
})

/** What is recorded of an identity that joins a user. */
export const linked = ({ id, userId, provider, subject }: Identity): AuditEvent => ({
  action: 'identity_linked',
  actorId: userId,
  traits: { identity_id: id, provider, provider_id: subject },
})

/** The providers of identities, the oldest first. */
export const providersIn = (identities: readonly Identity[]): string[] =>
  identities
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
    .map(({ provider }) => provider)

/** Whether somebody has to prove an address, or needs one, before they come in. */
export function needsConfirmation(
  { settings }: Pick<Newcomer, 'settings'>,
  { user, address }: ExternalAccount,
): boolean {
  if (isConfirmed(user)) return false
  return address.email !== null || !(settings.emailOptional || address.isVerified)
}
