import { describe, expect, it } from 'vitest'
import { resolveCookieTerms } from './cookie-terms.ts'

describe('the origin of cookie sessions', () => {
  it('is protected by a prefix over TLS', () => {
    const terms = resolveCookieTerms({
      origin: ['https://app.example.test', 'https://www.example.test:8443/'],
    })

    expect(terms).toEqual({
      origins: new Set(['https://app.example.test', 'https://www.example.test:8443']),
      prefix: '__Host-',
      name: 'latchkey',
      lifetimeSeconds: 34_560_000,
    })
  })

  it.each([
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'http://app.localhost',
    'http://[::1]:3000',
  ])('is %s in development only', (origin) => {
    expect(resolveCookieTerms({ origin, development: true }).prefix).toBe('')
    expect(() => resolveCookieTerms({ origin })).toThrow(
      'createCookieSessions permits it by development: true',
    )
  })

  it.each([
    ['http://app.example.test', 'unencrypted'],
    ['http://localhost.example.test', 'unencrypted'],
    ['app.example.test', 'is not an origin'],
    ['https://app.example.test/path', 'is not an origin'],
    ['https://user@app.example.test', 'is not an origin'],
    ['null', 'is not an origin'],
    ['*', 'is not an origin'],
    ['https://*.example.test', 'contains a wildcard'],
  ])('is not %s', (origin, reason) => {
    expect(() => resolveCookieTerms({ origin, development: true })).toThrow(reason)
  })

  it.each([undefined, null, 3000, {}, new URL('https://app.example.test'), [443]])(
    'is not %s, which is no string',
    (origin) => {
      expect(() => resolveCookieTerms({ origin: origin as never })).toThrow('is not an origin')
    },
  )

  it('cannot be set beside an unknown option', () => {
    const options = { origin: 'https://app.example.test', domain: 'example.test' }

    expect(() => resolveCookieTerms(options)).toThrow(new TypeError('unknown option domain'))
    expect(() => resolveCookieTerms({ orign: options.origin } as never)).toThrow(
      new TypeError('unknown option orign; did you mean origin?'),
    )
  })

  it('is set once, in one scheme, with a valid cookie name', () => {
    const origin = 'https://app.example.test'

    expect(() => resolveCookieTerms({ origin: [] })).toThrow(TypeError)
    expect(() =>
      resolveCookieTerms({ origin: [origin, 'http://localhost'], development: true }),
    ).toThrow('mixed')
    expect(() => resolveCookieTerms({ origin, name: 'a;b' })).toThrow('name')
    expect(() => resolveCookieTerms({ origin, lifetimeSeconds: 0.5 })).toThrow('lifetimeSeconds')
  })
})
