import { sealFactorSecret } from '../../factors/factor-secret.ts'
import type { RootKeys } from '../../kit/derived-keys.ts'
import { type ColumnKeys, openColumn } from './column-encryption.ts'
import { readSourceInstant } from './source-instant.ts'
import type { FactorRecord } from './source-records.ts'

/** A factor as it is to be stored, its secret in clear. */
export type ReadFactor = ReturnType<typeof readFactor>

/** Whoever did not prove a factor within minutes begins anew. */
export const isVerified = ({ status }: FactorRecord): boolean => status === 'verified'

/** @throws SourceError when its secret is encrypted under a key that was not given. */
export const readFactor = (keys: ColumnKeys, userId: string, record: FactorRecord) => ({
  id: record.id,
  user_id: userId,
  friendly_name: record.friendly_name?.trim() ? record.friendly_name : null,
  factor_type: record.factor_type,
  status: record.status,
  secret: record.secret ? openColumn(keys, record.id, record.secret) : null,
  phone: record.phone || null,
  last_used_step: null,
  web_authn_credential: record.web_authn_credential ?? null,
  web_authn_aaguid: record.web_authn_aaguid ?? null,
  last_web_authn_challenge: record.last_webauthn_challenge_data ?? null,
  last_challenged_at: toText(record.last_challenged_at),
  created_at: toText(record.created_at),
  updated_at: toText(record.updated_at),
})

/** The row with its secret sealed: each time in another way, hence not before it is stored. */
export const sealFactor = (roots: RootKeys, factor: ReadFactor): ReadFactor => ({
  ...factor,
  secret: factor.secret && sealFactorSecret(roots, factor.id, factor.secret),
})

const toText = (text: string | null | undefined): string | null =>
  readSourceInstant(text)?.toISOString() ?? null
