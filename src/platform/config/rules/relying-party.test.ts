import { describe, expect, it } from 'vitest'
import { problemsWith, resolve } from '../../../../test/support/config-problems.ts'
import type { AuthConfig } from '../config.ts'

describe('the relying party of passkeys and security keys', () => {
  const passkeys = { enabled: true }

  it.each([
    ['https://app.example.com', 'app.example.com', 'https://app.example.com'],
    ['https://app.example.com:8443/shop', 'app.example.com', 'https://app.example.com:8443'],
    ['http://127.0.0.1:3000', 'localhost', 'http://localhost:3000'],
    ['http://[::1]:3000', 'localhost', 'http://localhost:3000'],
    ['http://app.localhost', 'app.localhost', 'http://app.localhost'],
  ])('is the site, %s, by default', (siteUrl, rpId, origin) => {
    expect(resolve({ siteUrl, passkeys }).webAuthn).toEqual({
      rpId,
      rpDisplayName: rpId,
      rpOrigins: [origin],
      challengeExpirySeconds: 300,
    })
  })

  it('is the configured value, in the spelling of browsers', () => {
    const rpOrigins = ['https://Shop.Example.com:443/', 'android:apk-key-hash:Ab-_1']
    const webAuthn = { rpId: 'Example.com', rpDisplayName: 'Acme', rpOrigins }

    expect(resolve({ passkeys, webAuthn }).webAuthn).toMatchObject({
      rpId: 'example.com',
      rpDisplayName: 'Acme',
      rpOrigins: ['https://shop.example.com', 'android:apk-key-hash:Ab-_1'],
    })
  })

  it.each<[string, AuthConfig, string]>([
    ['a site without a host', { siteUrl: 'myapp://home' }, 'webAuthn.rpId'],
    ['an address for a site', { siteUrl: 'https://192.0.2.7' }, 'webAuthn.rpId'],
    ['an address', { webAuthn: { rpId: '192.0.2.7' } }, 'webAuthn.rpId'],
    ['a URL', { webAuthn: { rpId: 'https://example.com' } }, 'webAuthn.rpId'],
    ['a domain that is not the site’s', { webAuthn: { rpId: 'other.com' } }, 'webAuthn.rpOrigins'],
    ['a longer name', { webAuthn: { rpId: 'ple.com' } }, 'webAuthn.rpOrigins'],
    [
      'an app without origins',
      { siteUrl: 'myapp://home', webAuthn: { rpId: 'example.com' } },
      'webAuthn.rpOrigins',
    ],
    [
      'an origin elsewhere',
      { webAuthn: { rpOrigins: ['https://example.com'] } },
      'webAuthn.rpOrigins',
    ],
    [
      'an origin without TLS',
      { webAuthn: { rpOrigins: ['http://app.example.com'] } },
      'webAuthn.rpOrigins',
    ],
  ])('is refused for %s', (_, changes, path) => {
    const externalUrl = 'https://auth.example.com'

    expect(Object.keys(problemsWith({ externalUrl, passkeys, ...changes }))).toEqual([path])
    for (const use of ['enrollEnabled', 'verifyEnabled'] as const) {
      const mfa = { webAuthn: { [use]: true } }
      expect(Object.keys(problemsWith({ externalUrl, mfa, ...changes }))).toEqual([path])
    }
  })

  it('is rejected with an origin that has a path', () => {
    const webAuthn = { rpOrigins: ['https://app.example.com/login'] }

    expect(problemsWith({ passkeys, webAuthn })).toEqual({
      'webAuthn.rpOrigins[0]': 'must be an origin such as https://app.example.com, without a path',
    })
  })

  it('is not required by sign-ups with disabled passkeys, which are rejected', () => {
    expect(problemsWith({ passkeys: { signUpEnabled: true } })).toEqual({
      'passkeys.signUpEnabled': 'has no effect while passkeys are disabled',
    })
  })

  it('is not checked if both are disabled', () => {
    expect(problemsWith({ siteUrl: 'https://192.0.2.7' })).toEqual({})
  })
})
