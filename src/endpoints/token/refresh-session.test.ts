import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testSecret } from '../../../test/support/test-auth.ts'
import { encodeRefreshToken } from '../../accounts/sessions/refresh-token.ts'
import { deriveKey, type RootKey } from '../../platform/kit/derived-keys.ts'

let auth: TestAuth

const refresh = (refreshToken: unknown, on = auth) =>
  on.post('/token?grant_type=refresh_token', { refresh_token: refreshToken })

const statusAndCode = ({ status, body }: Awaited<ReturnType<typeof refresh>>) => [
  status,
  body.error_code,
  body.msg,
]

const storedSession = async (userId: string) => {
  const [session] = await auth.rows('select * from auth.sessions where user_id = $1', [userId])
  return session
}

/** A token of this service for any session and counter. */
const forge = (sessionId: string, counter: number) =>
  encodeRefreshToken({ current: testSecret, all: [testSecret] }, { sessionId, counter })

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

describe('refresh', () => {
  it('returns the next token, and the same one again for a short while', async () => {
    const { refreshToken } = await auth.given.session()

    const first = await refresh(refreshToken)
    auth.clock.advance(9)
    const again = await refresh(refreshToken)

    expect(first.status).toBe(200)
    expect(first.body.refresh_token).not.toBe(refreshToken)
    expect(again.body.refresh_token).toBe(first.body.refresh_token)
  })

  it('measures that time from the rotation, and does not extend it', async () => {
    const { refreshToken } = await auth.given.session()
    await refresh(refreshToken)
    auth.clock.advance(6)
    await refresh(refreshToken)
    auth.clock.advance(6)

    const late = await refresh(refreshToken)

    expect(late.body).toMatchObject({ error_code: 'refresh_token_already_used' })
  })

  it('revokes the session, and keeps its row, when an older token is used', async () => {
    const { refreshToken } = await auth.given.session()
    const second = await refresh(refreshToken)
    const third = await refresh(second.body.refresh_token)

    const reuse = await refresh(refreshToken)
    const newest = await refresh(third.body.refresh_token)
    const user = await auth.get('/user', { token: third.body.access_token })

    expect(reuse.body.error_code).toBe('refresh_token_already_used')
    expect(newest.body.error_code).toBe('refresh_token_already_used')
    expect([user.status, user.body.error_code]).toEqual([403, 'session_not_found'])
  })
})

describe('a renewed session', () => {
  it('is the same session, with a new access token for the present user', async () => {
    const { user, accessToken, refreshToken } = await auth.given.session()
    await auth.auth.admin.updateUser(user.id, { role: 'staff', userMetadata: { name: 'Ada' } })
    auth.clock.advance(1800)

    const { status, body } = await refresh(refreshToken)
    const [before, after] = [
      await auth.auth.verifyToken(accessToken),
      await auth.auth.verifyToken(body.access_token),
    ]

    expect(status).toBe(200)
    expect(body).not.toHaveProperty('weak_password')
    expect(body.user).toMatchObject({ id: user.id, role: 'staff', user_metadata: { name: 'Ada' } })
    expect(after).toMatchObject({
      session_id: before.session_id,
      amr: before.amr,
      aal: 'aal1',
      role: 'staff',
      iat: (before.iat ?? 0) + 1800,
      exp: (before.exp ?? 0) + 1800,
    })
  })

  it('stores the time and client of its renewal, in place', async () => {
    const { user, refreshToken } = await auth.given.session()
    auth.clock.advance(60)

    await auth.post(
      '/token?grant_type=refresh_token',
      { refresh_token: refreshToken },
      { ip: '2001:db8::1', headers: { 'user-agent': 'another browser' } },
    )
    const session = await storedSession(user.id)

    expect(session).toMatchObject({
      refresh_token_counter: 1,
      user_agent: 'another browser',
      ip: '2001:db8::1',
    })
    expect(new Date(String(session?.['refreshed_at']))).toEqual(auth.clock.now())
  })

  it('keeps its audit trail: one entry for each refresh, none for a rejection', async () => {
    const { user, refreshToken } = await auth.given.session()
    const second = await refresh(refreshToken)
    await refresh(second.body.refresh_token)

    await refresh(refreshToken)
    const entries = await auth.rows(
      'select action from auth.audit_entries where actor_id = $1 and action = 8',
      [user.id],
    )

    expect(entries).toHaveLength(2)
  })
})

describe('one child', () => {
  it('is returned to fifty concurrent requests', async () => {
    const { user, refreshToken } = await auth.given.session()

    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(refreshToken)))

    const children = answers.map(({ body }) => body.refresh_token)
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
    expect(new Set(children).size).toBe(1)
    expect((await storedSession(user.id))?.['refresh_token_counter']).toBe(1)
  })
})

