import { phoneToFind } from '../../accounts/users/addresses.ts'
import { isIndexable } from '../../platform/kit/storable-text.ts'
import type { NewRow } from '../../platform/sql/tables.ts'
import { type ColumnKeys, openColumn } from './column-encryption.ts'
import { noCredential, readCredential } from './read-webauthn-credential.ts'
import { type FactorRecord, missingInstant, readInstantText } from './source-records.ts'

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
  last_challenged_at: readInstantText(record.last_challenged_at),
  created_at: readInstantText(record.created_at) ?? missingInstant,
  updated_at: readInstantText(record.updated_at) ?? missingInstant,
})

/** Omits a name that no index can contain: the factor itself protects the account. */
const readName = (name: string | null | undefined): string | null =>
  name?.trim() && isIndexable(name) ? name : null
