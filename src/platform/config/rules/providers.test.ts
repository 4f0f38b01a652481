import { describe, expect, it } from 'vitest'
import { minimal, problemsWith, resolve } from '../../../../test/support/config-problems.ts'
import { oidc } from '../../../credentials/external/oidc.ts'
import { checkEnvironment } from '../../../standalone/settings/environment.ts'
import { ConfigError } from '../../errors/start-errors.ts'
import { checkConfig } from '../check-config.ts'

const path = 'externalSignIn.allowedIdTokenIssuers'
const client = { clientId: 'client', clientSecret: 'secret' }
const idp = 'https://idp.example'

const allowing = (allowed: unknown, providers: object = {}) =>
  ({ externalSignIn: { allowedIdTokenIssuers: allowed }, providers }) as object

describe('S04: the clients of an issuer beside the providers', () => {
  it('are the configured ones', () => {
    const { externalSignIn } = resolve(allowing({ [idp]: ['web', 'app', 'web'] }))

    expect(externalSignIn.allowedIdTokenIssuers).toEqual({ [idp]: ['web', 'app'] })
  })

  it.each([
    [{ [idp]: [] }, 'issuer=client[,client…] pairs separated by spaces'],
    [[idp], 'issuer=client[,client…] pairs separated by spaces'],
    [{ [idp]: 'web' }, 'issuer=client[,client…] pairs separated by spaces'],
    [{ 'idp.example': ['web'] }, 'issuer=client[,client…] pairs separated by spaces'],
    [{ [`${idp}?x`]: ['web'] }, 'issuer=client[,client…] pairs separated by spaces'],
    [{ [idp]: [''] }, 'must not be empty'],
    [{ [idp]: [5] }, 'must be a string'],
  ])('are required: %j is rejected at start', (given, message) => {
    expect(Object.values(problemsWith(allowing(given))).join()).toContain(message)
  })

  it('are the clients of the enabled provider with the issuer', () => {
    const tenant = '11111111-2222-3333-4444-555555555555'
    const providers = {
      google: client,
      azure: { ...client, url: `https://login.microsoftonline.com/${tenant}` },
      keycloak: { ...client, url: 'https://sso.example/realms/acme' },
      acme: oidc({ ...client, issuer: 'https://acme.example' }),
    }
    const served = [
      'https://accounts.google.com',
      `https://login.microsoftonline.com/${tenant}/v2.0`,
      'https://sso.example/realms/acme',
      'https://acme.example/',
    ]
    for (const issuer of served) {
      expect(problemsWith(allowing({ [issuer]: [] }, providers)), issuer).toEqual({})
    }
    const { warnings } = checkConfig({
      ...minimal,
      ...allowing({ [served[0] ?? '']: ['web'] }, providers),
    })
    expect(warnings.filter((text) => text.startsWith(path))).toEqual([
      `${path} has no effect for https://accounts.google.com: the client IDs of google apply`,
    ])
  })

  it.each([[[]], [['web']]])('are not accepted for a disabled provider: %j', (clients) => {
    const problems = problemsWith(allowing({ 'https://accounts.google.com': clients }))

    expect(problems[path]).toContain('names the issuer of google, which is disabled')
    expect(problems[path]).toContain('issuer=client[,client…]')
  })

  it('do not include another Microsoft tenant than the enabled one', () => {
    const url = 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555'
    const other = 'https://login.microsoftonline.com/99999999-2222-3333-4444-555555555555/v2.0'
    const providers = { azure: { ...client, url } }

    expect(problemsWith(allowing({ [other]: [] }, providers))[path]).toContain('names no clients')
    expect(problemsWith(allowing({ [other]: ['web'] }, providers))).toEqual({})
  })
})

describe('S04: the issuers in the environment', () => {
  const base = {
    AUTH_SITE_URL: 'https://app.example.com',
    AUTH_API_EXTERNAL_URL: 'https://auth.example.com/',
    AUTH_DATABASE_URL: 'postgres://db.example.com/app',
    AUTH_JWT_SECRET: 'a-secret-of-more-than-thirty-two-bytes',
    AUTH_MAILER_AUTOCONFIRM: 'true',
    AUTH_RATE_LIMIT_HEADER: 'off',
  }
  const google = {
    AUTH_EXTERNAL_GOOGLE_ENABLED: 'true',
    AUTH_EXTERNAL_GOOGLE_CLIENT_ID: 'client',
    AUTH_EXTERNAL_GOOGLE_SECRET: 'secret',
    AUTH_EXTERNAL_GOOGLE_REDIRECT_URI: 'https://auth.example.com/callback',
  }
  const name = 'AUTH_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS'
  const read = (env: object) =>
    checkEnvironment({ ...base, ...env }).resolved.externalSignIn.allowedIdTokenIssuers
  const problemOf = (text: string, variable = name): string => {
    try {
      read({ [variable]: text })
    } catch (error) {
      if (error instanceof ConfigError) {
        return error.problems.map((problem) => `${problem.path} ${problem.message}`).join()
      }
      throw error
    }
    return ''
  }

  it('are pairs separated by spaces', () => {
    expect(read({ [name]: ` ${idp}=web,app  https://b.example/x=one\n${idp}=more ` })).toEqual({
      [idp]: ['web', 'app', 'more'],
      'https://b.example/x': ['one'],
    })
    expect(read({ [name]: '' })).toEqual({})
    expect(read({ [name]: `${idp}=aGVsbG8=` })).toEqual({ [idp]: ['aGVsbG8='] })
  })

  it('are read from the older list if enabled providers have them', () => {
    const issuers = 'https://accounts.google.com'
    const former = { ...google, GOTRUE_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS: issuers }

    expect(read(former)).toEqual({ [issuers]: [] })
  })

  it.each([
    `${idp},https://accounts.google.com`,
    `${idp}, https://b.example`,
    `${idp}=web,https://b.example=app`,
    `https://b.example,${idp}=web`,
    `${idp}=`,
    `${idp}=web,`,
    `${idp}=web, app`,
    '=web',
    `${idp}=web app`,
  ])('that lack clients, or are not of the form, are rejected with the form: %s', (text) => {
    expect(problemOf(text)).toContain('issuer=client[,client…] pairs separated by spaces')
    const former = problemOf(text, 'GOTRUE_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS')
    expect(former).toContain('GOTRUE_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS')
    expect(former).toContain('issuer=client[,client…] pairs separated by spaces')
  })
})
