import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type FakeRealm,
  type RealmPerson,
  realmSettings,
  signInAtRealm,
  startFakeRealm,
} from '../../../test/support/fake-realm.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { secondFactors } from '../../../test/support/second-factors.ts'
import { keyIdOf } from '../../platform/kit/sealed-box.ts'

let realm: FakeRealm
let auth: MessagingAuth

beforeAll(async () => {
  realm = await startFakeRealm()
  auth = await startMessagingAuth({
    providers: {
      keycloak: { ...realmSettings(realm), keepTokens: true },
      github: { ...realmSettings(realm), keepTokens: true },
      gitlab: realmSettings(realm),
    },
    encryptionKey: 'an encryption key of thirty-two bytes',
    email: { autoconfirm: false, maxFrequencySeconds: 0 },
    mfa: { totp: { enrollEnabled: true, verifyEnabled: true } },
  })
})
afterAll(async () => {
  await auth.close()
  await realm.close()
})
afterEach(() => {
  realm.fail = null
  realm.refreshTokens = null
  realm.refreshed.length = 0
  realm.expiresInSeconds = 300
  realm.beforeRefresh = async () => {}
})

let count = 0
const newPerson = (): RealmPerson => {
  const number = ++count
  return { sub: `kc-${number}`, email: `ann-${number}@example.test`, email_verified: true }
}

/** Signs a user in through the realm. */
async function signedIn(
  refreshTokens: FakeRealm['refreshTokens'],
  person = newPerson(),
  query: Record<string, string> = {},
) {
  realm.refreshTokens = refreshTokens
  const { fragment } = await signInAtRealm(auth, realm, person, query)
  const accessToken = fragment['access_token'] ?? ''
  const { id: userId } = await auth.auth.api.getUser({ accessToken })
  const ask = (api = auth.auth.api) => api.getProviderToken({ accessToken, provider: 'keycloak' })
  const askAsOperator = () => auth.auth.admin.getProviderToken({ userId, provider: 'keycloak' })
  return { person, fragment, accessToken, userId, ask, askAsOperator }
}
const rowsOf = (userId: string) =>
  auth.rows<{
    sealed_access_token: string
    sealed_refresh_token: string | null
    renewing_until: string | null
  }>(
    `select t.* from auth.provider_tokens t join auth.identities i on i.id = t.identity_id
      where i.user_id = $1`,
    [userId],
  )

/**
 * Advances to the time at which the realm's token (300 s) must be renewed; the session is valid.
 */
const toRenewal = () => auth.clock.advance(250)
const toExpiry = () => auth.clock.advance(301)

/** Holds each refresh at the realm until it is released, by its number from 0. */
function holdRefreshes() {
  const calls = [0, 1].map(() => ({
    begun: Promise.withResolvers<void>(),
    released: Promise.withResolvers<void>(),
  }))
  let count = 0
  realm.beforeRefresh = async () => {
    const call = calls[count++]
    call?.begun.resolve()
    await call?.released.promise
  }
  return {
    begun: (index: number) => calls[index]?.begun.promise,
    release: (index: number) => calls[index]?.released.resolve(),
  }
}

describe('S04: the tokens that a sign-in returns', () => {
  it('are not returned to an account with a factor, whose endpoint requires aal2', async () => {
    const person = newPerson()
    const first = await signedIn('rotating', person)
    expect(Object.keys(first.fragment)).toContain('provider_token')
    const factors = secondFactors(auth)
    await factors.prove(first.accessToken, await factors.enrolledApp(first.accessToken))

    const verifier = 'v'.repeat(43)
    const challenge = { code_challenge: verifier, code_challenge_method: 'plain' }
    const implicit = await signedIn('rotating', person)
    const { location } = await signInAtRealm(auth, realm, person, challenge)
    const authCode = location.searchParams.get('code')
    const body = { auth_code: authCode, code_verifier: verifier }
    const exchanged = await auth.post('/token?grant_type=pkce', body)

    expect(implicit.userId).toBe(first.userId)
    expect(Object.keys(implicit.fragment).filter((name) => name.includes('_token'))).toEqual([
      'access_token',
      'refresh_token',
    ])
    expect(exchanged.status).toBe(200)
    expect(exchanged.body.user.id).toBe(first.userId)
    expect(exchanged.body).not.toHaveProperty('provider_token')
    expect(exchanged.body).not.toHaveProperty('provider_refresh_token')
    await expect(implicit.ask()).rejects.toMatchObject({ code: 'insufficient_aal' })
  })
})

