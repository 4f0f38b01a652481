import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type Rows, rowsOf } from '../../platform/sql/tables.ts'
import type { ProviderTokenRow } from './provider-token.ts'

interface RenewalClaim {
  identityId: string
  /** Tokens that expire by this time are renewed. */
  dueAt: Date
  now: Date
  /** The time until which no other process renews them. */
  leaseUntil: Date
}

type ClaimParameters = { identityId: string; dueAt: string; now: string; leaseUntil: string }

const claim = statement<
  ClaimParameters,
  { claimed: ProviderTokenRow | null; token: ProviderTokenRow }
>(
  'claim_provider_token_renewal',
  (sql, $) => `
    with claimed as (
      update ${sql.table('provider_tokens')} c set renewing_until = ${$.leaseUntil}
      where c.identity_id = ${$.identityId} and c.sealed_refresh_token is not null and c.expires_at <= ${$.dueAt}
        and (c.renewing_until is null or c.renewing_until <= ${$.now})
      returning to_jsonb(c) as token
    )
    select (select token from claimed) as claimed, to_jsonb(t) as token
    from ${sql.table('provider_tokens')} t where t.identity_id = ${$.identityId}`,
)

/**
 * Claims the renewal of tokens that are due, unless another process holds the claim. No lock
 * remains: after a process that ends without a renewal, others wait until the lease ends.
 *
 * @returns the tokens as stored, and whether the caller has to renew them; null where there are
 *   none.
 */
export async function claimRenewal(
  sql: Queryable,
  { identityId, dueAt, now, leaseUntil }: RenewalClaim,
): Promise<{ token: ProviderTokenRow; isClaimed: boolean } | null> {
  const [found] = await sql.query(claim, {
    identityId,
    dueAt: dueAt.toISOString(),
    now: now.toISOString(),
    leaseUntil: leaseUntil.toISOString(),
  })
  return found ? { token: found.claimed ?? found.token, isClaimed: found.claimed !== null } : null
}

const store = statement<{ used: string | null; tokenRows: Rows<'provider_tokens'> }>(
  'store_renewed_provider_token',
  (sql, $) => `
    update ${sql.table('provider_tokens')} t set sealed_access_token = n.sealed_access_token,
      sealed_refresh_token = coalesce(n.sealed_refresh_token, t.sealed_refresh_token),
      expires_at = n.expires_at, scopes = coalesce(n.scopes, t.scopes), renewing_until = null, updated_at = n.updated_at
    from jsonb_populate_recordset(null::${sql.table('provider_tokens')}, ${$.tokenRows}::jsonb) n
    where t.identity_id = n.identity_id and coalesce(t.sealed_refresh_token, ${$.used}) = ${$.used}
    returning t.identity_id`,
)

/**
 * Stores the tokens that a refresh token was exchanged for. A new sign-in may have replaced the
 * refresh token meanwhile: then its tokens stay. After the end of the lease, another process whose
 * exchange the provider rejected may have deleted the refresh token: then the new tokens are
 * stored.
 *
 * @param used the sealed refresh token, as claimed.
 * @returns whether the tokens were stored.
 */
export async function storeRenewed(
  sql: Queryable,
  { sealed_refresh_token: used }: ProviderTokenRow,
  renewed: ProviderTokenRow,
): Promise<boolean> {
  const stored = await sql.query(store, { used, tokenRows: rowsOf('provider_tokens', renewed) })
  return stored.length > 0
}

type ReleaseParameters = {
  identityId: string
  used: string | null
  lease: string | null
  isRefused: boolean
}

const release = statement<ReleaseParameters>(
  'release_provider_token_renewal',
  (sql, $) => `
    update ${sql.table('provider_tokens')} set renewing_until = null,
      sealed_refresh_token = case when ${$.isRefused} then null else sealed_refresh_token end
    where identity_id = ${$.identityId} and sealed_refresh_token = ${$.used} and renewing_until = ${$.lease}`,
)

/**
 * Releases a claim, if it is still held. Otherwise another process may be exchanging the same
 * refresh token, and only that process may delete it.
 *
 * @param token as claimed.
 * @param isRefused whether the provider rejected the refresh token, which is then deleted.
 */
export async function releaseRenewal(
  sql: Queryable,
  token: ProviderTokenRow,
  { isRefused }: { isRefused: boolean },
): Promise<void> {
  const { identity_id: identityId, sealed_refresh_token: used, renewing_until: lease } = token
  await sql.query(release, { identityId, used, lease, isRefused })
}

const find = statement<{ userId: string; provider: string }, { token: ProviderTokenRow }>(
  'find_provider_token',
  (sql, $) => `
    select to_jsonb(t) as token
    from ${sql.table('provider_tokens')} t join ${sql.table('identities')} i on i.id = t.identity_id
    where i.user_id = ${$.userId} and i.provider = ${$.provider} and i.suspended_at is null
    order by i.last_sign_in_at desc nulls last, i.id limit 1`,
)

/**
 * Returns the tokens of a user's account at a provider. With several accounts there, the one that
 * signed in last applies.
 */
export async function findProviderToken(
  sql: Queryable,
  whose: { userId: string; provider: string },
): Promise<ProviderTokenRow | null> {
  const [found] = await sql.query(find, whose)
  return found?.token ?? null
}
