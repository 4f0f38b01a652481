import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settings } from '../src/platform/config/settings.ts'
import { endpoints } from '../src/service/endpoints.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

// T35: signatures of an assertion that is not the one that is read. Where nothing reads assertions, none is taken. Whoever
// builds SAML takes this file's place with a corpus of such documents first.

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth({ saml: { enabled: true, privateKey: 'c2VjcmV0' } })
})
afterAll(() => auth.close())

/** As who attacks sends it: the signed assertion is moved aside, and another one stands where it was. */
const wrapped = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">
  <saml:Assertion ID="evil"><saml:Subject><saml:NameID>admin@example.test</saml:NameID></saml:Subject></saml:Assertion>
  <samlp:Extensions>
    <saml:Assertion ID="good"><ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#">
      <ds:SignedInfo><ds:Reference URI="#good"/></ds:SignedInfo></ds:Signature>
    <saml:Subject><saml:NameID>ada@example.test</saml:NameID></saml:Subject></saml:Assertion>
  </samlp:Extensions>
</samlp:Response>`

describe('T35: an assertion of SAML', () => {
  it('is taken at no door, though the setting asks for it', async () => {
    const SAMLResponse = Buffer.from(wrapped).toString('base64')
    const asked: [method: string, path: string, body?: object][] = [
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
      asked.map(([method, path, body]) => auth.request(method, path, body && { body })),
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

  it('is warned about where the setting asks for it, since nothing reads it', () => {
    const named = settings.filter(({ path }) => path.startsWith('saml.'))

    expect(new Set(named.map(({ status }) => status))).toEqual(new Set(['offers-later']))
    const doors = endpoints.filter(({ path }) => /sso|saml/.test(path))
    expect(doors.map(({ answers, errors }) => [answers, errors])).toEqual(
      Array(3).fill([{}, ['saml_provider_disabled']]),
    )
  })
})
