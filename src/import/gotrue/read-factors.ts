import { sealFactorSecret } from '../../accounts/factors/factor-secret.ts'
import { phoneToFind } from '../../accounts/users/addresses.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { isIndexable } from '../../platform/kit/storable-text.ts'
import type { NewRow } from '../../platform/sql/tables.ts'
import { type ColumnKeys, openColumn } from './column-encryption.ts'
import { noCredential, readCredential } from './read-credential.ts'
import { type FactorRecord, readSourceInstant } from './source-records.ts'

/** A factor to store, with its secret unencrypted. */
export type ReadFactor = NewRow<'factors'>

/**
 * Reports whether a security key lacks its credential. It is imported nevertheless: without it, the
 * first factor alone would give access to protected operations.
 */
export const lacksCredential = ({ factor_type, credential_id }: ReadFactor): boolean =>
  factor_type === 'webauthn' && !credential_id

/**
 * Reports whether a factor is verified. Unverified ones are not imported, and must be enrolled
 * again.
 */
export const isVerified = ({ status }: FactorRecord): boolean => status === 'verified'

/** @throws SourceError if its secret is encrypted with a missing key. */
export const readFactor = (
  keys: ColumnKeys,
  userId: string,
  record: FactorRecord,
): NewRow<'factors'> => ({
  id: record.id,
  user_id: userId,
  friendly_name: readName(record.friendly_name),
  factor_type: record.factor_type,
  status: record.status,
  secret: record.secret ? openColumn(keys, record.id, record.secret) : null,
  phone: record.phone && isIndexable(record.phone) ? phoneToFind(record.phone).value : null,
  last_used_step: null,
  ...(readCredential(record.web_authn_credential) ?? noCredential),
  web_authn_aaguid: record.web_authn_aaguid ?? null,
  last_challenged_at: toText(record.last_challenged_at),
  // A factor without a readable time counts as older than all events here.
  created_at: toText(record.created_at) ?? beginning,
  updated_at: toText(record.updated_at) ?? beginning,
})

/**
 * Returns the row with its secret sealed. Sealing is not deterministic, so it happens after the
 * fingerprint.
 */
export const sealFactor = (roots: RootKeys, factor: ReadFactor): ReadFactor => ({
  ...factor,
  secret: factor.secret ? sealFactorSecret(roots, factor.id, factor.secret) : null,
})

/** Omits a name that no index can contain: the factor itself protects the account. */
const readName = (name: string | null | undefined): string | null =>
  name?.trim() && isIndexable(name) ? name : null

const toText = (text: string | null | undefined): string | null =>
  readSourceInstant(text)?.toISOString() ?? null

const beginning = new Date(0).toISOString()
