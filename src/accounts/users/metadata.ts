import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { User } from './user.ts'

type Metadata = Record<string, unknown>

/** Merges top-level keys: null removes one, and an absent key stays. */
export function mergeMetadata(current: Metadata, changes: Metadata): Metadata {
  const merged = { ...current, ...changes }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
}

/** Metadata of both kinds, or of the submitted ones. */
export type MetadataOfUser = Partial<Pick<User, 'userMetadata' | 'appMetadata'>>

/**
 * Rejects a user's metadata that is larger than the setting allows: each access token contains it,
 * and each user in a list. Every change of metadata calls it with the values to be stored.
 *
 * @param before the stored values. Larger ones, which are possible after the setting was lowered,
 *   may shrink.
 * @throws AuthError `validation_failed` (422), naming field and size.
 */
export function requireMetadataFits(
  { security: { maxMetadataBytes } }: { security: { maxMetadataBytes: number } },
  after: MetadataOfUser,
  before: MetadataOfUser = {},
): void {
  const allowed = maxMetadataBytes
  requireFits('user_metadata', after.userMetadata, { before: before.userMetadata, allowed })
  requireFits('app_metadata', after.appMetadata, { before: before.appMetadata, allowed })
}

function requireFits(
  field: string,
  after: Metadata = {},
  { before = {}, allowed }: { before: Metadata | undefined; allowed: number },
): void {
  if (after === before) return
  const bytes = metadataBytes(after)
  if (bytes <= allowed || bytes <= metadataBytes(before)) return
  throw validationFailed(`${field}: takes ${bytes} bytes, and ${allowed} are allowed`, 422)
}

/** Returns the size of metadata, as JSON in UTF-8. */
export const metadataBytes = (metadata: Metadata): number =>
  Buffer.byteLength(JSON.stringify(metadata, asStored))

/**
 * Returns a number as PostgreSQL writes it, without an exponent: the six characters of `1e+300`
 * become three hundred.
 */
function asStored(_key: string, value: unknown): unknown {
  if (typeof value !== 'number' || !Number.isFinite(value)) return value
  const [digits = '', exponent] = String(value).split('e')
  return exponent === undefined ? value : `${digits}${'0'.repeat(Math.abs(Number(exponent)))}`
}
