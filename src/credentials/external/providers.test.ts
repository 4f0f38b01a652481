import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type ExpectedSignIn,
  expectedSignIns,
} from '../../../test/support/providers/expected-sign-ins.ts'
import { clientId, redirectUri } from '../../../test/support/providers/fake-provider.ts'
import { fakeProviders } from '../../../test/support/providers/fake-providers.ts'
import {
  bindAt,
  order,
  type SignInOptions,
  signInAt,
} from '../../../test/support/providers/sign-in-at.ts'
import {
  type ProviderServer,
  type Scene,
  startProviders,
} from '../../../test/support/providers/start-providers.ts'
import type { Trouble } from '../../../test/support/providers/trouble.ts'
import { type ProviderName, providerNames } from '../../platform/config/provider-names.ts'
import type { ExternalEmail } from '../../platform/config/sections/provider-definition.ts'
import type { ExternalSignIn } from './provider.ts'

let server: ProviderServer
beforeAll(async () => {
  server = await startProviders()
})
afterAll(() => server.close())
beforeEach(() => {
  for (const name of providerNames) server.play(name, {})
})

const realm = 'https://id.example/realms/app'
const signIn = (name: ProviderName, options?: SignInOptions) => signInAt(server, name, options)

const withoutEmpty = (claims: object) =>
  Object.fromEntries(
    Object.entries(claims).filter(([, value]) => value !== null && value !== undefined),
  )

/** Returns the issuer of a provider below a base URL. */
function issBelow(base: string, { issBelowBase = '' }: ExpectedSignIn): string {
  return /^https:/.test(issBelowBase ?? '') ? `${issBelowBase}` : `${base}${issBelowBase}`
}

const address = 'ada@example.com'

/** Returns the addresses of a user, in the form of each provider. */
function emailsOf(name: ProviderName, isVerified: boolean): ExternalEmail[] {
  const { emails } = expectedSignIns[name]
  const expected = {
    address,
    isVerified: emails === undefined ? isVerified : emails === 'always verified',
  }
  if (name === 'github') return [{ ...expected, isPrimary: true }]
  if (name === 'bitbucket' || name === 'gitlab') {
    return [...othersOf(name), { ...expected, isPrimary: true }]
  }
  return [expected]
}

const othersOf = (name: ProviderName): ExternalEmail[] => {
  const other = { bitbucket: 'old@example.com', gitlab: 'other@example.com' }[name as string]
  return other ? [{ address: other, isVerified: false, isPrimary: false }] : []
}

/** Keeps claims of Azure without a standard name beside the others. */
function claimsOf(name: ProviderName, { profile }: ExternalSignIn): Record<string, unknown> {
  const claims = withoutEmpty(profile.claims)
  if (name !== 'azure') return claims
  const { custom_claims, ...others } = claims
  expect(custom_claims).toEqual({
    oid: 'object-1',
    tid: '11111111-2222-3333-4444-555555555555',
    email: address,
    xms_edov: true,
  })
  return others
}

