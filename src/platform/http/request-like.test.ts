import { describe, expect, it } from 'vitest'
import { bearerOf } from './request-like.ts'

describe('the bearer token of a request', () => {
  it("is found in each form of a host's request", () => {
    const authorization = 'Bearer a.b.c'
    const headers = new Headers({ authorization })

    expect(bearerOf({ headers })).toBe('a.b.c')
    expect(bearerOf(new Request('http://app.test', { headers }))).toBe('a.b.c')
    expect(bearerOf({ headers: { authorization } })).toBe('a.b.c')
    expect(bearerOf({ req: { headers } })).toBe('a.b.c')
    expect(bearerOf({ req: { headers: { authorization } } })).toBe('a.b.c')
  })

  it.each(['Bearer a', 'bearer a', 'BEARER a'])(
    'follows its scheme in any case: %s',
    (authorization) => {
      expect(bearerOf({ headers: { authorization } })).toBe('a')
    },
  )

  it.each([
    '',
    'a',
    'Bearer',
    'Bearer ',
    'Bearer  a',
    'Bearer\ta',
    ' Bearer a',
    'Bearer a b',
    'Basic a',
    'Bearera',
    'Bearer a, Bearer b',
    'Bearer a\nx: y',
  ])('is not found in %j', (authorization) => {
    expect(bearerOf({ headers: { authorization } })).toBeNull()
  })

  it('is not found without a header, or with two', () => {
    expect(bearerOf({ headers: {} })).toBeNull()
    expect(bearerOf({ headers: { authorization: ['Bearer a', 'Bearer b'] } })).toBeNull()
  })
})
