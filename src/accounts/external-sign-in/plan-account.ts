import {
  type ExternalAccount,
  isIdentityOf,
  metadataFrom,
} from '../../credentials/external/external-account.ts'
import { requesterOf } from '../../limits/requester-of.ts'
import {
  atFirstAddress,
  awaitsFirstAddress,
  type ConfirmedUser,
  type ReassignedUser,
  reclaimedBy,
} from '../addresses/first-address.ts'
import { withoutSignUpMetadata, withUnconfirmedPending } from '../addresses/prove-address.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import type { AuthContext } from '../auth-context.ts'
import type { EndingCause } from '../lifecycle/endings.ts'
import type { Session } from '../sessions/session.ts'
import { chooseOwnEmail } from '../users/choose-email.ts'
import type { StoredUser } from '../users/find-user.sql.ts'
import { requireMetadataFits } from '../users/metadata.ts'
import { newUser, providerIdentity, providersIn, providersOf } from '../users/new-user.ts'
import { type SignUpOrigin, withSuppliedKeys } from '../users/sign-up-origin.ts'
import { hasConfirmedAddress, type Identity, type User } from '../users/user.ts'
import { emailExistsAtLinking } from '../users/user-errors.ts'
import type { AccountDecision, ProvedSignIn } from './decide-account.ts'

/** The fields of a plan that depend on its kind. */
type PlanKind =
  | {
      kind: 'created'
      before: null
      /** The user that a free address would give, which the application approves. */
      expected: User
    }
  | { kind: 'exists' | 'joins'; before: StoredUser }
  | {
      kind: 'linked'
      before: StoredUser
      /** The session that must still be active. */
      requestingSession: Session
    }
  | {
      kind: 'invited'
      before: StoredUser
      /** The invitation that is consumed. */
      spentTokenId: string
    }

interface PlannedAccount {
  user: User
  passwordHash: string | null
  signUpOrigin: SignUpOrigin | null
  /** The causes by which parts of the account end. */
  causes: readonly EndingCause[]
  /** The newest proof of the linking session where it is not recent; else null. */
  provedAt: Date | null
  /** The address that the sign-in depends on, and whether the provider has verified it. */
  address: { email: string | null; isVerified: boolean }
  events: readonly AuditEvent[]
}

/** An account before the question whether its address has to be confirmed. */
type Unconfirmed = PlanKind & PlannedAccount

/** The account after an external sign-in, not stored yet. `before` is the account as stored. */
export type AccountPlan = Unconfirmed & {
  /** Whether a message has to confirm an address before the user can sign in. */
  needsConfirmation: boolean
}

/**
 * Plans the account that a decision leads to.
 *
 * @throws AuthError `email_exists` (400) where other users keep all addresses at linking,
 *   `validation_failed` (422) for metadata that is too large.
 */
export async function planAccount(
  ctx: AuthContext,
  proved: ProvedSignIn,
  decision: AccountDecision,
): Promise<AccountPlan> {
  const plan = await planFor(ctx, proved, decision)
  if (plan.before) requireMetadataFits(ctx.config, plan.user, plan.before.user)
  return { ...plan, needsConfirmation: needsConfirmation(proved, plan) }
}

function planFor(
  ctx: AuthContext,
  { person }: ProvedSignIn,
  decision: AccountDecision,
): Unconfirmed | Promise<Unconfirmed> {
  switch (decision.kind) {
    case 'exists':
      return existingAccount(ctx, person, decision)
    case 'joins':
      return joinedAccount(ctx, person, decision)
    case 'created':
      return newAccount(ctx, person, decision)
    case 'linked':
      return linkedAccount(ctx, person, decision)
    case 'invited':
      return invitedAccount(ctx, person, decision)
  }
}

function needsConfirmation(
  { settings }: ProvedSignIn,
  { kind, user, address }: Unconfirmed,
): boolean {
  if (kind === 'linked') return address.email !== null && !address.isVerified
  if (kind === 'invited' || hasConfirmedAddress(user)) return false
  return address.email !== null || !(settings.emailOptional || address.isVerified)
}

/** Values of a plan that leaves an account as it is. */
const unchanged = {
  causes: [],
  provedAt: null,
  events: [],
} as const

type Owned = Extract<AccountDecision, { kind: 'exists' | 'joins' }>

/** Plans the account of a known identity, whose claims are updated. */
function existingAccount(ctx: AuthContext, person: ExternalAccount, decision: Owned): Unconfirmed {
  const now = ctx.clock.now()
  const identities = decision.before.user.identities.map((identity) =>
    isIdentityOf(identity, person)
      ? { ...identity, identityData: { ...person.claims }, lastSignInAt: now, updatedAt: now }
      : identity,
  )
  return signedInAccount(ctx, person, decision, identities)
}

/** Plans the account that a verified address has led to. The identity joins it. */
function joinedAccount(ctx: AuthContext, person: ExternalAccount, decision: Owned): Unconfirmed {
  const { user } = decision.before
  const identity = providerIdentity(needsOf(ctx), user.id, person)
  const plan = signedInAccount(ctx, person, decision, [...user.identities, identity])
  return { ...plan, events: [identityLinked(identity)] }
}

