import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOauthServer, claimsIn, oauthOf } from '../../../test/support/oauth-clients.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'

let auth: TestAuth
let oauth: ReturnType<typeof oauthOf>

beforeAll(async () => {
  auth = await startTestAuth({ ...asOauthServer, sessions: { maxPerUser: 3 } })
  oauth = oauthOf(auth)
})
afterAll(() => auth.close())

const isLive = async (token: string) => (await auth.get('/user', { token })).status === 200

describe('S91: the sessions of OAuth clients', () => {
  it('do not end those of the user, and are limited themselves', async () => {
    const { accessToken, user } = await auth.given.session()
    const client = await oauth.client()
    const tokens: string[] = []
    // Each needs a redirect of the browser only, since the user has consented.
    for (let count = 0; count < 5; count += 1) {
      auth.clock.advance(1)
      tokens.push((await oauth.tokens(client, accessToken)).access_token)
    }

    expect(await isLive(accessToken)).toBe(true)
    expect(await Promise.all(tokens.map(isLive))).toEqual([false, false, true, true, true])
    expect((await auth.auth.admin.listSessions(user.id)).map(({ id }) => id)).toHaveLength(4)
  })

  it('are not ended by sign-ins of the user', async () => {
    const { accessToken, user } = await auth.given.session()
    const { access_token: token } = await oauth.tokens(await oauth.client(), accessToken)
    for (let count = 0; count < 4; count += 1) {
      auth.clock.advance(1)
      await auth.auth.api.signInWithPassword({ email: user.email ?? '', password: testPassword })
    }

    expect(await isLive(token)).toBe(true)
    expect(await isLive(accessToken)).toBe(false)
    expect(await auth.auth.admin.listSessions(user.id)).toHaveLength(4)
  })

  it('end those of the client with the most sessions', async () => {
    const { accessToken } = await auth.given.session()
    const quiet = await oauth.tokens(await oauth.client(), accessToken)
    const greedy = await oauth.client()
    const opened: string[] = []
    for (let count = 0; count < 4; count += 1) {
      auth.clock.advance(1)
      opened.push((await oauth.tokens(greedy, accessToken)).access_token)
    }

    expect(await isLive(quiet.access_token)).toBe(true)
    expect(await Promise.all(opened.map(isLive))).toEqual([false, false, true, true])
    expect(claimsIn(quiet.access_token)['client_id']).not.toBe(greedy.id)
  })
})
