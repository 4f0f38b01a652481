import { describe, expect, it } from 'vitest'
import { minimal, problemsWith } from '../../../../test/support/config-problems.ts'
import { checkConfig } from '../check-config.ts'
import type { AuthConfig } from '../config.ts'

const warningsWith = (changes: object) =>
  checkConfig({ ...minimal, ...changes } as AuthConfig).warnings

describe('S29: a URL', () => {
  it.each(['http://0.0.0.0', 'http://0.0.0.0:3000', 'http://[::]:3000'])(
    'of the site is not an address to listen on: %s',
    (siteUrl) => expect(problemsWith({ siteUrl })).toHaveProperty('siteUrl'),
  )

  const hookAt = (uri: string) => ({ hooks: { beforeUserCreated: { uri } } })
  const path = 'hooks.beforeUserCreated.uri'

  it('of a hook is encrypted if its host is public', () => {
    for (const uri of ['http://93.184.216.34/hook', 'http://[2606:2800:220:1::1]/hook']) {
      expect(problemsWith(hookAt(uri))).toHaveProperty([path])
    }
    expect(warningsWith(hookAt('http://hooks.example.com/hook')).join()).toContain(path)
  })

  it.each([
    'http://127.0.0.1:3000/hook',
    'http://10.0.0.4/hook',
    'http://app:3000/hook',
    'http://app.default.svc.cluster.local/hook',
    'https://hooks.example.com/hook',
  ])('of a hook may be %s', (uri) => {
    expect(problemsWith(hookAt(uri))).toEqual({})
    expect(warningsWith(hookAt(uri)).join()).not.toContain(path)
  })

  const secret = { clientId: 'app', clientSecret: 's3cret', redirectUri: 'https://a.example.com' }
  const called = (url: string): Record<string, AuthConfig> => ({
    'email.templates.confirmation': {
      email: { autoconfirm: true, templates: { confirmation: url } },
    },
    'email.validation.serviceUrl': {
      email: { autoconfirm: true, validation: { serviceUrl: url } },
    },
    'providers.keycloak.url': { providers: { keycloak: { ...secret, url } } },
    'externalSignIn.allowedIdTokenIssuers': {
      externalSignIn: { allowedIdTokenIssuers: { [url]: ['app'] } },
    },
  })

  it.each(Object.keys(called('')))('S49: of %s is encrypted if its host is public', (path) => {
    const given = (url: string) => called(url)[path] ?? {}
    expect(problemsWith(given('http://93.184.216.34/x'))).toHaveProperty([path])
    expect(warningsWith(given('http://x.example.com/x')).join()).toContain(
      `${path} is not encrypted`,
    )
    for (const url of ['http://127.0.0.1/x', 'http://service:80/x', 'https://x.example.com/x']) {
      expect(problemsWith(given(url))).toEqual({})
      expect(warningsWith(given(url)).join()).not.toContain('not encrypted')
    }
  })

  it('S49, S74: of the service, the site, its pages or a collector causes a warning', () => {
    const telemetry = {
      metrics: { enabled: true },
      otlp: { endpoint: 'http://93.184.216.34:4318' },
    }
    const given = {
      siteUrl: 'http://app.example.com',
      externalUrl: 'http://93.184.216.34',
      telemetry,
    }
    for (const path of ['siteUrl', 'externalUrl', 'telemetry.otlp.endpoint'])
      expect(warningsWith(given).join('\n')).toContain(`${path} is not encrypted`)
    const ofBrowsers = {
      externalUrl: 'https://auth.example.com',
      oauthServer: { enabled: true, authorizationPath: 'http://app.example.com/consent' },
      pages: { enabled: true, signIn: 'http://app.example.com/sign-in', signUp: '/sign-up' },
    }
    const warnings = warningsWith(ofBrowsers).join('\n')
    expect(warnings).toContain('oauthServer.authorizationPath is not encrypted')
    expect(warnings).toContain('pages.signIn is not encrypted')
    expect(warnings).not.toContain('pages.signUp')
    const local = { siteUrl: 'http://localhost:3000', externalUrl: 'http://10.0.0.7:3000' }
    expect(warningsWith(local).join()).not.toContain('not encrypted')
  })
})