describe('the token of a provider', () => {
  it('is stored where that is enabled, sealed, and returned unchanged', async () => {
    const { fragment, ask, askAsOperator, userId } = await signedIn('rotating')
    const expiresAt = new Date(auth.clock.now().getTime() + 300_000)

    const token = await ask()

    expect(token).toEqual({
      accessToken: fragment['provider_token'],
      expiresAt,
      scopes: ['openid', 'email'],
    })
    expect(await askAsOperator()).toEqual(token)
    const stored = JSON.stringify(await rowsOf(userId))
    expect(stored).toContain('sealed_refresh_token":"v2.')
    for (const name of ['provider_token', 'provider_refresh_token']) {
      expect(fragment[name]).toMatch(/token of|refresh/)
      expect(stored).not.toContain(fragment[name])
    }
  })

  it('S20: is sealed with the current root key when it is renewed, and the refresh token that stays with it', async () => {
    const { userId } = await signedIn('lasting')
    const newKey = 'a new encryption key of thirty-two bytes'
    const encryptionKey = [newKey, 'an encryption key of thirty-two bytes']
    toRenewal()
    const renewing = await auth.beside({ encryptionKey })
    await renewing.auth.admin.getProviderToken({ userId, provider: 'keycloak' })
    await renewing.close()

    const keyIds = (await rowsOf(userId)).flatMap(({ sealed_access_token, sealed_refresh_token }) =>
      [sealed_access_token, sealed_refresh_token].map((sealed) => String(sealed).split('.')[1]),
    )

    expect(realm.refreshed).toHaveLength(1)
    expect(keyIds).toEqual([keyIdOf(newKey), keyIdOf(newKey)])
  })

  it('is stored for users that exchange a code for a session', async () => {
    const person = newPerson()
    realm.refreshTokens = 'rotating'
    await signInAtRealm(auth, realm, person, {
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'plain',
    })
    const user = await auth.auth.admin.findUser({ email: person.email ?? '' })
    const requested = { userId: user?.id ?? '', provider: 'keycloak' }

    expect((await auth.auth.admin.getProviderToken(requested)).accessToken).toContain('token of')
  })

  it('is stored for a user who accepts an invitation', async () => {
    const person = newPerson()
    await auth.auth.admin.inviteUser({ email: person.email ?? '' })
    const { hash } = await auth.messageTo(person.email ?? '')
    const { ask } = await signedIn(null, person, { invite_token: hash })

    expect((await ask()).accessToken).toContain('token of')
  })

  it('is not stored for a user that must confirm an address first', async () => {
    const person = { ...newPerson(), email_verified: false }
    const { query } = await signInAtRealm(auth, realm, person)

    expect(query['error_code']).toBe('provider_email_needs_verification')
    expect(
      await auth.rows('select 1 from auth.identities where subject = $1', [person.sub]),
    ).toHaveLength(1)
    const kept = await auth.rows(
      `select 1 from auth.provider_tokens t join auth.identities i on i.id = t.identity_id where subject = $1`,
      [person.sub],
    )
    expect(kept).toEqual([])
  })

  it('is replaced by the next sign-in, which keeps the refresh token if it returns none', async () => {
    const first = await signedIn('rotating')
    const second = await signedIn(null, first.person)

    expect(second.fragment['provider_refresh_token']).toBeUndefined()
    expect((await second.ask()).accessToken).toBe(second.fragment['provider_token'])
    toRenewal()
    expect((await second.ask()).accessToken).toContain('renewed')
    expect(realm.refreshed).toEqual([first.fragment['provider_refresh_token']])
  })

  it('is renewed when it expires within a minute, and replaces the single-use refresh token', async () => {
    const { ask, fragment } = await signedIn('rotating')
    auth.clock.advance(239)
    expect((await ask()).accessToken).toBe(fragment['provider_token'])
    auth.clock.advance(1)
    const renewed = await ask()

    expect(renewed.accessToken).toContain('renewed')
    expect(renewed.expiresAt).toEqual(new Date(auth.clock.now().getTime() + 300_000))
    expect(await ask()).toEqual(renewed)
    for (let times = 0; times < 2; times += 1) {
      toRenewal()
      expect((await ask()).accessToken).toContain('renewed')
    }
    expect(new Set(realm.refreshed).size).toBe(3)
  })

  it.each([1, 20, 60, 0, -5])(
    'is renewed once for a call where the provider’s token lasts %i seconds',
    async (seconds) => {
      realm.expiresInSeconds = seconds
      const { ask } = await signedIn('rotating')
      const { accessToken } = await ask()

      expect(accessToken).toEqual(expect.any(String))
      expect(realm.refreshed).toHaveLength(seconds > 0 ? 1 : 0)
    },
  )

  it('is renewed by a reusable refresh token', async () => {
    const { ask, fragment } = await signedIn('lasting')
    toRenewal()
    await ask()
    toRenewal()
    await ask()

    const token = fragment['provider_refresh_token']
    expect(realm.refreshed).toEqual([token, token])
  })

  it('is renewed once for fifty calls on two instances', async () => {
    const { ask } = await signedIn('rotating')
    const other = await auth.beside()
    realm.beforeRefresh = () => sleep(300)
    toExpiry()

    const tokens = await Promise.all(
      Array.from({ length: 50 }, (_, n) => ask(n % 2 === 0 ? auth.auth.api : other.auth.api)),
    )

    expect(realm.refreshed).toHaveLength(1)
    expect(new Set(tokens.map(({ accessToken }) => accessToken)).size).toBe(1)
    await other.close()
  })

  it('holds no lock and no transaction during the request to the provider', async () => {
    const { ask, userId } = await signedIn('rotating')
    const held: unknown[] = []
    realm.beforeRefresh = async () => {
      held.push(
        ...(await auth.rows(
          `select state from pg_stat_activity where datname = current_database()
            and xact_start is not null and pid <> pg_backend_pid() and backend_type = 'client backend'`,
        )),
      )
      await auth.rows(
        `select from auth.provider_tokens t join auth.identities i on i.id = t.identity_id
          where i.user_id = $1 for update nowait`,
        [userId],
      )
    }
    toRenewal()

    expect((await ask()).accessToken).toContain('renewed')
    expect(held).toEqual([])
  })

  it('is the old one while the provider is down, until it has expired', async () => {
    const { ask, fragment, userId } = await signedIn('rotating')
    realm.fail = 'token'
    toRenewal()
    expect((await ask()).accessToken).toBe(fragment['provider_token'])
    auth.clock.advance(51)
    await expect(ask()).rejects.toMatchObject({ code: 'service_unavailable', status: 503 })
    expect(await rowsOf(userId)).toMatchObject([{ renewing_until: null }])
    realm.fail = null

    expect((await ask()).accessToken).toContain('renewed')
  })

  it('requires another sign-in when the provider rejects the refresh token, which is deleted', async () => {
    const { ask, person, userId } = await signedIn('rotating')
    realm.revoke()
    toExpiry()

    await expect(ask()).rejects.toMatchObject({ code: 'provider_token_expired', status: 403 })
    await expect(ask()).rejects.toMatchObject({ code: 'provider_token_expired' })
    expect(realm.refreshed).toHaveLength(1)
    expect(await rowsOf(userId)).toMatchObject([{ sealed_refresh_token: null }])
    const again = await signedIn('rotating', person)
    expect((await again.ask()).accessToken).toContain('token of')
  })

  it('requires another sign-in when the token has expired without a refresh token', async () => {
    const { ask } = await signedIn(null)
    expect((await ask()).scopes).toBeNull()
    toExpiry()

    await expect(ask()).rejects.toMatchObject({ code: 'provider_token_expired' })
    expect(realm.refreshed).toEqual([])
  })

  it('waits for an instance that renews it, and takes over once its lease is over', async () => {
    const { ask, userId } = await signedIn('rotating')
    toExpiry()
    const until = new Date(auth.clock.now().getTime() + 20_000).toISOString()
    await auth.rows('update auth.provider_tokens set renewing_until = $1', [until])
    const pending = ask()
    await sleep(250)
    expect(realm.refreshed).toEqual([])
    auth.clock.advance(21)

    expect((await pending).accessToken).toContain('renewed')
    expect(realm.refreshed).toHaveLength(1)
    expect(await rowsOf(userId)).toMatchObject([{ renewing_until: null }])
  })

  it('survives an instance whose renewal ends after its lease', async () => {
    const { ask, userId } = await signedIn('rotating')
    const other = await auth.beside()
    toExpiry()
    // The first instance is slow to receive the result; the second uses the same refresh token too
    // late.
    const calls = holdRefreshes()
    const first = ask()
    await calls.begun(0)
    auth.clock.advance(60)
    calls.release(1)
    const second = await ask(other.auth.api).catch((error: { code: string }) => error.code)
    calls.release(0)

    expect((await first).accessToken).toContain('renewed')
    expect(second).toBe('provider_token_expired')
    expect(realm.refreshed).toHaveLength(2)
    expect(await rowsOf(userId)).toMatchObject([
      { sealed_refresh_token: expect.stringContaining('v2.') },
    ])
    toRenewal()
    expect((await ask()).accessToken).toContain('renewed')
    await other.close()
  })

  it('stays that of the renewing instance when another one is rejected after its lease', async () => {
    const { ask, userId } = await signedIn('rotating')
    const other = await auth.beside()
    toExpiry()
    realm.revoke()
    const calls = holdRefreshes()
    const first = ask().catch(({ code }) => code)
    await calls.begun(0)
    auth.clock.advance(60)
    const second = ask(other.auth.api).catch(({ code }) => code)
    await calls.begun(1)
    calls.release(0)
    await sleep(350)

    expect(await rowsOf(userId)).toMatchObject([
      { sealed_refresh_token: expect.any(String), renewing_until: expect.any(String) },
    ])
    calls.release(1)
    expect(await Promise.all([first, second])).toEqual([
      'provider_token_expired',
      'provider_token_expired',
    ])
    expect(realm.refreshed).toHaveLength(2)
    await other.close()
  })

  it('of a sign-in during a renewal is not overwritten', async () => {
    const { ask, person } = await signedIn('rotating')
    toExpiry()
    realm.beforeRefresh = async () => {
      realm.beforeRefresh = async () => {}
      await signedIn('rotating', person)
    }
    const { accessToken } = await ask()

    // The token of the later sign-in is newer.
    expect(accessToken).toContain('token of')
    toRenewal()
    expect((await ask()).accessToken).toContain('renewed')
  })

  it('is deleted with the identity during a renewal', async () => {
    const { ask, userId } = await signedIn('rotating')
    toExpiry()
    realm.beforeRefresh = async () => {
      await auth.rows('delete from auth.identities where user_id = $1', [userId])
    }

    await expect(ask()).rejects.toMatchObject({ code: 'provider_token_not_found' })
  })
})

