import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { actionLink, type ForwardedRequest, linkHost } from './action-link.ts'

const parts = {
  base: 'https://auth.acme.test',
  path: '/verify',
  token: 'pkce_0a1b',
  type: 'recovery',
  redirectTo: 'https://app.acme.test/home?a=1&b=2#c',
} as const

describe('the link of a mail', () => {
  it('contains token, type and target, in this order', () => {
    expect(actionLink(parts)).toBe(
      'https://auth.acme.test/verify?token=pkce_0a1b&type=recovery' +
        '&redirect_to=https%3A%2F%2Fapp.acme.test%2Fhome%3Fa%3D1%26b%3D2%23c',
    )
  })

  it.each([
    ['https://h.test/auth/v1', '/verify', 'https://h.test/verify?'],
    ['https://h.test/auth/v1', '/auth/v1/verify', 'https://h.test/auth/v1/verify?'],
    ['https://h.test:8443', '/verify', 'https://h.test:8443/verify?'],
    ['https://h.test', 'https://other.test/confirm', 'https://other.test/confirm?'],
    ['https://h.test', '/confirm?lang=de#top', 'https://h.test/confirm?token='],
  ])('of %s and %s starts with %s', (base, path, start) => {
    const link = actionLink({ ...parts, base, path })
    expect(link.startsWith(start)).toBe(true)
    expect(link).toMatch(/\?token=pkce_0a1b&type=recovery&redirect_to=[^&#]*$/)
  })

  it('contains its parts unchanged, whatever their characters', () => {
    const any = fc.string({ unit: 'grapheme', maxLength: 40 })
    fc.assert(
      fc.property(any, any, (token, redirectTo) => {
        const { searchParams, hash } = new URL(actionLink({ ...parts, token, redirectTo }))
        expect([...searchParams]).toEqual([
          ['token', token],
          ['type', 'recovery'],
          ['redirect_to', redirectTo],
        ])
        expect(hash).toBe('')
      }),
    )
  })
})

const externalUrl = 'https://auth.acme.test'
const externalHosts = ['eu.acme.test', 'us.acme.test:8443', 'localhost', 'localhost:8081']

const found = (forwarded: ForwardedRequest, hosts = externalHosts) =>
  linkHost({ externalUrl, email: { externalHosts: hosts } }, forwarded)

describe('the host of links in mails', () => {
  it.each([
    ['eu.acme.test', 'https', 'https://eu.acme.test'],
    ['eu.acme.test', 'http', 'https://eu.acme.test'],
    ['eu.acme.test', null, 'https://eu.acme.test'],
    ['us.acme.test:8443', null, 'https://us.acme.test:8443'],
    ['localhost', 'http', 'http://localhost'],
    ['localhost:8081', 'http', 'http://localhost:8081'],
    ['localhost', 'https', 'https://localhost'],
    ['localhost', undefined, 'https://localhost'],
    [null, 'http', externalUrl],
    [undefined, undefined, externalUrl],
    ['', 'https', externalUrl],
  ])('contain the listed host %s (%s): %s', (forwardedHost, forwardedProto, url) => {
    expect(found({ forwardedHost, forwardedProto })).toBe(url)
  })

  it.each([
    'evil.test',
    'EU.acme.test',
    'eu.acme.test.',
    'eu.acme.test:443',
    'us.acme.test',
    'eu.acme.test.evil.test',
    'evil.test#eu.acme.test',
    'evil.test/eu.acme.test',
    'eu.acme.test@evil.test',
    'eu.acme.test, evil.test',
    'evil.test, eu.acme.test',
    ' eu.acme.test',
    'eu.acme.test\t',
    'eu.acme.test\r\nx: y',
    'https://eu.acme.test',
    'constructor',
    '__proto__',
  ])('T20: never contain %j, which is not listed', (forwardedHost) => {
    for (const forwardedProto of ['http', 'https', 'javascript', null]) {
      expect(found({ forwardedHost, forwardedProto })).toBe(externalUrl)
      expect(found({ forwardedHost, forwardedProto }, [])).toBe(externalUrl)
    }
  })
})