function signedInAccount(
  ctx: AuthContext,
  person: ExternalAccount,
  decision: Owned,
  identities: Identity[],
): Unconfirmed {
  const { before, kind } = decision
  const { signUpOrigin, passwordHash } = before
  const now = ctx.clock.now()
  const address = addressOf(ctx, person, decision)
  const known: User = { ...before.user, identities, email: address.email }
  const isProving = known.emailConfirmedAt === null && address.isVerified && address.email !== null
  const hadAddress = !awaitsFirstAddress(before.user)
  // An account of an operator keeps the operator's data: other credentials are those of other clients.
  const provesFirst =
    isProving && !hasConfirmedAddress(before.user) && (!hadAddress || signUpOrigin === null)
  // Data of the sign-up is deleted; data of an operator stays.
  const losesAll = isProving && signUpOrigin !== null && !provesFirst
  const proved: ConfirmedUser = provesFirst
    ? withFirstAddress({ now }, person, { ...before, user: known }, hadAddress)
    : losesAll
      ? withoutOthers(known, person, signUpOrigin)
      : { user: known, passwordHash, causes: isProving ? ['addressConfirmed'] : [] }
  const own = proved.user
  // Metadata of an unconfirmed address would stay for the user who confirms it.
  const keepsMetadata =
    signUpOrigin !== null && !isProving && !hasConfirmedAddress(own) && hadAddress
  const isConfirmed = own.emailConfirmedAt !== null || isProving
  const signedIn: User = {
    ...own,
    ...(isProving && { emailConfirmedAt: now, isAnonymous: false }),
    appMetadata: providersOf(own.appMetadata, providersIn(own.identities)),
    userMetadata: keepsMetadata ? own.userMetadata : withClaims(ctx, person, own, isConfirmed),
    updatedAt: now,
  }
  const user = withUnconfirmedPending(signedIn, signUpOrigin)
  return {
    ...unchanged,
    kind,
    before,
    ...proved,
    user,
    signUpOrigin: isProving ? null : withKeysOf(signUpOrigin, user),
    address,
  }
}

/**
 * Returns the address of an account that a sign-in leads to. A provider of another linking domain
 * proves none. An unconfirmed address is replaced by the one that the provider has verified since,
 * unless another user keeps it.
 */
function addressOf(
  { config }: AuthContext,
  person: ExternalAccount,
  { before: { user, signUpOrigin }, provesAddress, isEmailTaken }: Owned,
): AccountPlan['address'] {
  const { email } = user
  const isTrusted = config.email.autoconfirm && person.email === email
  if (email !== null && (isTrusted || (provesAddress && person.verified.includes(email)))) {
    return { email, isVerified: true }
  }
  const isReplaceable = email === null || signUpOrigin !== null
  const isVerified = provesAddress && person.isEmailVerified
  if (!isVerified || !isReplaceable || hasConfirmedAddress(user) || user.isSsoUser) {
    // The provider can confirm only the address that the account has.
    return { email, isVerified: email === null && isVerified }
  }
  return isEmailTaken
    ? { email, isVerified: email === null }
    : { email: person.email, isVerified: true }
}

/**
 * Returns an account that gets its first confirmed address from a provider.
 *
 * @param hadAddress whether it had an address, of an operator. Only then the password is the
 *   operator's, too.
 */
function withFirstAddress(
  needs: { now: Date },
  person: ExternalAccount,
  stored: StoredUser,
  hadAddress: boolean,
): ReassignedUser {
  const proving = stored.user.identities.find((identity) => isIdentityOf(identity, person)) ?? null
  const first = atFirstAddress(needs, stored, { keepsPassword: hadAddress, proving })
  return { ...first, user: withoutSuppliedMetadata(first.user, stored.signUpOrigin) }
}

/** Removes the metadata of a sign-up from the user. Identities keep their claims. */
function withoutSuppliedMetadata(user: User, signUpOrigin: SignUpOrigin | null): User {
  const { username, userMetadata } = withoutSignUpMetadata(user, signUpOrigin)
  return { ...user, username, userMetadata }
}

/**
 * Returns the sign-up origin of an account without an address, after its provider supplied metadata
 * again.
 */
const withKeysOf = (signUpOrigin: SignUpOrigin | null, user: User): SignUpOrigin | null =>
  signUpOrigin && awaitsFirstAddress(user)
    ? withSuppliedKeys(signUpOrigin, user.userMetadata)
    : signUpOrigin

/**
 * Returns an unconfirmed account whose address a provider has verified, without the data of other
 * clients.
 */
function withoutOthers(
  user: User,
  person: ExternalAccount,
  signUpOrigin: SignUpOrigin | null,
): ReassignedUser {
  const identities = user.identities.filter((identity) => isIdentityOf(identity, person))
  const claimed = reclaimedBy(user, { kind: 'email' })
  const own = withoutSuppliedMetadata(claimed.user, signUpOrigin)
  return { ...claimed, user: { ...own, identities } }
}

