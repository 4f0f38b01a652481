import type { GrantedTokens, ProviderAccessToken } from '../config/sections/provider-definition.ts'
import type { Clock } from '../kit/clock.ts'
import type { RootKeys } from '../kit/derived-keys.ts'
import { seal, unseal } from '../kit/sealed-box.ts'
import type { RowOf } from '../sql/row-of.ts'
import { type Rows, rowsOf } from '../sql/tables.ts'
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
  sealed_access_token: seal(roots, context('access', identityId), accessToken),
  sealed_refresh_token:
    refreshToken === null ? null : seal(roots, context('refresh', identityId), refreshToken),
  expires_at: expiresAt?.toISOString() ?? null,
  scopes: scopes && [...scopes],
  renewing_until: null,
  created_at: now.toISOString(),
  updated_at: now.toISOString(),
})

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
  accessToken: unseal(roots, context('access', row.identity_id), row.sealed_access_token),
  expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
  scopes: row.scopes,
})

/** A refresh token from its box. Throws when no root key of ours sealed it. */
export const openRefreshToken = (roots: RootKeys, identityId: string, sealed: string): string =>
  unseal(roots, context('refresh', identityId), sealed)

/** One is never opened as the other, nor as another identity's. */
const context = (kind: 'access' | 'refresh', identityId: string): string =>
  `provider-token:${kind}:${identityId}`
