import { randomBytes } from 'node:crypto'

const uuidText = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const nilUuid = '00000000-0000-0000-0000-000000000000'

/** Whether a value is the text of a UUID in its usual form, of any version. */
export const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && uuidText.test(value)

export const uuidToBytes = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex')

export function uuidFromBytes(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/**
 * A UUID that sorts by the time it was made, so that an index over many of them grows at one end.
 *
 * @see RFC 9562 §5.7 (version 7)
 */
export function timeOrderedUuid(at: Date): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(at.getTime(), 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return uuidFromBytes(bytes)
}
