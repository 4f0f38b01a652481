import { AuthError } from '../../platform/errors/auth-error.ts'
import { recordAlone } from '../acts/record-act.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import type { AuthContext } from '../auth-context.ts'
import type { PasskeyRow } from '../passkeys/passkeys.sql.ts'
import type { Address } from '../users/addresses.ts'
import { hasVerifiedFactor, type Identity, type User } from '../users/user.ts'
import { credentialNotConfirmed, signInMethodSuspended } from '../users/user-errors.ts'
import { requestAddress } from './request-address.ts'
import { requireReachable } from './require-reachable.ts'
import { sendLimitsOf } from './send-limits-of.ts'
import { storeMessageRequest } from './store-message-request.ts'
import { mailToken, type TokenMessage, textToken } from './token-message.ts'

/** A passkey or identity that the address of its account has not confirmed. */
export interface SuspendedCredential {
  /** The id of its row. */
  id: string
  /** `passkey`, or the provider of the identity. */
  provider: string
  /** Its name in the message. */
  label: string
}

/**
 * Rejects a sign-in with a credential from before the first confirmed address of its account, and
 * sends that address a link or code, which ends the suspension. While the send limits last, nothing
 * is sent; the response is the same. Nothing is sent to a user with a second factor: control of the
 * address must not add a passkey or wallet to such an account.
 *
 * @throws AuthError `email_not_confirmed`, `phone_not_confirmed`, and with a second factor
 *   `sign_in_method_suspended` (403).
 */
export async function rejectSuspendedCredential(
  ctx: AuthContext,
  user: User,
  credential: SuspendedCredential,
  redirectTo = ctx.config.siteUrl,
): Promise<never> {
  const to = confirmedAddress(user)
  const needsFactor = hasVerifiedFactor(user)
  const error = needsFactor ? signInMethodSuspended() : credentialNotConfirmed(to?.kind ?? 'email')
  const event: AuditEvent = {
    action: 'failed_sign_in',
    userId: user.id,
    traits: { provider: credential.provider, reason: error.code },
  }
  const isStored =
    to !== null && !needsFactor && isReachable(ctx, to) && (await send(ctx, user, to))
  if (!isStored) await recordAlone(ctx, event)
  throw error

  async function send(within: AuthContext, recipient: User, address: Address): Promise<boolean> {
    return storeMessageRequest(within, {
      userId: recipient.id,
      message: confirmation(within, recipient, address, { credential, redirectTo }),
      audit: event,
      targetLimits: sendLimitsOf(within, 'credential', address),
    })
  }
}

function confirmation(
  ctx: AuthContext,
  user: User,
  address: Address,
  { credential, redirectTo }: { credential: SuspendedCredential; redirectTo: string },
): TokenMessage {
  const to = requestAddress(ctx, address, 'credential')
  const order = { user, to, purpose: 'credential', requestedBy: 'credential', credential } as const
  return to.kind === 'email'
    ? mailToken(ctx, 'credential', order, redirectTo)
    : textToken(ctx, 'credential', order)
}

function confirmedAddress(user: User): Address | null {
  if (user.email && user.emailConfirmedAt) return { kind: 'email', value: user.email }
  if (user.phone && user.phoneConfirmedAt) return { kind: 'phone', value: user.phone }
  return null
}

/**
 * Returns whether messages can go to the address. An unreachable address does not change the
 * response.
 */
function isReachable(ctx: AuthContext, address: Address): boolean {
  try {
    requireReachable(ctx, address)
    return true
  } catch (error) {
    if (error instanceof AuthError) return false
    throw error
  }
}

export const suspendedPasskey = ({
  id,
  friendly_name: name,
}: Pick<PasskeyRow, 'id' | 'friendly_name'>): SuspendedCredential => ({
  id,
  provider: 'passkey',
  label: named('Passkey', name),
})

/**
 * Returns a suspended identity with its name in the message.
 *
 * @param label the name of the provider.
 */
export const suspendedIdentity = (
  { id, provider, identityData }: Identity,
  label: string,
): SuspendedCredential => {
  const { email, custom_claims: claims } = identityData
  const wallet = typeof claims === 'object' && claims && 'address' in claims && claims.address
  return { id, provider, label: named(label, email ?? wallet) }
}

/**
 * Characters that names, which attackers may choose, do not contain in messages; links need some of
 * them.
 */
const unsafe = /[^\p{L}\p{N} @.'’_-]/gu
const looksLikeLink = /[\p{L}\p{N}-]\.\p{L}{2,}/u
/** Five digits, with or without separators, or digits around a dot. */
const looksLikeNumber = /\p{N}([ .'’_-]*\p{N}){4}|\p{N}\.\p{N}/u
const walletAddress = /^(0x[\da-f]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/i
const maxNameLength = 64

/**
 * Returns a credential with its name, which an attacker may have chosen: it contains no link, phone
 * number or IP address.
 */
function named(kind: string, name: unknown): string {
  if (typeof name !== 'string') return kind
  const safe = name.replaceAll(unsafe, ' ').replaceAll(/ +/g, ' ').trim().slice(0, maxNameLength)
  const isAddress = safe.includes('@') && !safe.includes(' ')
  if (safe === '' || safe === kind || (looksLikeLink.test(safe) && !isAddress)) return kind
  return looksLikeNumber.test(safe) && !walletAddress.test(safe) ? kind : `${kind} (${safe})`
}
