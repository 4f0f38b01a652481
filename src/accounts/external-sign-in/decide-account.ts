import {
  consumeIdToken,
  consumeIdTokenAlone,
  type SingleUseIdToken,
} from '../../credentials/external/consume-id-token.sql.ts'
import { type ExternalAccount, isIdentityOf } from '../../credentials/external/external-account.ts'
import { idTokenSpent } from '../../credentials/external/id-token-errors.ts'
import { accountChanged } from '../../credentials/oauth-states/oauth-state-errors.ts'
import type { ResolvedProvider } from '../../platform/config/sections/providers.ts'
import { conflict, validationFailed } from '../../platform/errors/request-errors.ts'
import {
  rejectSuspendedCredential,
  suspendedIdentity,
} from '../addresses/reject-suspended-credential.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Actor } from '../callers/authenticate-caller.ts'
import { findByLinkHash } from '../one-time-tokens/one-time-tokens.sql.ts'
import type { Session } from '../sessions/session.ts'
import { findOwnersOfIdentity, type IdentityOwner } from '../users/find-owners-of-identity.sql.ts'
import {
  findByIdentity,
  type StoredUser,
  storedUserColumns,
  toStoredUser,
} from '../users/find-user.sql.ts'
import { isReclaimable, keepsAddress } from '../users/kept-address.ts'
import { linkingDomainOf, provesAddressOf } from '../users/linking-domain.ts'
import { requireNamedAudience } from '../users/require-named-audience.sql.ts'
import {
  hasConfirmedAddress,
  isBanned,
  isInUse,
  isOpenedBy,
  maxIdentities,
  type User,
} from '../users/user.ts'
import {
  identityExists,
  identityLinkedAlready,
  invitationExpired,
  signUpDisabled,
  tooManyIdentities,
  userBanned,
} from '../users/user-errors.ts'
import { type AccountName, isSameName, nameOfAccount } from './account-name.ts'
import { requireLinker, requireManualLinking } from './require-may-link.ts'

/** The purpose of a flow through a provider. */
export type ExternalPurpose =
  | { kind: 'sign-in' }
  /** The user of a session adds an identity. */
  | {
      kind: 'linking'
      actor: Actor
      /**
       * The account as a confirmation page named it; null without one. An account with another name
       * is rejected.
       */
      shownAccount: AccountName | null
    }
  | { kind: 'invitation'; tokenHash: string }

/** A proved identity, and the facts that decide the account which it leads to. */
export interface ProvedSignIn {
  purpose: ExternalPurpose
  person: ExternalAccount
  settings: Pick<ResolvedProvider, 'emailOptional' | 'signUpDisabled'>
  /** The id token that is consumed by the sign-in; null for none. */
  singleUse: SingleUseIdToken | null
  /** The redirect target of links in messages. */
  redirectTo: string
}

/** The account that a proved identity leads to. */
export type AccountDecision =
  /** The identity is known (`exists`), or its verified address leads to one user (`joins`). */
  | {
      kind: 'exists' | 'joins'
      before: IdentityOwner
      /** Whether the provider proves addresses of this user. */
      provesAddress: boolean
      /** Whether another user keeps the address. */
      isEmailTaken: boolean
    }
  /** A new user, without the address where another user keeps it. */
  | { kind: 'created'; email: string | null; isSsoUser: boolean }
  /** The user of a session adds the identity. */
  | {
      kind: 'linked'
      before: StoredUser
      /** The session as it was checked. */
      session: Session
      /** The newest proof of the session where it is not recent; else null. */
      provedAt: Date | null
    }
  /** The user accepts an invitation. */
  | { kind: 'invited'; before: StoredUser; tokenId: string }

/**
 * Decides which account a proved identity leads to, and rejects an identity that may not sign in or
 * be linked. Consumes the id token.
 *
 * @throws AuthError `invalid_credentials` (400) for a consumed id token, `user_banned` (403),
 *   `too_many_identities` (422); at sign-in `validation_failed` (400) for an unnamed audience,
 *   `signup_disabled` (422), `conflict` (409) for several accounts, `email_not_confirmed`,
 *   `phone_not_confirmed`, `sign_in_method_suspended` (403) for a suspended identity; at linking
 *   `manual_linking_disabled` (404), `identity_already_exists` (422), `bad_oauth_state` (400) for
 *   an account with another name, and the errors of {@link requireLinker}; with an invitation
 *   `invite_not_found` (404), `validation_failed` (400) for another address.
 */
export function decideAccount(ctx: AuthContext, proved: ProvedSignIn): Promise<AccountDecision> {
  const { purpose } = proved
  switch (purpose.kind) {
    case 'sign-in':
      return decideSignIn(ctx, proved)
    case 'linking':
      return decideLinking(ctx, proved, purpose)
    case 'invitation':
      return decideInvitation(ctx, proved, purpose.tokenHash)
  }
}

