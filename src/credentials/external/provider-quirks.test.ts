import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectedSignIns } from '../../../test/support/providers/expected-sign-ins.ts'
import { clientId } from '../../../test/support/providers/fake-provider.ts'
import {
  bindAt,
  order,
  type SignInOptions,
  signInAt,
} from '../../../test/support/providers/sign-in-at.ts'
import {
  type ProviderServer,
  startProviders,
} from '../../../test/support/providers/start-providers.ts'
import { type ProviderName, providerNames } from '../../platform/config/provider-names.ts'
import type { ProviderClient } from '../../platform/config/sections/provider-definition.ts'
import { decodeJws, isSignedBy } from '../../platform/kit/jws.ts'
import { builtInProviders } from './built-in-providers.ts'
import { jsonReader } from './protocol/json-reader.ts'

let server: ProviderServer
beforeAll(async () => {
  server = await startProviders()
})
afterAll(() => server.close())
beforeEach(() => {
  for (const name of providerNames) server.play(name, {})
})

const address = 'ada@example.com'
const bind = (name: ProviderName, options?: SignInOptions) => bindAt(server, name, options)
const signIn = (name: ProviderName, options?: SignInOptions) => signInAt(server, name, options)

describe('scopes and parameters that the application requests', () => {
  const requested = {
    ...order,
    scopes: ['extra'],
    parameters: { prompt: 'consent', state: 'forged' },
  }
  const sentTo = async (name: ProviderName) => {
    const { url } = await (await bind(name)).createAuthorizationUrl(requested)
    return new URL(url).searchParams
  }

  it('are appended, and passed on unless they are reserved', async () => {
    const sent = await sentTo('discord')
    expect(sent.get('scope')).toBe('email identify extra')
    expect(sent.get('prompt')).toBe('consent')
    expect(sent.get('state')).toBe('state-1')
  })

  it.each(['bitbucket', 'notion', 'workos', 'zoom', 'apple'] as const)(
    'are omitted at %s, whose scopes are fixed',
    async (name) => {
      expect((await sentTo(name)).get('scope')).toBe(expectedSignIns[name].scope)
    },
  )

  it('are both omitted at Apple and Twitter', async () => {
    for (const name of ['apple', 'twitter'] as const) {
      const sent = await sentTo(name)
      expect(sent.has('prompt')).toBe(false)
    }
  })
})

describe('Apple', () => {
  it('receives a secret that was signed for the request', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const shown: string[] = []
    server.play('apple', { isSecret: (secret) => shown.push(secret) > 0 })
    await signIn('apple', {
      signingKey: {
        teamId: 'A1B2C3D4E5',
        keyId: 'F6G7H8I9J0',
        privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      },
    })

    const jws = decodeJws(shown[0] ?? '')
    if (!jws) throw new Error('no JWT was shown')
    expect(isSignedBy({ algorithm: 'ES256', key: publicKey }, jws)).toBe(true)
    expect(jws.header).toEqual({ alg: 'ES256', kid: 'F6G7H8I9J0' })
    const { iat, ...claims } = jws.payload
    expect(Math.abs(Number(iat) - Date.now() / 1000)).toBeLessThan(60)
    expect(claims).toEqual({
      iss: 'A1B2C3D4E5',
      sub: clientId,
      aud: 'https://appleid.apple.com',
      exp: Number(iat) + 300,
    })
  })

  it.each(['{', '[]', 'null', '{"name":"Ada"}', '{"name":{"firstName":5}}'])(
    'may send an invalid name: %s',
    async (user) => {
      const { profile } = await signInAt(server, 'apple', {}, (back) => back.set('user', user))
      expect(profile.emails).toEqual([{ address, isVerified: true }])
      expect(profile.claims['name']).toBe(user.includes('5') ? '5' : null)
    },
  )

  it('has two issuers', async () => {
    server.play('apple', { claims: { iss: 'https://account.apple.com' } })
    const { profile } = await signIn('apple')
    expect(profile.claims['iss']).toBe('https://account.apple.com')
  })
})

