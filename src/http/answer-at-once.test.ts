import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../test/support/test-auth.ts'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

it('has the headers of any other answer, and no other', async () => {
  const { accessToken: token, refreshToken } = await auth.given.session()
  const ordinary = await auth.get('/settings')

  const user = await auth.get('/user', { token })
  const head = await auth.request('HEAD', '/user', { token })
  const refreshed = await auth.post('/token?grant_type=refresh_token', {
    refresh_token: refreshToken,
  })
  const signedOut = await auth.post('/logout', undefined, { token })

  const said = ({ headers }: typeof user): Record<string, unknown> => ({
    ...Object.fromEntries(headers),
    'x-request-id': headers.get('x-request-id')?.length,
  })
  const { 'content-type': type, ...withoutBody } = said(ordinary)
  expect(type).toBe('application/json;charset=UTF-8')
  for (const answer of [user, head, refreshed]) expect(said(answer)).toEqual(said(ordinary))
  expect([signedOut.status, said(signedOut)]).toEqual([204, withoutBody])
})
