import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claimsIn, secondFactors } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth({ sessions: { inactivityTimeoutSeconds: 3600 } })
})
afterAll(() => auth.close())

interface Tokens {
  id: string
  accessToken: string
  refreshToken: string
}

async function signIn(email: string | null, userAgent = 'a client'): Promise<Tokens> {
  auth.clock.advance(1)
  const { session } = await auth.auth.api.signInWithPassword(
    { email: email ?? '', password: testPassword },
    { ip: '203.0.113.7', userAgent },
  )
  return session
}

/** A user with so many sessions, the oldest first. */
async function givenSessions(count: number, userAgent?: string) {
  const user = await auth.given.user()
  const sessions: Tokens[] = []
  for (let made = 0; made < count; made += 1) sessions.push(await signIn(user.email, userAgent))
  const newest = sessions.at(-1) as Tokens
  return { user, sessions, newest }
}

const list = (token: string, query = '') => auth.get(`/user/sessions${query}`, { token })
const end = (token: string, path: string) =>
  auth.request('DELETE', `/user/sessions${path}`, { token })
const refresh = (refreshToken: string, userAgent = 'a client') =>
  auth.post(
    '/token?grant_type=refresh_token',
    { refresh_token: refreshToken },
    { headers: { 'user-agent': userAgent } },
  )
const idsIn = ({ body }: { body: { id: string }[] }) => body.map(({ id }) => id)
const opens = async ({ accessToken }: Tokens) =>
  (await auth.get('/user', { token: accessToken })).status === 200

describe('GET /user/sessions', () => {
  it('returns device, address, times and the current session, the last used first', async () => {
    const { user, sessions } = await givenSessions(1, firefox)
    const [first] = sessions as [Tokens]
    const openedAt = auth.clock.now().toISOString()
    const second = await signIn(user.email, 'a client')
    auth.clock.advance(60)
    await refresh(first.refreshToken, firefox)

    const { status, body } = await list(second.accessToken)

    expect(status).toBe(200)
    expect(body).toEqual([
      {
        id: first.id,
        current: false,
        aal: 'aal1',
        device: 'Firefox on Linux',
        user_agent: firefox,
        ip: '203.0.113.7',
        created_at: openedAt,
        last_used_at: auth.clock.now().toISOString(),
      },
      expect.objectContaining({ id: second.id, current: true, user_agent: 'a client' }),
    ])
    expect(body[1]).not.toHaveProperty('device')
  })

  it('is paged, and contains the number of sessions on all pages', async () => {
    const { sessions, newest } = await givenSessions(3)
    const newestFirst = sessions.map(({ id }) => id).reverse()

    const first = await list(newest.accessToken, '?per_page=2')
    const second = await list(newest.accessToken, '?per_page=2&page=2')
    const third = await list(newest.accessToken, '?per_page=2&page=3')

    expect([...idsIn(first), ...idsIn(second)]).toEqual(newestFirst)
    expect(idsIn(third)).toEqual([])
    for (const { headers } of [first, second, third]) expect(headers.get('x-total-count')).toBe('3')
    expect(first.headers.get('link')).toContain('</user/sessions?page=2&per_page=2>; rel="next"')
    expect(second.headers.get('link')).not.toContain('rel="next"')
  })

  it('is paged in code by the same parameters, whose values it checks', async () => {
    const { user, newest, sessions } = await givenSessions(3)
    const { api, admin } = auth.auth
    const { accessToken } = newest

    const own = await api.listSessions({ accessToken, page: 2, perPage: 2 })
    const ofUser = await admin.listSessions(user.id, { page: 3, perPage: 1 })

    expect([...own, ...ofUser].map(({ id }) => id)).toEqual(Array(2).fill(sessions[0]?.id))
    await expect(api.listSessions({ accessToken, page: 0 })).rejects.toThrow(/^page: /)
    await expect(admin.listSessions(user.id, { perPage: 20_000 })).rejects.toThrow(/^per_page: /)
  })

  it('leaves out sessions that have ended, for whichever reason', async () => {
    const { user, sessions } = await givenSessions(1)
    const [unused] = sessions as [Tokens]
    auth.clock.advance(3601)
    const [revoked, expired] = [await signIn(user.email), await signIn(user.email)]
    const current = await signIn(user.email)
    const now = auth.clock.now()
    await auth.rows('update auth.sessions set revoked_at = $2 where id = $1', [revoked.id, now])
    await auth.rows('update auth.sessions set not_after = $2 where id = $1', [expired.id, now])

    const answer = await list(current.accessToken)

    expect(idsIn(answer)).toEqual([current.id])
    expect(answer.headers.get('x-total-count')).toBe('1')
    expect(await opens(unused)).toBe(false)
  })

  it('marks no session as current for a token that names none', async () => {
    const { user } = await givenSessions(1)
    const { keys } = await auth.deps()
    const token = await keys.sign({ sub: user.id, aud: 'authenticated' })

    expect((await list(token)).body).toMatchObject([{ current: false }])
  })

  it.each(['?page=x', '?per_page=0', '?per_page=10001', '?per_page=1&per_page=2'])(
    'rejects %s',
    async (query) => {
      const { newest } = await givenSessions(1)

      const { status, body } = await list(newest.accessToken, query)

      expect([status, body.error_code]).toEqual([400, 'validation_failed'])
      expect(body.msg).toMatch(/page/)
    },
  )
})

