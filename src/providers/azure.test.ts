import { describe, expect, it } from 'vitest'
import type { IdTokenRules, ProviderClient } from '../config/sections/provider-definition.ts'
import { azure } from './azure.ts'
import { jsonReader } from './protocol/json-reader.ts'

const tenant = '11111111-2222-3333-4444-555555555555'
const other = '99999999-2222-3333-4444-555555555555'
const personal = '9188040d-6c67-4c5b-b112-36a304b66dad'
const host = 'https://login.microsoftonline.com'
const issuer = (id: string) => `${host}/${id}/v2.0`

const clientAt = (url: string | null): ProviderClient => ({
  clientId: 'client',
  clientIds: ['client'],
  clientSecret: 'secret',
  redirectUri: 'https://app.example.com/callback',
  url,
})

const rules = azure.idToken as Required<IdTokenRules>
const accepts = (url: string | null, iss: string) => rules.issuerOf(iss, clientAt(url)) === iss

describe('T12: an issuer that anybody may have', () => {
  it.each([null, `${host}/common`])(
    'is a tenant of Microsoft by its id where all may sign in: %s',
    (url) => {
      for (const id of [tenant, other, personal]) expect(accepts(url, issuer(id))).toBe(true)
      expect(accepts(url, `https://sts.windows.net/${tenant}/`)).toBe(true)
      for (const iss of [
        'https://evil.example',
        `https://evil.example/${tenant}/v2.0`,
        `https://login.microsoftonline.com.evil.example/${tenant}/v2.0`,
        `https://evil.example/?${issuer(tenant)}`,
        `https://login.microsoftonline.com@evil.example/${tenant}/v2.0`,
        `http://login.microsoftonline.com/${tenant}/v2.0`,
        `${issuer(tenant)}/`,
        `${issuer(tenant)}?x`,
        `${host}/../${tenant}/v2.0`,
        `${host}/common/v2.0`,
        `${host}/organizations/v2.0`,
        `${host}/contoso.onmicrosoft.com/v2.0`,
        `https://evil.ciamlogin.com/${tenant}/v2.0`,
        `https://sts.windows.net/${tenant}`,
        '',
      ])
        expect(accepts(url, iss), iss).toBe(false)
    },
  )

  it('is that of the tenant that was configured, and of no other', () => {
    for (const url of [`${host}/${tenant}`, `${host}/${tenant.toUpperCase()}`]) {
      expect(accepts(url, issuer(tenant))).toBe(true)
      expect(accepts(url, `https://sts.windows.net/${tenant}/`)).toBe(true)
      expect(accepts(url, issuer(other))).toBe(false)
      expect(accepts(url, issuer(personal))).toBe(false)
    }
  })

  it('is of an organisation, or of none, where that is configured', () => {
    expect(accepts(`${host}/organizations`, issuer(tenant))).toBe(true)
    expect(accepts(`${host}/organizations`, issuer(personal))).toBe(false)
    expect(accepts(`${host}/consumers`, issuer(personal))).toBe(true)
    expect(accepts(`${host}/consumers`, issuer(tenant))).toBe(false)
  })

  it('is the configured one for customers, and for a server of one’s own', () => {
    for (const url of [`https://${tenant}.ciamlogin.com/${tenant}`, 'http://127.0.0.1:9/azure']) {
      expect(accepts(url, `${url}/v2.0`)).toBe(true)
      expect(accepts(url, issuer(tenant))).toBe(false)
    }
  })
})

const read = (url: string | null, claims: object) =>
  rules.readClaims(
    jsonReader({ sub: 's', email: 'ada@example.com', iss: issuer(tenant), ...claims }),
    clientAt(url),
  )

describe('an address', () => {
  const isVerified = (url: string | null, claims: object = {}) =>
    read(url, claims).emails[0]?.isVerified

  it('is verified where Microsoft says so', () => {
    for (const url of [null, `${host}/${tenant}`]) {
      for (const said of [true, 'true', '1']) expect(isVerified(url, { xms_edov: said })).toBe(true)
      for (const said of [false, 'false', '0', 'TRUE', '', 1, 0, null, {}])
        expect(isVerified(url, { xms_edov: said })).toBe(false)
    }
  })

  it('counts where it says nothing for as much as the tenant that was chosen', () => {
    expect(isVerified(`${host}/${tenant}`)).toBe(true)
    expect(isVerified('http://127.0.0.1:9/azure', { iss: 'http://127.0.0.1:9/azure/v2.0' })).toBe(
      true,
    )
    for (const url of [null, `${host}/common`, `${host}/organizations`])
      expect(isVerified(url)).toBe(false)
    expect(isVerified(null, { iss: issuer(personal) })).toBe(true)
  })
})

describe('a person', () => {
  it('is said by the standard claims where the tenant is none of login.microsoftonline.com', () => {
    const iss = `https://sts.windows.net/${tenant}/`
    expect(read(null, { iss, name: 'Ada', given_name: 'Ada', aud: 'client' }).claims).toMatchObject(
      {
        iss,
        name: 'Ada',
        given_name: 'Ada',
        aud: ['client'],
      },
    )
  })

  it('is nobody when the token names another tenant than its issuer', () => {
    expect(() => read(null, { tid: other })).toThrow()
    expect(read(null, { tid: tenant }).subject).toBe('s')
  })
})
