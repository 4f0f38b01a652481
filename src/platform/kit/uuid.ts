import { randomUUID } from 'node:crypto'

const uuidText = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const nilUuid = '00000000-0000-0000-0000-000000000000'

/** Reports whether a value is the text of a UUID in its usual form, of any version. */
export const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && uuidText.test(value)

export const uuidToBytes = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex')

export function uuidFromBytes(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Returns the smallest UUID of {@link timeOrderedUuid} at a time. */
export const firstUuidAt = (at: Date): string => `${timePart(at)}-7000-8000-000000000000`

/**
 * Returns a UUID that sorts by its time, so that an index over many of them grows at one end.
 *
 * @see RFC 9562 §5.7 (version 7)
 */
export function timeOrderedUuid(at: Date): string {
  // The rest is random as in version 4, and has the same variant bits.
  return `${timePart(at)}-7${randomUUID().slice(15)}`
}

/**
 * Returns a UUID that sorts by time as those of {@link timeOrderedUuid} do, and is equal for equal
 * digests.
 */
export const digestUuid = (at: Date, digestHex: string): string =>
  `${timePart(at)}-7${digestHex.slice(0, 3)}-8${digestHex.slice(3, 6)}-${digestHex.slice(6, 18)}`

/**
 * Returns a function for UUIDs as of {@link timeOrderedUuid} that sort in the order of the calls.
 * @see RFC 9562 §6.2, method 1
 */
export function orderedUuids(): (at: Date) => string {
  let time = 0
  let count = 0
  return (at) => {
    const isLater = at.getTime() > time
    count = isLater ? 0 : count + 1
    // The counter has three hexadecimal digits; an overflow belongs to the next millisecond.
    time = isLater ? at.getTime() : time + (count > 0xfff ? 1 : 0)
    count &= 0xfff
    return `${timePart(new Date(time))}-7${count.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`
  }
}

function timePart(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}`
}
