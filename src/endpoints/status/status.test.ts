import { afterEach, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { oidc } from '../../credentials/external/oidc.ts'

let auth: TestAuth

afterEach(() => auth.close())

describe('the public settings of the service', () => {
  it('H34: contain no way to sign in that is not implemented', async () => {
    const client = { clientId: 'client', clientSecret: 'secret' }
    const acme = oidc({ ...client, issuer: 'https://acme.test' })
    auth = await startTestAuth({
      anonymousUsers: { enabled: true },
      phone: { enabled: true },
      passkeys: { enabled: true },
      saml: { enabled: true, privateKey: 'key', privateKeyNext: 'next' },
      oauthServer: { enabled: true, allowDynamicRegistration: true },
      providers: { github: client, acme },
    })

    const { body } = await auth.get('/settings')

    const { external, ...others } = body
    const offered = Object.keys(external).filter((name) => external[name])
    expect(offered).toEqual(['anonymous_users', 'email', 'phone', 'github'])
    expect(Object.keys(external)).toHaveLength(26)
    expect(others).toMatchObject({
      saml_enabled: false,
      saml_private_key_next_configured: false,
      passkeys_enabled: true,
    })
  })

  it('H34: contain only implemented endpoints in the discovery document', async () => {
    auth = await startTestAuth()

    const { body } = await auth.get('/.well-known/openid-configuration')

    const urls = Object.values(body).filter((value) => /^https?:/.test(String(value)))
    const paths = urls.map((url) => String(url).slice(body.issuer.length)).filter(Boolean)
    expect(paths).toEqual(['/.well-known/jwks.json'])
    for (const path of paths) expect((await auth.get(path)).status).toBe(200)
    expect(body).toMatchObject({ subject_types_supported: ['public'] })
  })
})
