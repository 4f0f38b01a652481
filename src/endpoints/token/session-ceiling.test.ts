import { afterEach, describe, expect, it } from 'vitest'
import { openBrowser, realmSettings, startFakeRealm } from '../../../test/support/fake-realm.ts'
import { passkeysOf } from '../../../test/support/passkeys.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import type { AuthConfig } from '../../platform/config/config.ts'

// S18: the live sessions of a user are limited, and the least recently used one ends.

let auth: TestAuth
afterEach(() => auth.close())

const start = async (sessions: AuthConfig['sessions'] = { maxPerUser: 3 }) => {
  auth = await startTestAuth({ sessions })
}

const signIn = async (email: string | null) => {
  auth.clock.advance(1)
  const { session } = await auth.auth.api.signInWithPassword({
    email: email ?? '',
    password: testPassword,
  })
  return session
}
const refresh = (refresh_token: string) =>
  auth.post('/token?grant_type=refresh_token', { refresh_token })
const idsOf = async (userId: string) =>
  (await auth.auth.admin.listSessions(userId)).map(({ id }) => id)

describe('a sign-in beyond the ceiling', () => {
  it('S18: ends the least recently used session, in its own statement', async () => {
    await start()
    const { id, email } = await auth.given.user()
    const [first, second, third] = [await signIn(email), await signIn(email), await signIn(email)]
    auth.clock.advance(1)
    await refresh(first.refreshToken)

    const fourth = await signIn(email)

    expect(await idsOf(id)).toEqual([fourth.id, first.id, third.id])
    const ended = await refresh(second.refreshToken)
    expect([ended.status, ended.body.error_code]).toEqual([400, 'refresh_token_not_found'])
  })

  it('S18: counts each user separately', async () => {
    await start({ maxPerUser: 1 })
    const [ann, bob] = [await auth.given.user(), await auth.given.user()]
    await signIn(ann.email)
    await signIn(bob.email)

    expect([await idsOf(ann.id), await idsOf(bob.id)]).toMatchObject([{ length: 1 }, { length: 1 }])
  })

  it('S18: ends no live session in place of an ended one', async () => {
    await start({ maxPerUser: 2, timeboxSeconds: 100 })
    const { id, email } = await auth.given.user()
    const old = await signIn(email)
    auth.clock.advance(50)
    const quiet = await signIn(email)
    auth.clock.advance(20)
    await refresh(old.refreshToken)
    auth.clock.advance(40)

    const newest = await signIn(email)

    expect(await idsOf(id)).toEqual([newest.id, quiet.id])
  })

  it('S18: keeps the latest revoked sessions, so that reuse of their tokens is recognized', async () => {
    await start({ maxPerUser: 2 })
    const { email } = await auth.given.user()
    const stolen: string[] = []
    for (let n = 0; n < 4; n += 1) {
      const { refreshToken } = await signIn(email)
      const next = (await refresh(refreshToken)).body.refresh_token
      await refresh(next)
      auth.clock.advance(20)
      await refresh(refreshToken)
      stolen.push(refreshToken)
    }

    await signIn(email)

    const codes = await Promise.all(
      stolen.map(async (token) => (await refresh(token)).body.error_code),
    )
    expect(codes).toEqual([
      'refresh_token_not_found',
      'refresh_token_not_found',
      'refresh_token_already_used',
      'refresh_token_already_used',
    ])
  })

  it('S18: limits the list of sessions, also of a user who was imported with more', async () => {
    await start({ maxPerUser: 5 })
    const { id, email } = await auth.given.user()
    await signIn(email)
    await auth.rows(
      `insert into auth.sessions select (jsonb_populate_record(s, jsonb_build_object(
        'id', gen_random_uuid(), 'created_at', s.created_at - interval '1 day'))).*
        from auth.sessions s, generate_series(1, 100)`,
    )
    const { accessToken, ...newest } = await signIn(email)
    await auth.rows(
      `insert into auth.sessions select (jsonb_populate_record(s,
        jsonb_build_object('id', gen_random_uuid(), 'created_at', s.created_at - interval '1 day'))).*
        from auth.sessions s, generate_series(1, 100)`,
    )

    const own = await auth.auth.api.listSessions({ accessToken })

    // Those of OAuth clients, which are counted separately, are in the list, too.
    expect(own).toHaveLength(10)
    expect(own[0]?.id).toBe(newest.id)
    expect(await idsOf(id)).toHaveLength(10)
  })

  it('S18: shrinks from any number, by a bounded part at each sign-in', async () => {
    await start({ maxPerUser: 5 })
    const { id, email } = await auth.given.user()
    const first = await signIn(email)
    await auth.rows(
      `insert into auth.sessions select (jsonb_populate_record(s,
        jsonb_build_object('id', gen_random_uuid()))).* from auth.sessions s, generate_series(1, 1500)`,
    )
    const count = async () => (await auth.rows('select 1 from auth.sessions')).length
    const counts: number[] = []
    for (let n = 0; n < 5; n += 1) {
      await signIn(email)
      counts.push(await count())
    }

    expect(counts).toEqual([...counts].sort((a, b) => b - a))
    expect(counts[0]).toBeGreaterThan(500)
    expect(counts.at(-1)).toBe(5)
    expect(await idsOf(id)).not.toContain(first.id)
  })

  const email = 'ann@example.test'
  const link = async () => {
    const { hashedToken } = await auth.auth.admin.generateLink({ type: 'magiclink', email })
    return hashedToken
  }
  const verifier = 'v'.repeat(43)

  it.each<[string, (by: Ways) => Promise<number>]>([
    [
      'a password',
      async () => statusOf('/token?grant_type=password', { email, password: testPassword }),
    ],
    ['a link', async () => statusOf('/verify', { type: 'magiclink', token_hash: await link() })],
    [
      'an authorization code',
      async ({ codeFor }) => {
        const challenge = { code_challenge: verifier, code_challenge_method: 'plain' }
        const body = { auth_code: await codeFor(challenge), code_verifier: verifier }
        return statusOf('/token?grant_type=pkce', body)
      },
    ],
    ['a provider', async ({ atRealm }) => (await atRealm({})).status],
    ['a passkey', async ({ byPasskey }) => byPasskey()],
  ])('S18: applies to a sign-in by %s', async (_name, signInBy) => {
    const realm = await startFakeRealm()
    auth = await startTestAuth({
      sessions: { maxPerUser: 2 },
      passkeys: { enabled: true },
      providers: { keycloak: realmSettings(realm) },
    })
    const { id } = await auth.given.user(email)
    const person = { sub: 'ann', email, email_verified: true }
    const atRealm = async (query: Record<string, string>) => {
      const browser = openBrowser(auth)
      const { state } = await browser.authorize(query)
      return browser.sendCallback({ state, code: realm.codeFor(person) })
    }
    const passkeys = passkeysOf(auth)
    const holder = await passkeys.holder('ES256')
    const ways: Ways = {
      atRealm,
      codeFor: async (challenge) => (await atRealm(challenge)).query.code ?? '',
      byPasskey: async () => (await passkeys.signIn(holder.authenticator)).status,
    }

    const statuses: number[] = []
    for (let n = 0; n < 4; n += 1) {
      auth.clock.advance(1)
      statuses.push(await signInBy(ways))
    }

    expect(new Set(statuses).size, statuses.join()).toBe(1)
    const counts = [await idsOf(id), await idsOf(holder.user.id)].map(({ length }) => length)
    expect(Math.max(...counts)).toBe(2)
    await realm.close()
  })
})

interface Ways {
  atRealm(query: Record<string, string>): Promise<{ status: number }>
  codeFor(challenge: Record<string, string>): Promise<string>
  byPasskey(): Promise<number>
}

const statusOf = async (path: string, body: object): Promise<number> =>
  (await auth.post(path, body)).status

it.each([0, 10_001, 1.5])('S18: rejects a ceiling of %s', async (maxPerUser) => {
  await start({})
  await expect(startTestAuth({ sessions: { maxPerUser } })).rejects.toThrow(/sessions\.maxPerUser/)
})
