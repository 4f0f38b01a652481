import { describe, expect, it } from 'vitest'
import { isUuid, nilUuid, timeOrderedUuid, uuidFromBytes, uuidToBytes } from './uuid.ts'

describe('timeOrderedUuid', () => {
  it('begins with the time and has version 7, as the example of RFC 9562 appendix A.6', () => {
    const uuid = timeOrderedUuid(new Date('2022-02-22T19:22:22.000Z'))

    expect(uuid).toMatch(/^017f22e2-79b0-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('sorts as text by its time', () => {
    const times = [0, 1, 255, 256, 1_700_000_000_000, 1_700_000_000_001, 4_000_000_000_000]

    const uuids = times.map((time) => timeOrderedUuid(new Date(time)))

    expect(uuids.toSorted()).toEqual(uuids)
  })

  it('differs between two of the same instant', () => {
    const now = new Date()

    expect(timeOrderedUuid(now)).not.toBe(timeOrderedUuid(now))
  })
})

describe('isUuid', () => {
  it('accepts every version in either letter case, and the nil UUID', () => {
    const some = ['017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '0E37DF36-F698-11E6-8DD4-CB9CED3DF976']

    expect([...some, nilUuid].every(isUuid)).toBe(true)
  })

  it.each([
    '',
    '..',
    '017f22e279b07cc398c4dc0c0c07398f',
    '{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}',
    'urn:uuid:017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
    '017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n',
    '017f22e2-79b0-7cc3-98c4-dc0c0c07398g',
    '../admin/users/017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
  ])('rejects %j (T23)', (text) => {
    expect(isUuid(text)).toBe(false)
  })
})

it('converts a UUID into its bytes and back', () => {
  const uuid = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'

  expect(uuidToBytes(uuid)).toHaveLength(16)
  expect(uuidFromBytes(uuidToBytes(uuid.toUpperCase()))).toBe(uuid)
})