async function decideSignIn(
  ctx: AuthContext,
  { person, settings, singleUse, redirectTo }: ProvedSignIn,
): Promise<AccountDecision> {
  await requireNamedAudience(ctx)
  const { provider, subject, email, verified } = person
  const domain = linkingDomainOf(ctx.config, person)
  const { spent, owners } = await findOwnersOfIdentity(ctx.sql, consumeIdToken(singleUse), {
    provider,
    subject,
    verified,
    addresses: [...new Set([...verified, ...(email ? [email] : [])])],
    ...domain,
  })
  if (!spent.allowed) throw idTokenSpent()

  const now = ctx.clock.now()
  const known = owners.find(({ hasIdentity }) => hasIdentity)
  const before = known ?? findLinkable(owners, person, now)
  const holder = ownerOf(owners, email)
  const isEmailTaken = holder !== undefined && keepsAddress(holder, 'email', now)
  if (!before) {
    if (ctx.config.signUp.disabled || settings.signUpDisabled) throw signUpDisabled()
    // Without a verified address, an address of any other user is left out.
    const isFree = verified.length === 0 ? owners.length === 0 : !isEmailTaken
    return { kind: 'created', email: isFree ? email : null, isSsoUser: domain.isApart }
  }
  if (!known) requireRoom(before.user)
  if (isBanned(before.user, now)) throw userBanned()
  const identity = before.user.identities.find((one) => isIdentityOf(one, person))
  if (identity && !isInUse(identity)) {
    const credential = suspendedIdentity(identity, person.label)
    return rejectSuspendedCredential(ctx, before.user, credential, redirectTo)
  }
  return {
    kind: known ? 'exists' : 'joins',
    before,
    provesAddress: provesAddressOf(ctx.config, before.user, person),
    isEmailTaken,
  }
}

/**
 * Finds the account that verified addresses lead to. An address leads to an account only when both
 * sides have verified it, or when the account is unconfirmed: it then loses the data of its
 * sign-up. Reclaimable accounts do not compete with a confirmed one.
 *
 * @throws AuthError `conflict` (409) where the addresses lead to several accounts.
 */
function findLinkable(
  owners: readonly IdentityOwner[],
  { email, verified }: ExternalAccount,
  now: Date,
): IdentityOwner | undefined {
  if (verified.length === 0) return undefined
  const byIdentity = owners.filter(({ hasVerifiedIdentityEmail }) => hasVerifiedIdentityEmail)
  if (byIdentity.length > 0) return onlyOne(byIdentity)
  const byEmail = owners.filter(({ hasVerifiedEmail }) => hasVerifiedEmail)
  const opened = byEmail.filter(({ user }) => isOpenedBy(user, 'email'))
  const lasting = opened.filter((owner) => !isReclaimable(owner, now))
  if (lasting.length > 0) return onlyOne(lasting)
  return ownerOf(opened, email) ?? opened[0]
}

/**
 * Returns the owner with this address of their own: identities of other users may contain it, too.
 */
const ownerOf = (
  owners: readonly IdentityOwner[],
  email: string | null,
): IdentityOwner | undefined =>
  owners.find(({ user }) => email !== null && user.email === email && !user.isSsoUser)

function onlyOne([owner, ...others]: readonly IdentityOwner[]): IdentityOwner | undefined {
  if (others.length === 0) return owner
  throw conflict(
    'Multiple accounts with the same email address in the same linking domain detected',
  )
}

async function decideLinking(
  ctx: AuthContext,
  { person, singleUse }: ProvedSignIn,
  { actor, shownAccount }: Extract<ExternalPurpose, { kind: 'linking' }>,
): Promise<AccountDecision> {
  requireManualLinking(ctx)
  const { stored: before, session, provedAt } = await requireLinker(ctx, actor)
  const { user } = before
  if (shownAccount && !isSameName(shownAccount, nameOfAccount(user))) throw accountChanged()
  if (user.identities.some((one) => isIdentityOf(one, person))) throw identityLinkedAlready()
  if (await findByIdentity(ctx.sql, person)) throw identityExists()
  if (singleUse && !(await consumeIdTokenAlone(ctx.sql, singleUse))) throw idTokenSpent()
  requireRoom(user)
  return { kind: 'linked', before, session, provedAt }
}

async function decideInvitation(
  { sql, clock }: AuthContext,
  { person }: ProvedSignIn,
  tokenHash: string,
): Promise<AccountDecision> {
  const now = clock.now()
  const purposes = ['confirmation'] as const
  const found = await findByLinkHash(sql, storedUserColumns, { tokenHash, purposes, now })
  if (found?.token.requested_by !== 'invite') throw invitationExpired()
  const before = toStoredUser(found)
  const { email } = before.user
  // An operator, or a sign-in at a provider, has confirmed the account since: it has an owner, whose
  // factors an acceptance would remove.
  if (hasConfirmedAddress(before.user)) throw invitationExpired()
  if (isBanned(before.user, now)) throw userBanned()
  if (email === null || !person.verified.includes(email)) {
    throw validationFailed('Invited email does not match emails from external provider')
  }
  return { kind: 'invited', before, tokenId: found.token.id }
}

function requireRoom({ identities }: User): void {
  if (identities.length >= maxIdentities) throw tooManyIdentities()
}