describe('Google', () => {
  it('is requested for the profile where it returns no id token', async () => {
    server.play('google', { token: 'without-id-token' })
    const { profile } = await signIn('google')
    expect(profile).toMatchObject({
      subject: '1090',
      emails: [{ address, isVerified: true }],
      claims: { iss: 'https://www.googleapis.com/userinfo/v2/me', custom_claims: null },
    })
  })

  it('may write its issuer without a scheme', async () => {
    server.play('google', { claims: { iss: 'accounts.google.com' } })
    expect((await signIn('google')).profile.subject).toBe('1090')
  })
})

describe('LinkedIn', () => {
  it.each([
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
    [undefined, false],
    [1, false],
  ])('writes %j, which verifies: %j', async (email_verified, isVerified) => {
    server.play('linkedin_oidc', { claims: { email_verified } })
    const { profile } = await signIn('linkedin_oidc')
    expect(profile.emails).toEqual([{ address, isVerified }])
  })
})

describe('Facebook', () => {
  it('receives a proof that the client has the token', async () => {
    await signIn('facebook')
    const paths = server.heardAs('facebook').map(({ path }) => path)
    expect(paths).toContainEqual(expect.stringMatching(/^\/me\?.*&appsecret_proof=[0-9a-f]{64}$/))
  })
})

describe('Twitter', () => {
  it('fails on a callback without consent, or with a token of another flow', async () => {
    const provider = await bind('twitter')
    const { url, ...kept } = await provider.createAuthorizationUrl(order)
    await expect(provider.handleCallback({ ...kept, parameter: () => null })).rejects.toMatchObject(
      {
        code: 'bad_oauth_callback',
        status: 400,
      },
    )
    const other = await provider.createAuthorizationUrl(order)
    const back = await server.agree('twitter', other.url)
    const parameter = (name: string) => back.get(name)
    await expect(provider.handleCallback({ ...kept, parameter })).rejects.toMatchObject({
      message: 'Unable to retrieve access token',
    })
    expect(url).not.toBe(other.url)
    const paths = server.heardAs('twitter').map(({ path }) => path)
    expect(paths).not.toContainEqual(expect.stringContaining('/oauth/access_token'))
  })

  it('creates no authorization URL without a temporary token', async () => {
    const provider = await bind('twitter', { clientSecret: 'wrong' })
    await expect(provider.createAuthorizationUrl(order)).rejects.toMatchObject({
      message: 'Unable to retrieve request token',
    })
  })
})

describe('Discord', () => {
  const avatarOf = async (user: object) => {
    const { discord } = await import('./discord.ts')
    const get = async () => jsonReader({ id: '80', username: 'ada', ...user })
    const { claims } = await discord.readProfile({ client: { url: null }, get } as never)
    return claims['avatar_url']
  }

  it('has a default picture for a user without one, by the discriminator', async () => {
    expect(await avatarOf({ avatar: null, discriminator: '1337' })).toBe(
      'https://cdn.discordapp.com/embed/avatars/2.png',
    )
    expect(await avatarOf({ avatar: 'abc', discriminator: '0' })).toBe(
      'https://cdn.discordapp.com/avatars/80/abc.png',
    )
    await expect(avatarOf({ avatar: null, discriminator: 'none' })).rejects.toThrow()
  })
})

describe('GitHub', () => {
  it.each([
    ['ada', null, true],
    ['ada-l', 'https://github.example.com', true],
    ['ada_acme', null, false],
    ['acme_admin', null, false],
  ])('S08: does not verify the address of a managed user: %s', async (login, url, isVerified) => {
    const { github } = await import('./github.ts')
    const listed = [{ email: address, verified: true, primary: true }]
    const get = async (path: string) =>
      jsonReader(path.endsWith('/emails') ? listed : { id: 7, login })
    const { emails } = await github.readProfile({ client: { url }, get } as never)
    expect(emails).toEqual([{ address, isVerified, isPrimary: true }])
  })
})