describe('a refresh is rejected', () => {
  const already = [400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used']
  const unknown = [400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found']

  it('when the parent is used again at the end of the interval', async () => {
    const { user, refreshToken } = await auth.given.session()
    await refresh(refreshToken)
    auth.clock.advance(10)

    expect(statusAndCode(await refresh(refreshToken))).toEqual(already)
    const { revoked_at: revokedAt } = (await storedSession(user.id)) ?? {}
    expect(new Date(String(revokedAt))).toEqual(auth.clock.now())
  })

  it('for every token of a session that was revoked, the newest as well', async () => {
    const { user, refreshToken } = await auth.given.session()
    const second = await refresh(refreshToken)
    const third = await refresh(second.body.refresh_token)
    await refresh(refreshToken)
    const revokedAt = (await storedSession(user.id))?.['revoked_at']
    auth.clock.advance(60)

    for (const { body } of [second, third]) {
      expect(statusAndCode(await refresh(body.refresh_token))).toEqual(already)
    }
    expect((await storedSession(user.id))?.['revoked_at']).toEqual(revokedAt)
  })

  it('after a sign-out, like an unknown token', async () => {
    const { accessToken, refreshToken } = await auth.given.session()
    await auth.post('/logout', undefined, { token: accessToken })

    expect(statusAndCode(await refresh(refreshToken))).toEqual(unknown)
  })

  it('when the token has a higher count than its session', async () => {
    const { user } = await auth.given.session()
    const session = await storedSession(user.id)

    const answer = await refresh(forge(String(session?.['id']), 7))

    expect(statusAndCode(answer)).toEqual([
      400,
      'validation_failed',
      'Invalid Refresh Token: Not Issued By This Server',
    ])
    expect((await storedSession(user.id))?.['revoked_at']).toBeNull()
  })

  it('for a banned user, whose session goes on after the ban', async () => {
    const { user, refreshToken } = await auth.given.session()
    await auth.auth.admin.updateUser(user.id, { banDuration: '1h' })

    const during = await refresh(refreshToken)
    auth.clock.advance(3600)
    const after = await refresh(refreshToken)

    expect(statusAndCode(during)).toEqual([
      400,
      'user_banned',
      'Invalid Refresh Token: User Banned',
    ])
    expect(after.status).toBe(200)
  })

  it('from the end of the session on', async () => {
    const { user, refreshToken } = await auth.given.session()
    const end = new Date(auth.clock.now().getTime() + 60_000)
    await auth.rows('update auth.sessions set not_after = $2 where user_id = $1', [user.id, end])

    auth.clock.advance(59)
    const before = await refresh(refreshToken)
    auth.clock.advance(1)
    const after = await refresh(before.body.refresh_token)

    expect(before.status).toBe(200)
    expect(statusAndCode(after)).toEqual([
      400,
      'session_expired',
      'Invalid Refresh Token: Session Expired',
    ])
  })

  it.each([
    ['nothing', undefined, 'validation_failed'],
    ['null', null, 'validation_failed'],
    ['an empty text', '', 'validation_failed'],
    ['a word', 'refresh', 'validation_failed'],
    ['a number', 12, 'bad_json'],
    ['an imported token that is not there', 'abcdefghij12', 'refresh_token_not_found'],
    ['twelve letters of another alphabet', 'ABCDEFGHIJ12', 'validation_failed'],
    [
      'a session that never was',
      forge('00000000-0b57-4a39-9c39-0d3f1f7c1e0b', 0),
      'refresh_token_not_found',
    ],
    [
      'a token under a foreign key',
      encodeRefreshToken(
        { current: 'foreign', all: ['foreign'] },
        { sessionId: '00000000-0b57-4a39-9c39-0d3f1f7c1e0b', counter: 0 },
      ),
      'refresh_token_not_found',
    ],
  ])('for %s', async (_case, token, code) => {
    const { status, body } = await refresh(token)

    expect([status, body.error_code]).toEqual([400, code])
  })
})

describe('with rotation disabled', () => {
  it('tokens still rotate, and reuse is rejected without a revocation', async () => {
    const lenient = await startTestAuth({ security: { refreshTokens: { rotationEnabled: false } } })
    const { refreshToken } = await lenient.given.session()
    const second = await refresh(refreshToken, lenient)
    const third = await refresh(second.body.refresh_token, lenient)

    const reuse = await refresh(refreshToken, lenient)
    const newest = await refresh(third.body.refresh_token, lenient)
    await lenient.close()

    expect(second.body.refresh_token).not.toBe(refreshToken)
    expect(reuse.body.error_code).toBe('refresh_token_already_used')
    expect(newest.status).toBe(200)
  })
})

describe('roots', () => {
  it('are the encryption keys before the secrets of tokens, and all of them are read', async () => {
    const old = 'an old encryption key of 32 bytes or more'
    const sessionId = '00000000-0b57-4a39-9c39-0d3f1f7c1e0b'
    const rotated = await startTestAuth({
      encryptionKey: ['a new encryption key of 32 bytes or more', old],
    })
    const made = await rotated.given.session()
    const { roots } = await rotated.deps()

    const tokens = [old, testSecret].map((root) =>
      encodeRefreshToken({ current: root, all: [root] }, { sessionId, counter: 0 }),
    )
    const answers = await Promise.all(tokens.map((token) => refresh(token, rotated)))
    const own = await refresh(made.refreshToken, rotated)
    await rotated.close()

    // Both are ours, of an unknown session; one with another key would get the same response.
    expect(answers.map(({ body }) => body.error_code)).toEqual(
      Array(2).fill('refresh_token_not_found'),
    )
    const keyOf = (root: RootKey) => deriveKey(root, 'refresh-token')
    const secrets = ['a new encryption key of 32 bytes or more', old, testSecret]
    expect(roots.all.map(keyOf)).toEqual(secrets.map(keyOf))
    expect(roots.current).toBe(roots.all[0])
    expect(own.status).toBe(200)
  })
})

it('claims of the hook that are too large leave the refresh token valid', async () => {
  let size = 0
  const own = await startTestAuth({
    hooks: {
      customAccessToken: ({ claims }) => ({ claims: { ...claims, padding: 'x'.repeat(size) } }),
    },
  })
  const { refreshToken } = await own.given.session()

  size = 20_000
  const rejected = await refresh(refreshToken, own)
  own.clock.advance(60)
  size = 0
  const later = await refresh(refreshToken, own)
  await own.close()

  expect([rejected.status, later.status]).toEqual([500, 200])
})
