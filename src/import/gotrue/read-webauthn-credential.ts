import { isRecord } from '../../platform/kit/is-record.ts'
import type { NewRow } from '../../platform/sql/tables.ts'

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
export const noCredential: ReadCredential = {
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
export function readCredential(value: unknown): ReadCredential | null {
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
export const maxCredentialIdLength = 1_364

const objectIn = (value: Record<string, unknown>, name: string): Record<string, unknown> => {
  const found = value[name]
  return isRecord(found) ? found : {}
}

/** Converts base64 into base64url; null for other values. */
const readBase64 = (value: unknown): string | null =>
  typeof value === 'string' && /^[\w+/-]+={0,2}$/.test(value)
    ? Buffer.from(value, 'base64').toString('base64url')
    : null

export const readCount = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0

/** Returns the transports, which are hints for browsers. */
export const readTransports = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

const readText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null
