import { describe, expect, it } from 'vitest'
import { errorsInCode } from '../scripts/write-api-comments.ts'
import { getUserEndpoint } from '../src/endpoints/user/user.endpoint.ts'
import { adminMethods } from '../src/service/api/admin-api.ts'
import { authMethods } from '../src/service/api/auth-api.ts'
import { oauthMethods } from '../src/service/api/oauth-api.ts'
import { endpoints } from '../src/service/endpoints.ts'
import { documentedErrors } from './support/documented-errors.ts'

// A method has the errors of its endpoint. `npm run docs` writes them.

const groups: Readonly<Record<string, string>> = {
  customProviders: 'CustomProvidersApi',
  oauth: 'OauthClientsApi',
}

const methods = [
  ...Object.keys(authMethods).map((name) => ['AuthApi', `auth.api.${name}`] as const),
  ...Object.keys(adminMethods).map(
    (name) => [groups[name.split('.').at(-2) ?? ''] ?? 'AdminApi', `auth.admin.${name}`] as const,
  ),
  ...Object.keys(oauthMethods).map((name) => ['OauthApi', `auth.api.oauth.${name}`] as const),
  ...['list', 'retry', 'preview'].map((name) => ['OutboxApi', `auth.outbox.${name}`] as const),
]

describe('the doc comments of the API', () => {
  it.each(methods)('list the errors with @throws: %s, %s', (api, inCode) => {
    const listed = documentedErrors(`${api}.${inCode.replace(/.*\./, '')}`)
    const endpoint = endpoints.find((one) => one.inCode === inCode)

    expect(listed).toContain('service_unavailable')
    if (endpoint) expect([...listed].sort()).toEqual(errorsInCode(endpoint).sort())
  })

  it('have a method for every endpoint that declares one', () => {
    const named = endpoints.flatMap(({ inCode }) => inCode ?? [])

    expect(new Set(named).size).toBe(named.length)
    expect(methods.map(([, name]) => name)).toEqual(expect.arrayContaining(named))
  })
})

it('lists for requireUser the errors of a token and of insufficient assurance', () => {
  const ofToken = errorsInCode(getUserEndpoint).filter((code) => !ofInputs.has(code))

  expect([...documentedErrors('Auth.requireUser')].sort()).toEqual([...ofToken, ...ofProof].sort())
})

const ofProof = ['insufficient_aal', 'mfa_factor_not_found', 'reauthentication_needed']

const ofInputs: ReadonlySet<string> = new Set([
  'bad_json',
  'validation_failed',
  'request_entity_too_large',
])