describe('there is no token', () => {
  it('of an unknown provider, without an identity there, or if none is stored', async () => {
    const { accessToken, userId } = await signedIn(null)
    const { api, admin } = auth.auth
    const ask = (provider: string) => api.getProviderToken({ accessToken, provider })

    await expect(ask('acme')).rejects.toMatchObject({ code: 'validation_failed', status: 400 })
    await expect(ask('zoom')).rejects.toMatchObject({ code: 'validation_failed' })
    await expect(ask('github')).rejects.toMatchObject({ code: 'identity_not_found', status: 404 })
    await auth.rows('delete from auth.provider_tokens')
    await expect(ask('keycloak')).rejects.toMatchObject({
      code: 'provider_token_not_found',
      status: 404,
    })
    await auth.rows(`update auth.identities set provider = 'gitlab' where user_id = $1`, [userId])
    await expect(ask('gitlab')).rejects.toMatchObject({ code: 'provider_token_not_found' })
    const unknownUser = { userId: '00000000-0000-4000-8000-000000000000', provider: 'keycloak' }
    await expect(admin.getProviderToken(unknownUser)).rejects.toMatchObject({
      code: 'user_not_found',
    })
  })

  it('for a user who has not proved their second factor', async () => {
    const { accessToken, ask, askAsOperator } = await signedIn(null)
    const factors = secondFactors(auth)
    const app = await factors.enrolledApp(accessToken)
    const { body } = await factors.prove(accessToken, app)

    await expect(ask()).rejects.toMatchObject({ code: 'insufficient_aal', status: 403 })
    const strong = { accessToken: body.access_token, provider: 'keycloak' }
    const token = await auth.auth.api.getProviderToken(strong)
    expect(token.accessToken).toContain('token of')
    expect(await askAsOperator()).toEqual(token)
  })

  it.each<[string, (userId: string) => Promise<unknown>]>([
    ['deleted', (id) => auth.auth.admin.deleteUser(id)],
    ['soft deleted', (id) => auth.auth.admin.deleteUser(id, { soft: true })],
    ['erased', (id) => auth.auth.admin.eraseUser(id)],
    [
      'parted from the account',
      (id) => auth.rows('delete from auth.identities where user_id = $1', [id]),
    ],
  ])('of a user who is %s', async (_case, remove) => {
    const { userId } = await signedIn('rotating')
    const [before] = await auth.rows<{ n: string }>(
      'select count(*)::text as n from auth.provider_tokens',
    )
    await remove(userId)
    const [after] = await auth.rows<{ n: string }>(
      'select count(*)::text as n from auth.provider_tokens',
    )

    expect(Number(after?.n)).toBe(Number(before?.n) - 1)
    await expect(
      auth.auth.admin.getProviderToken({ userId, provider: 'keycloak' }),
    ).rejects.toMatchObject({ status: 404 })
  })
})