describe('S08: Zoom', () => {
  it.each([
    [{ login_type: 100, verified: 0 }, false],
    [{ login_type: '100', verified: 0 }, false],
    [{ login_type: '100', verified: 1 }, true],
    [{ login_type: 100 }, false],
    [{ login_type: 100, verified: 1 }, true],
    [{ login_type: 1, verified: 0 }, false],
    [{ login_type: 24, verified: 1 }, true],
    [{ login_type: 101, verified: 1 }, false],
    [{ login_type: 99, verified: 1 }, false],
    [{ login_type: 27, verified: 1 }, false],
    [{ login_type: 0, verified: 1 }, false],
    [{ login_type: null, verified: 1 }, false],
    [{ login_type: '', verified: 1 }, false],
    [{ login_types: [1, 101], verified: 1 }, false],
    [{ login_types: [], verified: 1 }, false],
    [{ login_type: 100, login_types: [101], verified: 1 }, false],
    [{ login_type: 100, verified: '1' }, false],
    [{ verified: 1 }, false],
    [{ login_types: [1, 100], verified: 1 }, true],
    [{ login_types: [1, 100], verified: 0 }, false],
    [{}, false],
  ])('returns %j, which verifies: %j', async (claim, isVerified) => {
    const { zoom } = await import('./zoom.ts')
    const get = async () => jsonReader({ id: 'z', email: address, ...claim })
    const { emails } = await zoom.readProfile({ client: { url: null }, get } as never)
    expect(emails).toEqual([{ address, isVerified }])
  })
})

describe('id tokens that an application submits itself', () => {
  const claimsOf = async (name: ProviderName, claims: object) => {
    const definition = await builtInProviders[name]()
    if (typeof definition === 'function') throw new Error(`${name} has none`)
    const client = { url: null } as ProviderClient
    return definition.idToken?.readClaims?.(jsonReader(claims), client)
  }
  const common = { sub: 's', email: address, picture: 'https://pictures.example/ada.png' }

  it('are read with the claims of Facebook', async () => {
    expect(await claimsOf('facebook', { ...common, name: 'Ada', email_verified: false })).toEqual({
      subject: 's',
      emails: [{ address, isVerified: true }],
      claims: { iss: 'https://www.facebook.com', name: 'Ada', picture: common.picture },
    })
  })

  it('are read with the claims of Kakao', async () => {
    expect(await claimsOf('kakao', { ...common, nickname: 'Ada' })).toEqual({
      subject: 's',
      emails: [{ address, isVerified: true }],
      claims: {
        iss: 'https://kauth.kakao.com',
        name: 'Ada',
        full_name: 'Ada',
        preferred_username: 'Ada',
        user_name: 'Ada',
        avatar_url: common.picture,
      },
    })
  })

  it('are read with the standard claims, with a verified address, of Snapchat', async () => {
    expect(await claimsOf('snapchat', common)).toMatchObject({
      subject: 's',
      emails: [{ address, isVerified: true }],
      claims: { picture: common.picture },
    })
  })

  it.each([
    ['apple', 'https://appleid.apple.com.evil.example'],
    ['apple', 'https://evil.example/https://appleid.apple.com'],
    ['google', 'https://accounts.google.com/'],
    ['google', 'http://accounts.google.com'],
    ['facebook', 'https://facebook.com'],
    ['keycloak', 'https://id.example/realms/other'],
    ['kakao', 'https://kapi.kakao.com'],
    ['linkedin_oidc', 'https://www.linkedin.com'],
    ['vercel_marketplace', 'https://vercel.com'],
    ['snapchat', 'https://accounts.snapchat.com'],
  ] as const)('are rejected of %s by the issuer %s', async (name, issuer) => {
    const definition = await builtInProviders[name]()
    if (typeof definition === 'function') throw new Error(`${name} has none`)
    const client = { url: 'https://id.example/realms/app' } as ProviderClient
    expect(definition.idToken?.issuerOf(issuer, client)).toBeNull()
  })
})
