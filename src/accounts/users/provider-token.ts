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

/** Returns the row of new tokens, which may replace a stored row. */
const toProviderTokenRow = (
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
 * Returns the row of tokens that replace those in a row. A refresh token that stays is sealed with
 * the current root key; its column is null where it already is.
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

/**
 * Returns the rows of tokens that a provider issued for an identity, for the statement that stores
 * it.
 */
export const providerTokenRows = (
  { roots, clock }: { roots: RootKeys; clock: Clock },
  { id }: { id: string },
  tokens: GrantedTokens,
): Rows<'provider_tokens'> =>
  rowsOf('provider_tokens', toProviderTokenRow(roots, id, tokens, clock.now()))

/**
 * Opens the access token of a row.
 *
 * @throws when none of the service's root keys sealed it.
 */
export const openAccessToken = (
  roots: RootKeys,
  row: Pick<ProviderTokenRow, 'identity_id' | 'sealed_access_token' | 'expires_at' | 'scopes'>,
): ProviderAccessToken => ({
  accessToken: unseal(roots, providerTokenBox('access', row.identity_id), row.sealed_access_token),
  expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
  scopes: row.scopes,
})

/**
 * Opens a sealed refresh token.
 *
 * @throws when none of the service's root keys sealed it.
 */
export const openRefreshToken = (roots: RootKeys, identityId: string, sealed: string): string =>
  unseal(roots, providerTokenBox('refresh', identityId), sealed)

/**
 * Returns the context of the box of a token. No token can be opened as one of another kind or
 * identity.
 */
export const providerTokenBox = (kind: 'access' | 'refresh', identityId: string): string =>
  `provider-token:${kind}:${identityId}`

/** The user has no account at the provider. */
export const identityNotFound = (): AuthError =>
  new AuthError('identity_not_found', 404, 'The user has no identity of this provider')

/**
 * No token is stored: the setting was disabled, or the user has not signed in through the provider
 * since.
 */
export const providerTokenNotFound = (): AuthError =>
  new AuthError('provider_token_not_found', 404, 'No token of this provider is kept')

/** The user has to sign in through the provider again. */
export const providerTokenExpired = (): AuthError =>
  new AuthError(
    'provider_token_expired',
    403,
    'The token of the provider has expired and cannot be renewed: sign in through the provider again',
  )