it('rule 10: is in no log, response, export, audit entry or error', async () => {
  const { ask, accessToken: token, userId, fragment, person } = await signedIn('rotating')
  const known = [fragment['provider_token'], fragment['provider_refresh_token']]
  toRenewal()
  known.push((await ask()).accessToken)
  realm.fail = 'token'
  toExpiry()
  const errors: unknown[] = [await ask().catch((error: unknown) => error)]
  realm.fail = null
  realm.revoke()
  errors.push(await ask().catch((error: unknown) => error))
  const again = await signedIn('rotating', person)
  known.push(again.fragment['provider_token'], again.fragment['provider_refresh_token'])

  const logged = [
    auth.log,
    errors,
    await auth.get('/user', { token: again.accessToken }),
    await auth.get('/user', { token }),
    await auth.auth.admin.getUser(userId),
    await (await auth.auth.admin.exportUser(userId)).read(),
    await auth.auth.admin.listAudit({}),
    await auth.rows('select * from auth.provider_tokens'),
    await auth.rows('select * from auth.identities'),
    await auth.rows('select * from auth.audit_entries'),
  ]
  const text = inspect(logged, { depth: 14, maxArrayLength: null, maxStringLength: null })
  const secrets = [...known, ...realm.refreshed]
  expect(secrets.length).toBeGreaterThan(6)
  expect(secrets.filter((secret) => secret === undefined || text.includes(secret))).toEqual([])
  expect(text).toContain('token not renewed')
  const { providerTokens } = await (await auth.auth.admin.exportUser(userId)).read()
  expect(providerTokens).toEqual([
    {
      identityId: expect.any(String),
      scopes: ['openid', 'email'],
      expiresAt: expect.any(String),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    },
  ])
})

