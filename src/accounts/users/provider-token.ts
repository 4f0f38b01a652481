import type {
  GrantedTokens,
  ProviderAccessToken,
} from '../../platform/config/sections/provider-definition.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { reseal, seal, unseal } from '../../platform/kit/sealed-box.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { type Rows, rowsOf } from '../../platform/sql/tables.ts'
import type { ProviderToken as ProviderTokenEntity } from './provider-token.entity.ts'

/** The tokens of a provider as PostgreSQL writes them in JSON. */
export type ProviderTokenRow = RowOf<ProviderTokenEntity>

/** Tokens as they are stored for the first time, or in place of those that are there. */
export const toProviderTokenRow = (
  roots: RootKeys,
  identityId: string,
  { accessToken, refreshToken, expiresAt, scopes }: GrantedTokens,
  now: Date,
): ProviderTokenRow => ({
  identity_id: identityId,
  sealed_access_token: seal(roots, providerTokenBox('access', identityId), accessToken),
  sealed_refresh_token:
    refreshToken === null
      ? null
      : seal(roots, providerTokenBox('refresh', identityId), refreshToken),
  expires_at: expiresAt?.toISOString() ?? null,
  scopes: scopes && [...scopes],
  renewing_until: null,
  created_at: now.toISOString(),
  updated_at: now.toISOString(),
})

/**
 * Tokens that take the place of those of a row. A refresh token that stays is sealed with the current root key; null where
 * it is.
 */
export function toRenewedRow(
  roots: RootKeys,
  { identity_id: id, sealed_refresh_token: used }: ProviderTokenRow,
  tokens: GrantedTokens,
  now: Date,
): ProviderTokenRow {
  const row = toProviderTokenRow(roots, id, tokens, now)
  if (row.sealed_refresh_token !== null || used === null) return row
  return { ...row, sealed_refresh_token: reseal(roots, providerTokenBox('refresh', id), used) }
}

/** The tokens that a provider handed out for an identity, to be stored with it, in the same statement. */
export const providerTokenRows = (
  { roots, clock }: { roots: RootKeys; clock: Clock },
  { id }: { id: string },
  tokens: GrantedTokens,
): Rows<'provider_tokens'> =>
  rowsOf('provider_tokens', toProviderTokenRow(roots, id, tokens, clock.now()))

/** The access token of a row. Throws when no root key of ours sealed it. */
export const openAccessToken = (
  roots: RootKeys,
  row: Pick<ProviderTokenRow, 'identity_id' | 'sealed_access_token' | 'expires_at' | 'scopes'>,
): ProviderAccessToken => ({
  accessToken: unseal(roots, providerTokenBox('access', row.identity_id), row.sealed_access_token),
  expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
  scopes: row.scopes,
})

/** A refresh token from its box. Throws when no root key of ours sealed it. */
export const openRefreshToken = (roots: RootKeys, identityId: string, sealed: string): string =>
  unseal(roots, providerTokenBox('refresh', identityId), sealed)

/** The context of the box of a token: one is never opened as the other, nor as another identity's. */
export const providerTokenBox = (kind: 'access' | 'refresh', identityId: string): string =>
  `provider-token:${kind}:${identityId}`

/** The user has no account at the provider. */
export const identityNotFound = (): AuthError =>
  new AuthError('identity_not_found', 404, 'The user has no identity of this provider')

/** None is kept: it was not switched on, or the person has not signed in through the provider since. */
export const providerTokenNotFound = (): AuthError =>
  new AuthError('provider_token_not_found', 404, 'No token of this provider is kept')

/** The person has to sign in through the provider again. */
export const providerTokenExpired = (): AuthError =>
  new AuthError(
    'provider_token_expired',
    403,
    'The token of the provider has expired and cannot be renewed: sign in through the provider again',
  )
