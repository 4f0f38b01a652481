import { sealFactorSecret } from '../../accounts/factors/factor-secret.ts'
import { phoneToFind } from '../../accounts/users/addresses.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import type { NewRow } from '../../platform/sql/tables.ts'
import { type ColumnKeys, openColumn } from './column-encryption.ts'
import { noCredential, readCredential } from './read-credential.ts'
import { readSourceInstant } from './source-instant.ts'
import type { FactorRecord } from './source-records.ts'

/** A factor as it is to be stored, its secret in clear. */
export type ReadFactor = NewRow<'factors'>

/** Such a security key comes all the same: without it, the first factor alone would open what it guards. */
export const lacksCredential = ({ factor_type, credential_id }: ReadFactor): boolean =>
  factor_type === 'webauthn' && !credential_id

/** Whoever did not prove a factor within minutes begins anew. */
export const isVerified = ({ status }: FactorRecord): boolean => status === 'verified'

/** @throws SourceError when its secret is encrypted under a key that was not given. */
export const readFactor = (
  keys: ColumnKeys,
  userId: string,
  record: FactorRecord,
): NewRow<'factors'> => ({
  id: record.id,
  user_id: userId,
  friendly_name: record.friendly_name?.trim() ? record.friendly_name : null,
  factor_type: record.factor_type,
  status: record.status,
  secret: record.secret ? openColumn(keys, record.id, record.secret) : null,
  phone: record.phone ? phoneToFind(record.phone).value : null,
  last_used_step: null,
  ...(readCredential(record.web_authn_credential) ?? noCredential),
  web_authn_aaguid: record.web_authn_aaguid ?? null,
  last_challenged_at: toText(record.last_challenged_at),
  // Without a readable time it is older than whatever happens here.
  created_at: toText(record.created_at) ?? beginning,
  updated_at: toText(record.updated_at) ?? beginning,
})

/** The row with its secret sealed: each time in another way, hence not before it is stored. */
export const sealFactor = (roots: RootKeys, factor: ReadFactor): ReadFactor => ({
  ...factor,
  secret: factor.secret ? sealFactorSecret(roots, factor.id, factor.secret) : null,
})

const toText = (text: string | null | undefined): string | null =>
  readSourceInstant(text)?.toISOString() ?? null

const beginning = new Date(0).toISOString()