it('is read under a replaced key, and sealed under the new one, behind a prefix as well', async () => {
  const old = 'an old encryption key of thirty-two bytes'
  const config = { providers: { keycloak: { ...realmSettings(realm), keepTokens: true } } }
  const namespace = 'app_'
  const before = await startMessagingAuth({
    ...config,
    encryptionKey: old,
    database: { namespace },
  })
  realm.refreshTokens = 'rotating'
  const person = newPerson()
  await signInAtRealm(before, realm, person)
  realm.refreshTokens = null
  await signInAtRealm(before, realm, person)
  realm.refreshTokens = 'rotating'
  const database = { url: before.databaseUrl, namespace }
  const next = await startMessagingAuth({
    ...config,
    encryptionKey: ['a new encryption key of thirty-two bytes', old],
    database,
  })
  const user = await next.auth.admin.findUser({ email: person.email ?? '' })
  const requested = { userId: user?.id ?? '', provider: 'keycloak' }
  expect((await next.auth.admin.getProviderToken(requested)).accessToken).toContain('token of')
  next.clock.advance(250)
  const renewed = await next.auth.admin.getProviderToken(requested)

  expect(renewed.accessToken).toContain('renewed')
  // With the old key alone, the token sealed under it is readable, and the new one is not.
  await expect(before.auth.admin.getProviderToken(requested)).rejects.toThrow(
    'which is not configured',
  )
  await next.auth.close()
  await before.close()
})