describe('DELETE /user/sessions/{session_id}', () => {
  it('ends one session: its access token and refresh token are rejected at once', async () => {
    const { user, sessions, newest } = await givenSessions(2)
    const [lost] = sessions as [Tokens]

    const answer = await end(newest.accessToken, `/${lost.id.toUpperCase()}`)

    expect([answer.status, answer.text]).toEqual([204, ''])
    const read = await auth.get('/user', { token: lost.accessToken })
    expect([read.status, read.body.error_code]).toEqual([403, 'session_not_found'])
    const renewed = await refresh(lost.refreshToken)
    expect([renewed.status, renewed.body.error_code]).toEqual([400, 'refresh_token_not_found'])
    expect(idsIn(await list(newest.accessToken))).toEqual([newest.id])
    const entries = await auth.auth.admin.listAudit({ actorId: user.id, action: 'logout' })
    expect(entries.entries).toMatchObject([{ traits: { session_id: lost.id.toLowerCase() } }])
  })

  it('ends the current session, and leaves the others', async () => {
    const { sessions, newest } = await givenSessions(2)
    const [other] = sessions as [Tokens]

    expect((await end(newest.accessToken, `/${newest.id}`)).status).toBe(204)

    expect([await opens(newest), await opens(other)]).toEqual([false, true])
    const again = await end(newest.accessToken, `/${newest.id}`)
    expect([again.status, again.body.error_code]).toEqual([403, 'session_not_found'])
  })

  it('returns 404 for a session of another user, one that was ended, and an unknown id', async () => {
    const { newest, sessions } = await givenSessions(2)
    const [ended] = sessions as [Tokens]
    const other = await givenSessions(1)
    await end(newest.accessToken, `/${ended.id}`)

    for (const id of [other.newest.id, ended.id, crypto.randomUUID()]) {
      const { status, body } = await end(newest.accessToken, `/${id}`)
      expect([status, body.error_code]).toEqual([404, 'session_not_found'])
    }
    expect(await opens(other.newest)).toBe(true)
  })

  it('names the field for an id that is no UUID', async () => {
    const { newest } = await givenSessions(1)

    const { status, body } = await end(newest.accessToken, '/mine')

    expect([status, body.error_code]).toEqual([400, 'validation_failed'])
    expect(body.msg).toMatch(/^session_id: /)
  })

  it('leaves the detection of reused refresh tokens as it is', async () => {
    const { sessions, newest } = await givenSessions(2)
    const [copied] = sessions as [Tokens]
    const { body } = await refresh(copied.refreshToken)
    await refresh(body.refresh_token)
    auth.clock.advance(60)
    const reuse = await refresh(copied.refreshToken)
    expect(reuse.body.error_code).toBe('refresh_token_already_used')
    const { body: other } = await refresh(newest.refreshToken)

    expect((await end(other.access_token, `/${copied.id}`)).status).toBe(204)

    for (const token of [copied.refreshToken, body.refresh_token]) {
      expect((await refresh(token)).body.error_code).toBe('refresh_token_not_found')
    }
    expect((await refresh(other.refresh_token)).status).toBe(200)
  })

  it('wins or loses a race with a refresh, and the session ends either way', async () => {
    const { sessions, newest } = await givenSessions(2)
    const [lost] = sessions as [Tokens]

    const [renewed] = await Promise.all([
      refresh(lost.refreshToken),
      end(newest.accessToken, `/${lost.id}`),
    ])

    const token = renewed.body.access_token ?? lost.accessToken
    expect((await auth.get('/user', { token })).body.error_code).toBe('session_not_found')
    expect((await refresh(renewed.body.refresh_token ?? lost.refreshToken)).status).toBe(400)
  })
})

