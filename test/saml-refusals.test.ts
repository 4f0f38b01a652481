import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settings } from '../src/platform/config/settings.ts'
import { endpoints } from '../src/service/endpoints.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

// T35: signature wrapping, where the signed assertion is not the one that is read. No endpoint
// reads assertions yet. The implementation of SAML replaces this file with a corpus of such
// documents first.

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth({ saml: { enabled: true, privateKey: 'c2VjcmV0' } })
})
afterAll(() => auth.close())

/** The document of an attacker: the signed assertion is moved, and another one takes its place. */
const wrapped = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">
  <saml:Assertion ID="evil"><saml:Subject><saml:NameID>admin@example.test</saml:NameID></saml:Subject></saml:Assertion>
  <samlp:Extensions>
    <saml:Assertion ID="good"><ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#">
      <ds:SignedInfo><ds:Reference URI="#good"/></ds:SignedInfo></ds:Signature>
    <saml:Subject><saml:NameID>ada@example.test</saml:NameID></saml:Subject></saml:Assertion>
  </samlp:Extensions>
</samlp:Response>`

describe('T35: an assertion of SAML', () => {
  it('is accepted at no endpoint, even where the setting enables it', async () => {
    const SAMLResponse = Buffer.from(wrapped).toString('base64')
    const requested: [method: string, path: string, body?: object][] = [
      ['POST', '/sso', { domain: 'example.test' }],
      ['POST', '/sso/saml/acs', { SAMLResponse, RelayState: '' }],
      ['GET', `/sso/saml/acs?SAMLResponse=${encodeURIComponent(SAMLResponse)}`],
      ['GET', '/sso/saml/metadata'],
      ['POST', '/token?grant_type=saml', { assertion: SAMLResponse }],
      [
        'POST',
        '/token?grant_type=urn:ietf:params:oauth:grant-type:saml2-bearer',
        { assertion: SAMLResponse },
      ],
    ]
    const answers = await Promise.all(
      requested.map(([method, path, body]) => auth.request(method, path, body && { body })),
    )

    const disabled = [404, 'saml_provider_disabled']
    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual([
      disabled,
      disabled,
      [405, 'method_not_allowed'],
      disabled,
      [400, expect.any(String)],
      [400, expect.any(String)],
    ])
    expect(await auth.rows('select id from auth.users')).toEqual([])
    expect((await auth.get('/settings')).body.saml_enabled).toBe(false)
  })

  it('causes a warning where the setting enables it, since nothing reads it', () => {
    const named = settings.filter(({ path }) => path.startsWith('saml.'))

    expect(new Set(named.map(({ status }) => status))).toEqual(new Set(['offers-later']))
    const entryPoints = endpoints.filter(({ path }) => /sso|saml/.test(path))
    expect(entryPoints.map(({ answers, errors }) => [answers, errors])).toEqual(
      Array(3).fill([{}, ['saml_provider_disabled']]),
    )
  })
})
