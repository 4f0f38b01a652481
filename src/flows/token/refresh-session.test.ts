import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let auth: TestAuth

const refresh = (refreshToken: string) =>
  auth.post('/token?grant_type=refresh_token', { refresh_token: refreshToken })

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

describe('refresh', () => {
  it('answers the next token, and the same one again for a short while', async () => {
    const { refreshToken } = await auth.given.session()

    const first = await refresh(refreshToken)
    auth.clock.advance(9)
    const again = await refresh(refreshToken)

    expect(first.status).toBe(200)
    expect(first.body.refresh_token).not.toBe(refreshToken)
    expect(again.body.refresh_token).toBe(first.body.refresh_token)
  })

  it('measures that while from the rotation, and does not extend it', async () => {
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