function newAccount(
  ctx: AuthContext,
  person: ExternalAccount,
  { kind, email, isSsoUser }: Extract<AccountDecision, { kind: 'created' }>,
): Unconfirmed {
  const { config, request } = ctx
  const needs = needsOf(ctx)
  const made = newUser(needs, {
    addresses: [],
    audience: request.audience,
    role: config.jwt.defaultRole,
  })
  const identity = providerIdentity(needs, made.id, person)
  const isConfirmedOf = (address: string | null) =>
    address !== null && (person.isEmailVerified || config.email.autoconfirm)
  const userWith = (address: string | null): User => ({
    ...made,
    email: address,
    emailConfirmedAt: isConfirmedOf(address) ? needs.now : null,
    isSsoUser,
    appMetadata: providersOf({}, [person.provider]),
    userMetadata: withClaims(ctx, person, made, isConfirmedOf(address)),
    identities: [identity],
  })
  const user = userWith(email)
  const isConfirmed = isConfirmedOf(email)
  const keys = Object.keys(user.userMetadata)
  return {
    ...unchanged,
    kind,
    before: null,
    user,
    expected: userWith(person.email),
    passwordHash: null,
    signUpOrigin: isConfirmed ? null : { by: 'otp', from: requesterOf(ctx), keys },
    address: { email, isVerified: isConfirmed },
  }
}

/**
 * Plans the account of a session with one more identity. An account without an address gets one
 * from its identities: at once where a provider has verified it, else once a message has confirmed
 * it (rule 2).
 */
async function linkedAccount(
  ctx: AuthContext,
  person: ExternalAccount,
  { kind, before, session, provedAt }: Extract<AccountDecision, { kind: 'linked' }>,
): Promise<Unconfirmed> {
  const needs = needsOf(ctx)
  const identity = providerIdentity(needs, before.user.id, person)
  const identities = [...before.user.identities, identity]
  const user: User = {
    ...before.user,
    identities,
    appMetadata: providersOf(before.user.appMetadata, providersIn(identities)),
    updatedAt: needs.now,
  }
  const plan: Unconfirmed = {
    ...unchanged,
    kind,
    before,
    user,
    passwordHash: before.passwordHash,
    signUpOrigin: before.signUpOrigin,
    requestingSession: session,
    provedAt,
    address: { email: null, isVerified: false },
    events: [identityLinked(identity)],
  }
  if (user.email !== null) return plan
  const address = await chooseOwnEmail(ctx, user, identities)
  if (!address) throw emailExistsAtLinking()
  const { email, isVerified } = address
  if (email === null) return { ...plan, address, user: { ...user, isAnonymous: false } }
  if (!isVerified) return { ...plan, address }
  const { passwordHash } = before
  // As for a link that the user of the session requests, an operator's password ends, too.
  const proved: ConfirmedUser = hasConfirmedAddress(user)
    ? { user, passwordHash, causes: ['addressConfirmed'] }
    : atFirstAddress(needs, { user, passwordHash }, { keepsPassword: false, proving: identity })
  const confirmed: User = {
    ...proved.user,
    isAnonymous: false,
    email,
    emailConfirmedAt: needs.now,
    userMetadata: { ...user.userMetadata, email_verified: true },
  }
  return {
    ...plan,
    ...proved,
    user: withUnconfirmedPending(confirmed, before.signUpOrigin),
    signUpOrigin: null,
    address,
  }
}

/**
 * Plans the account of an accepted invitation: the data of operators stays, and this identity is
 * the only one.
 */
function invitedAccount(
  ctx: AuthContext,
  person: ExternalAccount,
  { kind, before, tokenId }: Extract<AccountDecision, { kind: 'invited' }>,
): Unconfirmed {
  const needs = needsOf(ctx)
  const { signUpOrigin } = before
  const { user: claimed, ...proved } = reclaimedBy(before.user, { kind: 'email' })
  const own = withoutSuppliedMetadata(claimed, signUpOrigin)
  const accepted: User = {
    ...own,
    emailConfirmedAt: needs.now,
    identities: [providerIdentity(needs, own.id, person)],
    appMetadata: providersOf(own.appMetadata, [person.provider]),
    userMetadata: withClaims(ctx, person, own, true),
    updatedAt: needs.now,
  }
  return {
    ...unchanged,
    kind,
    before,
    ...proved,
    user: withUnconfirmedPending(accepted, signUpOrigin),
    spentTokenId: tokenId,
    address: { email: own.email, isVerified: true },
  }
}

const needsOf = ({ random, clock }: AuthContext) => ({ random, now: clock.now() })

const withClaims = (
  { config }: AuthContext,
  { claims }: ExternalAccount,
  { userMetadata }: User,
  isEmailVerified: boolean,
): Record<string, unknown> =>
  metadataFrom(
    { ...claims, email_verified: isEmailVerified },
    userMetadata,
    config.security.maxMetadataBytes,
  )

const identityLinked = ({ id, userId, provider, subject }: Identity): AuditEvent => ({
  action: 'identity_linked',
  actorId: userId,
  traits: { identity_id: id, provider, provider_id: subject },
})