describe.each(providerNames)('%s', (name) => {
  const expected = expectedSignIns[name]
  const fake = name === 'twitter' ? null : fakeProviders[name]

  it('redirects to its own host, with the required parameters', async () => {
    const provider = await bindAt(server, name, name === 'keycloak' ? { url: realm } : {})
    const request = await provider.createAuthorizationUrl(order)

    const { origin, pathname, searchParams } = new URL(request.url)
    expect(`${origin}${pathname}`).toBe(expected.authorization)
    const { oauth_token, code_challenge, nonce, ...parameters } = Object.fromEntries(searchParams)
    if (name === 'twitter') {
      expect({ parameters, oauth_token }).toEqual({
        parameters: {},
        oauth_token: expect.any(String),
      })
      return
    }
    expect(parameters).toEqual({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      state: 'state-1',
      ...(expected.scope === null ? {} : { scope: expected.scope }),
      ...expected.parameters,
      ...(expected.usesCodeVerifier ? { code_challenge_method: 'S256' } : {}),
    })
    expect([code_challenge, request.codeVerifier].map(Boolean)).toEqual(
      Array(2).fill(expected.usesCodeVerifier === true),
    )
    expect([nonce, request.nonce].map(Boolean)).toEqual(Array(2).fill(expected.usesNonce === true))
  })

  if (name !== 'keycloak') {
    it('returns the user of a callback, requested from its own hosts', async () => {
      const { profile, tokens } = await signIn(name)

      expect(profile.subject).toBe(expected.subject)
      expect(profile.emails).toEqual(emailsOf(name, true))
      expect(claimsOf(name, { profile, tokens })).toEqual({ iss: expected.iss, ...expected.claims })
      expect(tokens.accessToken).not.toBe('')
    })
  }

  if (expected.issBelowBase !== null) {
    it('is requested below the configured URL', async () => {
      const base = server.baseOf(name)
      const { profile, tokens } = await signIn(name, { url: base })

      expect(profile.subject).toBe(expected.subject)
      expect(profile.emails).toEqual(emailsOf(name, true))
      const iss = issBelow(base, expected)
      // An issuer that is no tenant of Microsoft has the standard claims.
      if (name === 'azure') expect(profile.claims).toMatchObject({ iss, name: 'Ada Lovelace' })
      else expect(claimsOf(name, { profile, tokens })).toEqual({ ...expected.claims, iss })
    })
  }

  it('distinguishes verified addresses, as far as it reports them', async () => {
    server.play(name, { person: { email: address, isVerified: false } })
    const { profile } = await signIn(name)
    expect(profile.emails).toEqual(emailsOf(name, false))
  })

  it('returns no address of a user without one', async () => {
    server.play(name, { person: { email: null, isVerified: true } })
    const { profile } = await signIn(name)
    expect(profile.subject).toBe(expected.subject)
    expect(profile.emails).toEqual(othersOf(name))
  })

  const notExchanged =
    name === 'twitter' ? 'Unable to retrieve access token' : 'Unable to exchange external code'

  it.each<Trouble>(['error-with-200', 'error-with-400', 'html', 'html-with-500', 'empty', 'reset'])(
    'fails when its token endpoint returns: %s',
    async (token) => {
      server.play(name, { token })
      await expect(signIn(name)).rejects.toMatchObject({
        code: 'unexpected_failure',
        message: notExchanged,
      })
    },
  )

  if (fake?.documents && !fake.claims) {
    it.each<Trouble>(['error-with-400', 'html', 'html-with-500', 'reset'])(
      'is a failure when it does not say who that is: %s',
      async (profile) => {
        server.play(name, { profile })
        await expect(signIn(name)).rejects.toMatchObject({
          code: 'unexpected_failure',
          message: 'Error getting user profile from external provider',
        })
      },
    )

    it.each<Trouble>(['error-with-200', 'empty'])(
      'names nobody when it answers with something else: %s',
      async (profile) => {
        server.play(name, { profile })
        const subject = await signIn(name).then(
          (signedIn) => signedIn.profile.subject,
          (error) => error.message,
        )
        expect([null, 'Error getting user profile from external provider']).toContain(subject)
      },
    )
  }

  if (fake?.claims && name !== 'google') {
    it.each<Scene>([
      { token: 'without-id-token' },
      { claims: { aud: 'another' } },
      { claims: { iss: 'https://issuer.example' } },
      { claims: { exp: 1 } },
    ])('is a failure when its id token is not ours to take: %j', async (scene) => {
      server.play(name, scene)
      await expect(signIn(name)).rejects.toMatchObject({
        code: 'unexpected_failure',
        message: 'Error getting user profile from external provider',
      })
    })
  }

  if (fake !== null && name !== 'workos') {
    it('may return tokens as a form', async () => {
      server.play(name, { token: 'form' })
      const { profile } = await signIn(name)
      expect(profile.subject).toBe(expected.subject)
    })
  }

  if (fake && fake.accepts !== 'basic') {
    it('may accept the secret in the body only', async () => {
      server.play(name, { token: 'refuses-basic' })
      const { profile } = await signIn(name)
      expect(profile.subject).toBe(expected.subject)
    })
  }
})

it('does not wait for a provider longer than configured', async () => {
  for (const name of providerNames) server.play(name, { token: 'slow' })
  const failures = await Promise.all(
    providerNames.map((name) =>
      signIn(name, { timeoutMs: 1500 }).then(
        () => 'signed in',
        ({ code }) => code,
      ),
    ),
  )
  expect(failures).toEqual(providerNames.map(() => 'unexpected_failure'))
})