describe('DELETE /user/sessions', () => {
  it.each([
    ['others', [false, false, true]],
    ['local', [true, true, false]],
    ['global', [false, false, false]],
  ])('with scope=%s ends sessions as POST /logout does', async (scope, expected) => {
    const { sessions, newest } = await givenSessions(3)
    const bystander = await givenSessions(1)

    const { status, text } = await end(newest.accessToken, `?scope=${scope}`)

    expect([status, text]).toEqual([204, ''])
    expect(await Promise.all(sessions.map(opens))).toEqual(expected)
    expect(await opens(bystander.newest)).toBe(true)
  })

  it.each(['', '?scope=', '?scope=all', '?scope=others&scope=global'])(
    'ends nothing with %j',
    async (query) => {
      const { sessions, newest } = await givenSessions(2)

      const { status, body } = await end(newest.accessToken, query)

      expect([status, body.error_code]).toEqual([400, 'validation_failed'])
      expect(body.msg).toMatch(/^scope: /)
      expect(await Promise.all(sessions.map(opens))).toEqual([true, true])
    },
  )

  it('needs no second factor, as a sign-out does not', async () => {
    const factors = secondFactors(auth)
    const { user, accessToken } = await factors.aal2Session()
    const weak = await signIn(user.email)
    const strongId = String(claimsIn(accessToken).session_id)

    expect((await list(weak.accessToken)).body).toHaveLength(2)
    expect((await end(weak.accessToken, `/${strongId}`)).status).toBe(204)
    expect((await end(weak.accessToken, '?scope=others')).status).toBe(204)
  })
})

describe('/admin/users/{user_id}/sessions', () => {
  const ask = async (method: string, userId: string, path = '') =>
    auth.request(method, `/admin/users/${userId}/sessions${path}`, {
      token: await auth.given.serviceToken(),
    })

  it('lists the sessions of a user by pages, none of them the current one', async () => {
    const { user, sessions } = await givenSessions(2)

    const answer = await ask('GET', user.id, '?per_page=1')

    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject([{ id: sessions[1]?.id, current: false, ip: '203.0.113.7' }])
    expect(answer.headers.get('x-total-count')).toBe('2')
    expect(answer.headers.get('link')).toContain('rel="next"')
  })

  it('ends one session, and then all of them', async () => {
    const { user, sessions, newest } = await givenSessions(3)

    const one = await ask('DELETE', user.id, `/${newest.id}`)
    const left = await Promise.all(sessions.map(opens))
    const all = await ask('DELETE', user.id)

    expect([one.status, all.status]).toEqual([204, 204])
    expect(left).toEqual([true, true, false])
    expect(await Promise.all(sessions.map(opens))).toEqual([false, false, false])
    expect((await ask('GET', user.id)).body).toEqual([])
  })

  it('returns 404 for an unknown user, and for a session of another user', async () => {
    const { user } = await givenSessions(1)
    const other = await givenSessions(1)
    const unknown = crypto.randomUUID()

    const answers = [
      await ask('GET', unknown),
      await ask('DELETE', unknown),
      await ask('DELETE', unknown, `/${other.newest.id}`),
      await ask('DELETE', user.id, `/${other.newest.id}`),
    ]

    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual([
      [404, 'user_not_found'],
      [404, 'user_not_found'],
      [404, 'session_not_found'],
      [404, 'session_not_found'],
    ])
    expect(await opens(other.newest)).toBe(true)
  })

  it('rejects any scope but global: an operator has no session of the user', async () => {
    const { user, newest } = await givenSessions(1)

    const { status, body } = await ask('DELETE', user.id, '?scope=others')

    expect([status, body.error_code]).toEqual([400, 'validation_failed'])
    expect(await opens(newest)).toBe(true)
    expect((await ask('DELETE', user.id, '?scope=global')).status).toBe(204)
  })

  it('records the operator', async () => {
    const { user, newest } = await givenSessions(2)

    await ask('DELETE', user.id, `/${newest.id}`)
    auth.clock.advance(1)
    await ask('DELETE', user.id)

    const { entries } = await auth.auth.admin.listAudit({ userId: user.id, action: 'logout' })
    expect(entries).toMatchObject([
      { actorRole: 'service_role' },
      { actorRole: 'service_role', traits: { session_id: newest.id } },
    ])
  })
})
