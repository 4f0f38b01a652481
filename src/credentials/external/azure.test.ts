import { describe, expect, it } from 'vitest'
import {
  type IssuerKey,
  issuerKey,
  publicJwk,
  signAs,
} from '../../../test/support/openid-issuer.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { tenantOf } from '../../platform/config/provider-issuers.ts'
import type {
  IdTokenRules,
  ProviderClient,
} from '../../platform/config/sections/provider-definition.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { azure } from './azure.ts'
import { createIssuers } from './protocol/issuers.ts'
import { jsonReader } from './protocol/json-reader.ts'
import { verifyIssuedToken } from './protocol/verify-id-token.ts'

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

describe('T12: the issuers of a client that accepts any tenant', () => {
  it.each([null, `${host}/common`])('are tenants of Microsoft by their id: %s', (url) => {
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
  })

  it('is the configured tenant, and no other', () => {
    for (const url of [`${host}/${tenant}`, `${host}/${tenant.toUpperCase()}`]) {
      expect(accepts(url, issuer(tenant))).toBe(true)
      expect(accepts(url, `https://sts.windows.net/${tenant}/`)).toBe(true)
      expect(accepts(url, issuer(other))).toBe(false)
      expect(accepts(url, issuer(personal))).toBe(false)
    }
  })

  it('is an organization, or none, where that is configured', () => {
    expect(accepts(`${host}/organizations`, issuer(tenant))).toBe(true)
    expect(accepts(`${host}/organizations`, issuer(personal))).toBe(false)
    expect(accepts(`${host}/consumers`, issuer(personal))).toBe(true)
    expect(accepts(`${host}/consumers`, issuer(tenant))).toBe(false)
  })

  it('is the configured one for customers, and for a server of the operator', () => {
    for (const url of [`https://${tenant}.ciamlogin.com/${tenant}`, 'http://127.0.0.1:9/azure']) {
      expect(accepts(url, `${url}/v2.0`)).toBe(true)
      expect(accepts(url, issuer(tenant))).toBe(false)
    }
  })
})

describe('S04: the keys of tenants that any user can create', () => {
  const template = `${host}/{tenantid}/v2.0`
  const key = issuerKey('RS256', 'shared')
  const keyOfOther = issuerKey('RS256', 'other')

  async function verify(iss: string, by: IssuerKey, url: string | null) {
    const requested: string[] = []
    const clock = createTestClock()
    const documentOf = (path: string): unknown => {
      if (path.endsWith('/keys')) {
        return {
          keys: [
            { ...publicJwk(key), issuer: template },
            { ...publicJwk(keyOfOther), issuer: issuer(other) },
          ],
        }
      }
      const base = path.replace('/.well-known/openid-configuration', '')
      const isOne = tenantOf(base) !== null
      const old = 'https://sts.windows.net/{tenantid}/'
      const named = base.endsWith('/v2.0') ? template : old
      return {
        issuer: isOne ? base : named,
        jwks_uri: `${host}/common/discovery/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
      }
    }
    const issuers = createIssuers({
      clock,
      logger: silentLogger,
      storage: null,
      cacheLifetimeMs: 1000,
      timeoutMs: 1000,
      fetch: async (path) => {
        requested.push(path)
        const bytes = Buffer.from(JSON.stringify(documentOf(path)))
        return { status: 200, headers: {}, bytes, text: String(bytes) }
      },
    })
    const now = Math.floor(clock.now().getTime() / 1000)
    const idToken = signAs(by, { iss, sub: 'ada', aud: 'client', iat: now, exp: now + 60 })
    const token = { idToken, accessToken: null, rules, client: clientAt(url) }
    const subject = await verifyIssuedToken({ clock, issuers }, token).then(
      (claims) => claims.text('sub'),
      (error: Error) => error.message,
    )
    return { subject, requested }
  }

  it.each([
    [null, issuer(tenant), `${host}/common/v2.0/.well-known/openid-configuration`],
    [null, issuer(personal), `${host}/common/v2.0/.well-known/openid-configuration`],
    [
      `${host}/organizations`,
      issuer(tenant),
      `${host}/organizations/v2.0/.well-known/openid-configuration`,
    ],
    [null, `https://sts.windows.net/${tenant}/`, `${host}/common/.well-known/openid-configuration`],
    [`${host}/${tenant}`, issuer(tenant), `${issuer(tenant)}/.well-known/openid-configuration`],
  ])('belong to the configured URL %s, not to the tenant %s', async (url, iss, document) => {
    const { subject, requested } = await verify(iss, key, url)

    expect(subject).toBe('ada')
    expect(requested).toEqual([document, `${host}/common/discovery/keys`])
  })

  it('sign for the tenant that they contain', async () => {
    expect((await verify(issuer(other), keyOfOther, null)).subject).toBe('ada')
    expect((await verify(issuer(tenant), keyOfOther, null)).subject).toContain('is not signed')
  })

  it('are not requested for another tenant than the configured one', async () => {
    const { subject, requested } = await verify(issuer(other), key, `${host}/${tenant}`)

    expect(subject).toContain('is of an issuer that is not accepted')
    expect(requested).toEqual([])
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

  it('is verified where Microsoft asserts it', () => {
    for (const url of [null, `${host}/${tenant}`]) {
      for (const claim of [true, 'true', '1'])
        expect(isVerified(url, { xms_edov: claim })).toBe(true)
      for (const claim of [false, 'false', '0', 'TRUE', '', 1, 0, null, {}])
        expect(isVerified(url, { xms_edov: claim })).toBe(false)
    }
  })

  it('is not verified where the tenant denies it', () => {
    const iss = 'https://ada.ciamlogin.com/ada/v2.0'
    for (const url of [null, `${host}/${tenant}`, 'https://ada.ciamlogin.com/ada']) {
      for (const claim of [false, 'false', '', 1, null])
        for (const more of [{}, { xms_edov: true }])
          expect(isVerified(url, { iss, email_verified: claim, ...more })).toBe(false)
    }
    expect(isVerified('https://ada.ciamlogin.com/ada', { iss, email_verified: true })).toBe(true)
    expect(isVerified(null, { email_verified: true })).toBe(false)
  })

  it('is verified without an assertion only in a configured tenant', () => {
    expect(isVerified(`${host}/${tenant}`)).toBe(true)
    expect(isVerified('http://127.0.0.1:9/azure', { iss: 'http://127.0.0.1:9/azure/v2.0' })).toBe(
      true,
    )
    for (const url of [null, `${host}/common`, `${host}/organizations`])
      expect(isVerified(url)).toBe(false)
    expect(isVerified(null, { iss: issuer(personal) })).toBe(true)
  })
})

describe('a user', () => {
  it('is read from the standard claims where the tenant is none of login.microsoftonline.com', () => {
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

  it('is rejected when the token has another tenant than its issuer', () => {
    expect(() => read(null, { tid: other })).toThrow()
    expect(read(null, { tid: tenant }).subject).toBe('s')
  })
})

it('S04: rejects an access token of version 1 that another client requested as id token', () => {
  const claims = { iss: `https://sts.windows.net/${tenant}/`, sub: 'ada', tid: tenant }
  const read = (more: object) =>
    rules.readClaims(jsonReader({ ...claims, ...more }), clientAt(null)).subject
  expect(() => read({ appid: 'evil' })).toThrow('another client')
  expect(read({ appid: 'client' })).toBe('ada')
  expect(read({})).toBe('ada')
})
