import { auditNote } from '../../audit/audit-note.ts'
import type { GrantedTokens } from '../../config/sections/provider-definition.ts'
import type { AuthContext } from '../../deps.ts'
import { AuthError } from '../../errors/auth-error.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { findByLinkHash } from '../../one-time-tokens/find-by-link.sql.ts'
import { changeUser } from '../../steps/change-user.ts'
import type { PreparedSignIn, SignInRows } from '../../steps/complete-sign-in.ts'
import { newIdentity } from '../../steps/external-account.ts'
import { type ExternalPerson, metadataFrom } from '../../steps/external-person.ts'
import { storedUserColumns, toStoredUser } from '../../users/find-user.sql.ts'
import { requireMetadataFits } from '../../users/metadata.ts'
import { providersOf } from '../../users/new-user.ts'
import { providerTokenRows } from '../../users/provider-token.ts'
import { type Identity, isBanned, type User } from '../../users/user.ts'
import { identityExists, userBanned } from '../../users/user-errors.ts'

interface Acceptance<End> {
  /** The hash of the secret of the invitation's link. */
  invitationHash: string
  person: ExternalPerson
  /** What the provider handed out and is to be kept. */
  tokens: GrantedTokens | null
  prepare(userId: string): PreparedSignIn<SignInRows, End>
}

/**
 * Accepts an invitation through a provider that has verified the address which was invited. The user keeps what
 * operators gave, and of all ways to sign in this one.
 *
 * @throws AuthError `invite_not_found` (404), `validation_failed` (400) for another address, `user_banned` (403),
 *   `identity_already_exists` (422).
 */
export async function acceptInvitation<End>(
  ctx: AuthContext,
  { invitationHash, person, tokens, prepare }: Acceptance<End>,
): Promise<End> {
  const now = ctx.clock.now()
  const found = await findByLinkHash(ctx.sql, storedUserColumns, {
    tokenHash: invitationHash,
    purposes: ['confirmation'],
    now,
  })
  if (found?.token.requested_by !== 'invite') throw invitationGone()
  const before = toStoredUser(found)
  if (isBanned(before.user, now)) throw userBanned()
  if (before.user.email === null || !person.verified.includes(before.user.email)) {
    throw validationFailed('Invited email does not match emails from external provider')
  }
  const signIn = prepare(before.user.id)
  const identity = newIdentity(ctx, person, before.user.id)
  const user = {
    ...acceptedUser(ctx, before.user, person, identity),
    ...('sessionRows' in signIn.rows && { lastSignInAt: now }),
  }
  requireMetadataFits(ctx.config, user, before.user)
  const note = auditNote(ctx, {
    action: 'invite_accepted',
    actorId: user.id,
    traits: { provider: person.provider },
  })
  const isSaved = await changeUser(ctx, {
    before,
    after: user,
    passwordHash: null,
    registration: null,
    spentTokenId: found.token.id,
    voidsTokens: true,
    endsSessions: { except: null },
    dropsFactors: true,
    ...signIn.rows,
    ...(tokens && { providerTokenRows: providerTokenRows(ctx, identity, tokens) }),
    auditRows: note.rows,
  }).catch((error: unknown) => {
    throw error instanceof AuthError && error.code === 'conflict' ? identityExists() : error
  })
  if (!isSaved) throw invitationGone()
  note.log()
  return signIn.complete(user)
}

function acceptedUser(
  { clock, config }: AuthContext,
  user: User,
  person: ExternalPerson,
  identity: Identity,
) {
  const now = clock.now()
  return {
    ...user,
    emailConfirmedAt: user.emailConfirmedAt ?? now,
    factors: [],
    identities: [identity],
    appMetadata: providersOf(user.appMetadata, [person.provider]),
    userMetadata: metadataFrom(
      { ...person.claims, email_verified: true },
      user.userMetadata,
      config.security.maxMetadataBytes,
    ),
    updatedAt: now,
  }
}

/** It was accepted or taken back, or it has expired. */
const invitationGone = (): AuthError => new AuthError('invite_not_found', 404, 'Invite not found')
