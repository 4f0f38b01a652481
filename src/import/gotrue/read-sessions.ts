import {
  type AuthenticationMethod,
  type AuthenticationMethodReference,
  factorMethods,
} from '../../accounts/sessions/assurance.ts'
import {
  formerTokenHashes,
  hashImportedToken,
  importedCounter,
  isImportableToken,
  signRefreshToken,
} from '../../accounts/sessions/refresh-token.ts'
import type { SessionRow } from '../../accounts/sessions/session.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { type ColumnKeys, openColumn } from './column-encryption.ts'
import { type IdentityRecord, readSourceInstant, type SessionRecord } from './source-records.ts'

/** A session that can be renewed, with its refresh tokens in stored form. */
export interface ReadSession {
  row: SessionRow
  tokens: ReadToken[]
}

/** The stored forms of a refresh token. */
interface ReadToken {
  /** With the current root key. */
  hash: string
  /** With former root keys, under which an earlier run may have stored it. */
  formerHashes: string[]
}

/**
 * The reason why a session is not imported: it has ended, has no refresh token or only ones whose
 * form a refresh rejects, or belongs to another application.
 */
export type SessionLoss =
  | ('over' | 'unrenewable' | 'of an OAuth client')
  | 'refresh token of unknown form'

interface Reading {
  keys: ColumnKeys
  roots: RootKeys
  now: Date
}

/** @throws SourceError if its key is encrypted with a missing key. */
export function readSession(
  reading: Reading,
  record: SessionRecord,
  identities: readonly IdentityRecord[],
): ReadSession | SessionLoss {
  if (record.oauth_client_id) return 'of an OAuth client'
  const notAfter = readSourceInstant(record.not_after)
  if (notAfter && notAfter <= reading.now) return 'over'
  const stored = [...record.tokens, ...signedTokens(reading.keys, record)]
  const tokens = stored.filter(isImportableToken)
  if (tokens.length === 0) {
    return stored.length === 0 ? 'unrenewable' : 'refresh token of unknown form'
  }
  return {
    row: toRow(record, identities, notAfter, reading.now),
    tokens: tokens.map((token) => ({
      hash: hashImportedToken(reading.roots.current, token),
      formerHashes: formerTokenHashes(reading.roots, token),
    })),
  }
}

/**
 * Returns the signed tokens that GoTrue accepts. They are derived from key and counter, so the key
 * is not imported. GoTrue also accepts the one before the newest, from clients that lost a
 * response.
 */
function signedTokens(keys: ColumnKeys, record: SessionRecord): string[] {
  const { id: sessionId, refresh_token_hmac_key: sealed, refresh_token_counter: newest } = record
  if (!sealed || newest === null || newest === undefined) return []
  const key = Buffer.from(openColumn(keys, sessionId, sealed), 'base64url')
  return [newest, newest - 1]
    .filter((counter) => counter >= 0)
    .map((counter) => signRefreshToken(key, { sessionId, counter }))
}

const toRow = (
  record: SessionRecord,
  identities: readonly IdentityRecord[],
  notAfter: Date | null,
  now: Date,
): SessionRow => {
  const createdAt = readSourceInstant(record.created_at) ?? now
  const amr = readMethods(record, identities)
  return {
    id: record.id,
    user_id: record.user_id,
    aal: amr.some(({ method }) => secondFactors.has(method)) ? 'aal2' : 'aal1',
    amr,
    factor_id: record.factor_id ?? null,
    refresh_token_counter: importedCounter,
    refreshed_at: lastRefresh(record, createdAt)?.toISOString() ?? null,
    not_after: notAfter?.toISOString() ?? null,
    revoked_at: null,
    tag: record.tag ?? null,
    ip: record.ip ?? null,
    // The address at the sign-in is unknown; the session may have been renewed since.
    opened_ip: null,
    user_agent: record.user_agent ?? null,
    oauth_client_id: null,
    scopes: null,
    oauth_resource: null,
    oauth_key: null,
    created_at: createdAt.toISOString(),
  }
}

/**
 * Returns the last refresh. If it is not stored, the time of the refresh token shows the last use.
 */
function lastRefresh(record: SessionRecord, createdAt: Date): Date | null {
  const refreshedAt = readSourceInstant(record.refreshed_at)
  if (refreshedAt) return refreshedAt
  const tokenAt = readSourceInstant(record.tokens_updated_at)
  return tokenAt && tokenAt > createdAt ? tokenAt : null
}

const secondFactors = new Set<string>(Object.values(factorMethods))

/** Returns the methods, the newest first, as in an access token. */
const readMethods = (record: SessionRecord, identities: readonly IdentityRecord[]) =>
  record.amr
    .map(({ authentication_method, updated_at }): AuthenticationMethodReference => {
      const method = authentication_method as AuthenticationMethod
      const at = readSourceInstant(updated_at) ?? new Date(0)
      const provider = method === 'sso/saml' ? ssoProvider(identities) : null
      const timestamp = Math.floor(at.getTime() / 1000)
      return { method, timestamp, ...(provider && { provider }) }
    })
    .sort((a, b) => b.timestamp - a.timestamp)

/** Returns the SSO provider, if the user has only one identity. */
function ssoProvider([only, ...others]: readonly IdentityRecord[]): string | null {
  if (!only || others.length > 0) return null
  return /^sso:(.+)$/.exec(only.provider)?.[1] ?? null
}
