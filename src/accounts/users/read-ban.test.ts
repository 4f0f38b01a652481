import { describe, expect, it } from 'vitest'
import { readBan } from './read-ban.ts'

const now = new Date('2026-03-01T12:00:00.000Z')

describe('a ban', () => {
  it('begins now and lasts for its duration', () => {
    expect(readBan('1h30m', now)).toEqual(new Date('2026-03-01T13:30:00.000Z'))
  })

  it.each(['none', '0', '-0'])('is lifted by %s', (text) => {
    expect(readBan(text, now)).toBeNull()
  })

  it.each([undefined, ''])('is neither set nor lifted by %j', (text) => {
    expect(readBan(text, now)).toBeUndefined()
  })

  it('may have ended already', () => {
    expect(readBan('-1h', now)).toEqual(new Date('2026-03-01T11:00:00.000Z'))
  })

  it.each(['90000000h', '-600000h', '-57000000h', `${'9'.repeat(40)}h`, `-${'9'.repeat(40)}h`])(
    'rejects an end that the wire cannot represent: %s',
    (text) => {
      expect(() => readBan(text, now)).toThrow('ban_duration: is too long')
    },
  )

  it.each(['1', 'h', '1d', '24 h', 'forever', '1h-1h', '٣h'])('rejects %j', (text) => {
    expect(() => readBan(text, now)).toThrow(
      'ban_duration: has to be a duration such as 24h, or none',
    )
  })
})
