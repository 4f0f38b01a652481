import type { H3Event } from 'h3'
import { expect, it, vi } from 'vitest'
import { cookieOf } from './browser-cookie.ts'

const secret = 'a'.repeat(32)
const read = (cookie: string) =>
  cookieOf(
    { req: new Request('https://a.test', { headers: { cookie } }) } as H3Event,
    'mine',
    /^a+$/,
  )

it('reads a cookie of the expected form, once', () => {
  expect(read(`x=1; mine=${secret} ; y=2`)).toBe(secret)
  expect(read(`mine=${secret}; mine=${secret}`)).toBeNull()
  expect(read(`mine=${secret}b`)).toBeNull()
  expect(read(`mine`)).toBeNull()
  expect(read('')).toBeNull()
})

it('decodes no cookie', () => {
  const decode = vi.spyOn(globalThis, 'decodeURIComponent')
  try {
    expect(read(`${'n=%FF; '.repeat(700)}mine=${secret}`)).toBe(secret)
    expect(decode).not.toHaveBeenCalled()
  } finally {
    decode.mockRestore()
  }
})
