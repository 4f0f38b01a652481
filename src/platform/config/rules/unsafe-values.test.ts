import { describe, expect, it } from 'vitest'
import { minimal, problemsWith } from '../../../../test/support/config-problems.ts'
import { checkConfig } from '../check-config.ts'
import type { AuthConfig } from '../config.ts'

const warningsWith = (changes: AuthConfig) => checkConfig({ ...minimal, ...changes }).warnings
const added = (changes: AuthConfig) => {
  const usual = warningsWith({})
  return warningsWith(changes).filter((warning) => !usual.includes(warning))
}

const targets = (...allowList: string[]): AuthConfig => ({ redirects: { allowList } })
const hops = (header: string): AuthConfig => ({ rateLimits: { header, proxyHops: 1 } })
const documents = (...trustedHosts: string[]): AuthConfig => ({
  oauthServer: {
    enabled: true,
    authorizationPath: '/consent',
    clientIdMetadataDocuments: { enabled: true, trustedHosts },
  },
})
const pages = (changes: AuthConfig['pages']): AuthConfig => ({
  externalUrl: 'https://auth.example.com',
  pages: { enabled: true, ...changes },
})
const callback = (externalUrl: string): AuthConfig => ({ customOauth: { externalUrl } })

describe('S94: a value that disables a protection', () => {
  it.each<[string, AuthConfig]>([
    ['redirects.allowList has "https://*.com/**"', targets('https://*.com/**')],
    ['redirects.allowList has "https://*example.test/**"', targets('https://*example.test/**')],
    ['redirects.allowList has "http://app.example.test/**"', targets('http://app.example.test/**')],
    ['rateLimits.proxyHops has no effect', hops('cf-connecting-ip')],
    ['rateLimits.proxyHops has no effect', hops('off')],
    ['trustedHosts has localhost:8443', documents('localhost:8443')],
    ['trustedHosts has 127.0.0.1', documents('127.0.0.1')],
    ['trustedHosts has [::1]:8443', documents('[::1]:8443')],
    ['trustedHosts has 169.254.169.254', documents('169.254.169.254')],
    ['trustedHosts has [fe80::1]', documents('[fe80::1]')],
    ['customOauth.externalUrl is not encrypted', callback('http://auth.example.com')],
    [
      'pages.stylesheetUrl is not encrypted',
      pages({ stylesheetUrl: 'http://cdn.example.test/a.css' }),
    ],
    ['pages.logoUrl is not encrypted', pages({ logoUrl: 'http://cdn.example.test/a.svg' })],
  ])('causes a warning: %s', (text, changes) => {
    expect(problemsWith(changes)).toEqual({})
    expect(added(changes)).toContainEqual(expect.stringContaining(text))
  })

  it.each<[string, AuthConfig]>([
    ['subdomains of one owner', targets('https://*.example.test/**')],
    ['targets of this machine', targets('http://localhost:*/**', 'http://[::1]:*/**')],
    ['targets of an application', targets('myapp://**')],
    ['a list of addresses', hops('x-forwarded-for')],
    ['a list of addresses of a proxy', hops('X-Original-Forwarded-For')],
    ['the standard list of addresses', hops('Forwarded')],
    ['a private host of documents', documents('clients.internal:8443', '10.0.0.7')],
    ['a callback with TLS', callback('https://auth.example.test')],
    ['a stylesheet with TLS', pages({ stylesheetUrl: 'https://cdn.example.test/a.css' })],
  ])('is not one of %s', (_, changes) => {
    expect(problemsWith(changes)).toEqual({})
    expect(
      added(changes).filter((text) => /allowList|proxyHops|trustedHosts|encrypted/.test(text)),
    ).toEqual([])
  })

  it('causes no warning of unencrypted targets where the site has no TLS', () => {
    const changes = { siteUrl: 'http://10.0.0.7', ...targets('http://app.example.test/**') }

    expect(added(changes).filter((text) => text.includes('allowList'))).toEqual([])
  })
})

describe('S94: a value with which a feature cannot work', () => {
  const scope = (defaultScope: string): AuthConfig => ({
    oauthServer: {
      enabled: true,
      authorizationPath: '/consent',
      defaultScope,
      scopes: { 'invoice:read': 'See your invoices' },
    },
  })

  it('is rejected: a default scope that clients cannot request', () => {
    expect(problemsWith(scope('email invoices'))).toEqual({
      'oauthServer.defaultScope': expect.stringContaining('must not contain "invoices"'),
    })
    expect(problemsWith(scope('email invoice:read'))).toEqual({})
    expect(problemsWith({ oauthServer: { defaultScope: 'invoices' } })).toEqual({})
  })

  it('is rejected: a console without a second factor', () => {
    const off = { enrollEnabled: false, verifyEnabled: false }
    const open = { externalUrl: 'https://auth.example.com', console: { enabled: true } }

    expect(problemsWith({ ...open, mfa: { totp: off } })).toEqual({
      'mfa.totp.verifyEnabled': expect.stringContaining('console.enabled'),
    })
    expect(
      problemsWith({ ...open, mfa: { totp: off, webAuthn: { verifyEnabled: true } } }),
    ).toEqual({})
    expect(problemsWith({ ...open, mfa: { totp: { enrollEnabled: false } } })).toEqual({})
    expect(problemsWith(open)).toEqual({})
  })
})

describe('S99: Svc-Forwarded-For', () => {
  const forwarded = (header?: string): AuthConfig => ({
    security: { svcForwardedForEnabled: true },
    rateLimits: header === undefined ? {} : { header },
  })
  const warned = (changes: AuthConfig) =>
    warningsWith(changes).filter((text) => text.includes('each client chooses the address'))

  it('causes a warning where no proxy is declared to set it', () => {
    expect(warned(forwarded('off'))).toHaveLength(1)
  })

  it('is the declaration of a proxy otherwise', () => {
    expect([forwarded(), forwarded('x-forwarded-for'), {}].flatMap(warned)).toEqual([])
  })
})

it('S99: a provider whose id tokens need no nonce causes a warning', () => {
  const google = { clientId: 'app', clientSecret: 's' }
  const warned = (skipNonceCheck: boolean, enabled = true) =>
    warningsWith({ providers: { google: { ...google, enabled, skipNonceCheck } } }).filter((text) =>
      text.startsWith('providers.google.skipNonceCheck is true'),
    )

  expect(warned(true)).toHaveLength(1)
  expect([warned(false), warned(true, false)]).toEqual([[], []])
})
