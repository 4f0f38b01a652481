import type { NewRow } from '../../platform/sql/tables.ts'
import { maxCredentialIdLength, readCount, readTransports } from './read-webauthn-credential.ts'
import { missingInstant, type PasskeyRecord, readInstantText } from './source-records.ts'

/** A passkey to store. */
export type ReadPasskey = NewRow<'passkeys'>

/** @returns null for a row without a valid credential. */
export function readPasskey(userId: string, record: PasskeyRecord): ReadPasskey | null {
  const credentialId = readBytes(record.credential_id)
  const publicKey = readBytes(record.public_key)
  if (!credentialId || !publicKey || credentialId.length > maxCredentialIdLength) return null
  const createdAt = readInstantText(record.created_at) ?? missingInstant
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
    updated_at: readInstantText(record.updated_at) ?? createdAt,
    last_used_at: readInstantText(record.last_used_at),
  }
}

/** Converts `\x01ff`, PostgreSQL's form of bytes in JSON, into base64url. */
const readBytes = (text: string | null | undefined): string =>
  Buffer.from(text?.replace(/^\\x/, '') ?? '', 'hex').toString('base64url')

const noAaguid = '00000000-0000-0000-0000-000000000000'
