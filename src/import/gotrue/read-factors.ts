import { sealFactorSecret } from '../../accounts/factors/factor-secret.ts'
import { phoneToFind } from '../../accounts/users/addresses.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { isIndexable } from '../../platform/kit/storable-text.ts'
import type { NewRow } from '../../platform/sql/tables.ts'
import { type ColumnKeys, openColumn } from './column-encryption.ts'
import { type FactorRecord, type PasskeyRecord, readSourceInstant } from './source-records.ts'

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

/** A factor or passkey without a readable time counts as older than all events here. */
const beginning = new Date(0).toISOString()

/** The credential of a security key, as in rows of `factors`. */
type ReadCredential = Required<
  Pick<
    NewRow<'factors'>,
    | 'credential_id'
    | 'public_key'
    | 'sign_count'
    | 'transports'
    | 'attestation_format'
    | 'backup_eligible'
    | 'backed_up'
  >
>

/** The values of a factor that is not a security key. */
const noCredential: ReadCredential = {
  credential_id: null,
  public_key: null,
  sign_count: null,
  transports: null,
  attestation_format: null,
  backup_eligible: null,
  backed_up: null,
}

/**
 * Reads the credential of a security key: JSON with binary values in base64.
 *
 * @returns null if it is invalid.
 */
function readCredential(value: unknown): ReadCredential | null {
  if (!isRecord(value)) return null
  const id = readBase64(value['id'])
  const publicKey = readBase64(value['publicKey'])
  if (id === null || publicKey === null || id.length > maxCredentialIdLength) return null
  const flags = objectIn(value, 'flags')
  return {
    credential_id: id,
    public_key: publicKey,
    sign_count: readCount(objectIn(value, 'authenticator')['signCount']),
    transports: readTransports(value['transport']),
    // Later releases store the format separately from the attestation type.
    attestation_format:
      readText(value['attestationFormat']) ?? readText(value['attestationType']) ?? 'none',
    backup_eligible: flags['backupEligible'] === true,
    backed_up: flags['backupState'] === true,
  }
}

/** Ids have at most 1,023 bytes. @see WebAuthn L3 §4 */
const maxCredentialIdLength = 1_364

const objectIn = (value: Record<string, unknown>, name: string): Record<string, unknown> => {
  const found = value[name]
  return isRecord(found) ? found : {}
}

/** Converts base64 into base64url; null for other values. */
const readBase64 = (value: unknown): string | null =>
  typeof value === 'string' && /^[\w+/-]+={0,2}$/.test(value)
    ? Buffer.from(value, 'base64').toString('base64url')
    : null

const readCount = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0

/** Returns the transports, which are hints for browsers. */
const readTransports = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

const readText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

/** A passkey to store. */
export type ReadPasskey = NewRow<'passkeys'>

/** @returns null for a row without a valid credential. */
export function readPasskey(userId: string, record: PasskeyRecord): ReadPasskey | null {
  const credentialId = readBytes(record.credential_id)
  const publicKey = readBytes(record.public_key)
  if (!credentialId || !publicKey || credentialId.length > maxCredentialIdLength) return null
  const createdAt = toText(record.created_at) ?? beginning
  return {
    id: record.id,
    user_id: userId,
    credential_id: credentialId,
    public_key: publicKey,
    sign_count: readCount(record.sign_count),
    transports: readTransports(record.transports),
    attestation_format: record.attestation_type || 'none',
    aaguid: record.aaguid ?? noAaguid,
    backup_eligible: record.backup_eligible ?? false,
    backed_up: record.backed_up ?? false,
    friendly_name: record.friendly_name?.trim() || 'Passkey',
    created_at: createdAt,
    updated_at: toText(record.updated_at) ?? createdAt,
    last_used_at: toText(record.last_used_at),
  }
}

/** Converts `\x01ff`, PostgreSQL's form of bytes in JSON, into base64url. */
const readBytes = (text: string | null | undefined): string =>
  Buffer.from(text?.replace(/^\\x/, '') ?? '', 'hex').toString('base64url')

const noAaguid = '00000000-0000-0000-0000-000000000000'
