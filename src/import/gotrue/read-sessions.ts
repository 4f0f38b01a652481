import {
  type AuthenticationMethod,
  type AuthenticationMethodReference,
  factorMethods,
} from '../../accounts/sessions/assurance.ts'
import { hashImportedToken, importedCounter } from '../../accounts/sessions/imported-token.ts'
import { signRefreshToken } from '../../accounts/sessions/refresh-token.ts'
import type { SessionRow } from '../../accounts/sessions/session.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { type ColumnKeys, openColumn } from './column-encryption.ts'
import { readSourceInstant } from './source-instant.ts'
import type { IdentityRecord, SessionRecord } from './source-records.ts'

/** A session that can be renewed, with the tokens that renew it, in the form that is stored of them. */
export interface ReadSession {
  row: SessionRow
  tokenHashes: string[]
}

/** Why a session stays behind: past its end, without a token that renews it, or another application's. */
export type SessionLoss = 'over' | 'unrenewable' | 'of an OAuth client'

interface Reading {
  keys: ColumnKeys
  roots: RootKeys
  now: Date
}

/** @throws SourceError when its key is encrypted under one that was not given. */
export function readSession(
  reading: Reading,
  record: SessionRecord,
  identities: readonly IdentityRecord[],
): ReadSession | SessionLoss {
  if (record.oauth_client_id) return 'of an OAuth client'
  const notAfter = readSourceInstant(record.not_after)
  if (notAfter && notAfter <= reading.now) return 'over'
  const tokens = [...record.tokens, ...signedTokens(reading.keys, record)]
  if (tokens.length === 0) return 'unrenewable'
  return {
    row: toRow(record, identities, notAfter, reading.now),
    tokenHashes: tokens.map((token) => hashImportedToken(reading.roots.current, token)),
  }
}

/**
 * The signed tokens that the other service would take: they follow from key and counter, so the key
 * itself can stay behind. It takes the one before the newest, too, for clients whose answer was lost.
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
    // Where it was opened is not known; it may have been renewed since.
    opened_ip: null,
    user_agent: record.user_agent ?? null,
    created_at: createdAt.toISOString(),
  }
}

/** Without a refresh of its own, the token that renews it tells when somebody was last there. */
function lastRefresh(record: SessionRecord, createdAt: Date): Date | null {
  const refreshedAt = readSourceInstant(record.refreshed_at)
  if (refreshedAt) return refreshedAt
  const tokenAt = readSourceInstant(record.tokens_updated_at)
  return tokenAt && tokenAt > createdAt ? tokenAt : null
}

const secondFactors = new Set<string>(Object.values(factorMethods))

/** The newest first, as in an access token. */
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

/** Told only where there can be no doubt which one it was. */
function ssoProvider([only, ...others]: readonly IdentityRecord[]): string | null {
  if (!only || others.length > 0) return null
  return /^sso:(.+)$/.exec(only.provider)?.[1] ?? null
}
