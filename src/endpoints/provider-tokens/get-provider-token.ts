import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { type Caller, needsFactorProof } from '../../accounts/callers/authenticate-caller.ts'
import { stepUpNeededForToken } from '../../accounts/sessions/session-errors.ts'
import {
  identityNotFound,
  openAccessToken,
  openRefreshToken,
  type ProviderTokenRow,
  providerTokenExpired,
  providerTokenNotFound,
  toRenewedRow,
} from '../../accounts/users/provider-token.ts'
import {
  claimRenewal,
  findProviderToken,
  releaseRenewal,
  storeRenewed,
} from '../../accounts/users/provider-tokens.sql.ts'
import { isInUse, type User } from '../../accounts/users/user.ts'
import { isGrantRejection } from '../../credentials/external/protocol/provider-errors.ts'
import type { Provider } from '../../credentials/external/provider.ts'
import type { ProviderAccessToken } from '../../platform/config/sections/provider-definition.ts'
import { serviceUnavailable } from '../../platform/errors/request-errors.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import { retryTransient } from '../../platform/sql/retry.ts'

/**
 * Returns the caller's access token at a provider.
 *
 * @throws AuthError `insufficient_aal` (403) for a user who has a second factor and has not proved
 *   it, and the errors of {@link getProviderToken}.
 */
export async function getOwnProviderToken(
  ctx: AuthContext,
  caller: Caller,
  provider: string,
): Promise<ProviderAccessToken> {
  if (needsFactorProof(caller)) throw stepUpNeededForToken()
  return getProviderToken(ctx, caller.user, provider)
}

/**
 * Returns a user's access token at a provider, renewed where it is about to expire.
 *
 * Renewal does not use the host's transaction: a rollback would lose a refresh token that the
 * provider has replaced.
 *
 * @throws AuthError `validation_failed` (400) for an unknown provider, `identity_not_found`,
 *   `provider_token_not_found` (404), `provider_token_expired` (403), `service_unavailable` (503).
 */
export async function getProviderToken(
  ctx: AuthContext,
  { id: userId, identities }: User,
  name: string,
): Promise<ProviderAccessToken> {
  const { provider, settings } = await ctx.providers.require(name)
  const isOwn = identities.some((one) => one.provider === provider.name && isInUse(one))
  if (!isOwn) throw identityNotFound()
  if (!settings.keepTokens) throw providerTokenNotFound()
  const token = await findProviderToken(ctx.database.sql, { userId, provider: provider.name })
  if (!token) throw providerTokenNotFound()
  if (!isDue(token, ctx.clock.now())) return openAccessToken(ctx.roots, token)
  const { identity_id: id } = token
  return ctx.renewals(id, () => renewProviderToken(ctx, provider, id))
}

/** The minimum remaining lifetime of a returned token. */
const renewBeforeMs = 60_000

/** The interval at which the lease of another instance is checked. */
const lookEveryMs = 100

/** Whether a token must be renewed. A token without a known expiry is not renewed. */
const isDue = ({ expires_at }: ProviderTokenRow, now: Date): boolean =>
  expires_at !== null && new Date(expires_at) <= dueAt(now)

const dueAt = (now: Date): Date => new Date(now.getTime() + renewBeforeMs)

/**
 * Renews the tokens of an identity, or waits for the instance that does. A lease excludes other
 * instances, so that no transaction is open and no row locked during the request.
 *
 * @returns the new token; the old one where the provider does not respond and it has not expired.
 * @throws AuthError `provider_token_not_found` (404), `provider_token_expired` (403),
 *   `service_unavailable` (503).
 */
async function renewProviderToken(
  ctx: AuthContext,
  provider: Provider,
  identityId: string,
): Promise<ProviderAccessToken> {
  // The injected clock may stand still in tests.
  const deadline = performance.now() + leaseMs(ctx)
  let hasRenewed = false
  for (;;) {
    const now = ctx.clock.now()
    const leaseUntil = new Date(now.getTime() + leaseMs(ctx))
    const found = await claimRenewal(ctx.database.sql, {
      identityId,
      // A new token that is already due has a shorter lifetime at the provider. It is not renewed
      // again.
      dueAt: hasRenewed ? new Date(0) : dueAt(now),
      now,
      leaseUntil,
    })
    if (!found) throw providerTokenNotFound()
    const { token, isClaimed } = found
    if (!isClaimed) {
      const isRenewable = !hasRenewed && isDue(token, now) && token.sealed_refresh_token !== null
      if (!isRenewable || performance.now() > deadline) return asItIs(ctx, token)
      await sleep(lookEveryMs)
      continue
    }
    const outcome = await renew(ctx, provider, token)
    if (outcome === 'failed') return asItIs(ctx, token)
    hasRenewed = outcome === 'renewed'
    // The next attempt finds the token that this renewal, or a faster sign-in, stored.
  }
}

/**
 * Longer than a provider can take: its discovery document, then the client credentials in the
 * header and in the body.
 */
const leaseMs = ({ config }: AuthContext): number =>
  3 * config.outgoing.timeoutSeconds * 1000 + 10_000

/** Exchanges the refresh token of a claimed row, and releases the claim. */
async function renew(
  ctx: AuthContext,
  provider: Provider,
  token: ProviderTokenRow,
): Promise<'renewed' | 'refused' | 'failed'> {
  const { sql } = ctx.database
  try {
    const { identity_id: id, sealed_refresh_token: sealed } = token
    const tokens = await provider.refresh(openRefreshToken(ctx.roots, id, sealed ?? ''))
    const renewed = toRenewedRow(ctx.roots, token, tokens, ctx.clock.now())
    // The provider may have revoked the old refresh token.
    await retryTransient(() => storeRenewed(sql, token, renewed))
    return 'renewed'
  } catch (error) {
    const isRefused = isGrantRejection(error)
    const fields = { requestId: ctx.request.id, provider: provider.name }
    if (isRefused) ctx.logger.info(fields, 'provider rejected the refresh token')
    else ctx.logger.warn({ ...fields, fault: describeFault(error) }, 'provider token not renewed')
    await releaseRenewal(sql, token, { isRefused })
    return isRefused ? 'refused' : 'failed'
  }
}

/** @throws AuthError when it has expired. */
function asItIs({ roots, clock }: AuthContext, token: ProviderTokenRow): ProviderAccessToken {
  const { expires_at, sealed_refresh_token } = token
  if (expires_at === null || new Date(expires_at) > clock.now())
    return openAccessToken(roots, token)
  throw sealed_refresh_token === null
    ? providerTokenExpired()
    : serviceUnavailable('The provider did not renew the token')
}
