import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRefreshToken } from '../../../test/support/gotrue/refresh-token.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { hashImportedToken } from '../../accounts/sessions/refresh-token.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

const refresh = (token: string, on = auth) =>
  on.post('/token?grant_type=refresh_token', { refresh_token: token })

const codeOf = async (token: string, on = auth) => (await refresh(token, on)).body.error_code

let tokens = 0
const rowToken = () => `abcdefgh${String(++tokens).padStart(4, '2')}`

/** A session as the import leaves it, renewed by these tokens of the other service. */
async function givenImported(imported = [rowToken()], on = auth) {
  const { user, accessToken } = await on.given.session()
  const [session] = await on.rows<{ id: string }>(
    'select id from auth.sessions where user_id = $1',
    [user.id],
  )
  const { roots } = await on.deps()
  for (const token of imported) {
    await on.rows('insert into auth.imported_tokens (token_hash, session_id) values ($1, $2)', [
      hashImportedToken(roots.current, token),
      session?.id,
    ])
  }
  return { user, accessToken, sessionId: session?.id ?? '', tokens: imported }
}

const stored = async (sessionId: string) => {
  const [session] = await auth.rows('select * from auth.sessions where id = $1', [sessionId])
  return session
}

describe('a refresh token of an imported session', () => {
  it('is exchanged for one of ours, and the session stays the same', async () => {
    const { user, sessionId, tokens } = await givenImported()

    const exchanged = await refresh(tokens[0] ?? '')
    const renewed = await refresh(exchanged.body.refresh_token)

    expect([exchanged.status, renewed.status]).toEqual([200, 200])
    expect(exchanged.body.user.id).toBe(user.id)
    const claims = await auth.auth.verifyToken(exchanged.body.access_token)
    expect(claims).toMatchObject({ session_id: sessionId, sub: user.id })
  })

  it('returns the same child for a short while, and then revokes the session', async () => {
    const { sessionId, tokens } = await givenImported()
    const [token = ''] = tokens
    const first = await refresh(token)
    auth.clock.advance(9)
    const again = await refresh(token)
    auth.clock.advance(1)

    const late = await refresh(token)

    expect(again.body.refresh_token).toBe(first.body.refresh_token)
    expect(late.body.error_code).toBe('refresh_token_already_used')
    expect(await stored(sessionId)).toMatchObject({ revoked_at: expect.anything() })
    expect(await codeOf(first.body.refresh_token)).toBe('refresh_token_already_used')
  })

  it('has one effect for fifty concurrent requests', async () => {
    const { user, sessionId, tokens } = await givenImported()

    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(tokens[0] ?? '')))

    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
    expect(await stored(sessionId)).toMatchObject({ refresh_token_counter: 1, user_id: user.id })
  })

  it('may have its former, longer form', async () => {
    const { tokens } = await givenImported(['Zx_4-aB9cD2eF6gH8jK0lM'])

    expect((await refresh(tokens[0] ?? '')).status).toBe(200)
  })

  it('shares its one exchange with the other tokens of the session', async () => {
    const { tokens } = await givenImported([rowToken(), rowToken()])
    const [newest = '', parent = ''] = tokens
    const exchanged = await refresh(parent)
    auth.clock.advance(10)

    expect(exchanged.status).toBe(200)
    expect(await codeOf(newest)).toBe('refresh_token_already_used')
  })

  it('may be a signed one, of the same form as ours and with the other service’s key', async () => {
    const made = await givenImported([])
    const signed = createRefreshToken({ ...made, counter: 41, key: Buffer.alloc(32, 7) })
    const { roots } = await auth.deps()
    await auth.rows('insert into auth.imported_tokens values ($1, $2)', [
      hashImportedToken(roots.current, signed),
      made.sessionId,
    ])
    const older = createRefreshToken({ ...made, counter: 40, key: Buffer.alloc(32, 7) })

    expect(await codeOf(older)).toBe('refresh_token_not_found')
    expect((await refresh(signed)).status).toBe(200)
  })
})

describe('a refresh token of an imported session is rejected', () => {
  it('when it was never imported', async () => {
    expect(await codeOf(rowToken())).toBe('refresh_token_not_found')
  })

  it('after a sign-out, like an unknown one', async () => {
    const { accessToken, sessionId, tokens } = await givenImported()
    await auth.post('/logout', undefined, { token: accessToken })

    expect(await codeOf(tokens[0] ?? '')).toBe('refresh_token_not_found')
    const left = 'select from auth.imported_tokens where session_id = $1'
    expect(await auth.rows(left, [sessionId])).toEqual([])
  })

  it('for a banned user, and stays valid until the ban ends', async () => {
    const { user, tokens } = await givenImported()
    await auth.auth.admin.updateUser(user.id, { banDuration: '1h' })
    const during = await codeOf(tokens[0] ?? '')
    auth.clock.advance(3600)

    expect(during).toBe('user_banned')
    expect((await refresh(tokens[0] ?? '')).status).toBe(200)
  })

  it('from the end of the session on', async () => {
    const { sessionId, tokens } = await givenImported()
    const end = new Date(auth.clock.now().getTime() + 60_000)
    await auth.rows('update auth.sessions set not_after = $2 where id = $1', [sessionId, end])
    auth.clock.advance(60)

    expect(await codeOf(tokens[0] ?? '')).toBe('session_expired')
  })

  it.each([
    ['the time box', { timeboxSeconds: 100 }],
    ['inactivity', { inactivityTimeoutSeconds: 100 }],
  ])("past %s, counted from the other service's timestamps", async (_rule, sessions) => {
    const strict = await startTestAuth({ sessions })
    const { tokens } = await givenImported([rowToken()], strict)
    strict.clock.advance(101)

    const code = await codeOf(tokens[0] ?? '', strict)
    await strict.close()

    expect(code).toBe('session_expired')
  })
})

it('is found under an older root, after the encryption key was replaced', async () => {
  const [first, second] = [
    'a first key of 32 bytes or even more',
    'a second key of 32 bytes or more',
  ]
  const before = await startTestAuth({ encryptionKey: [second, first] })
  const { sessionId } = await givenImported([], before)
  const token = rowToken()
  await before.rows('insert into auth.imported_tokens values ($1, $2)', [
    hashImportedToken(first, token),
    sessionId,
  ])

  const { status } = await refresh(token, before)
  await before.close()

  expect(status).toBe(200)
})
