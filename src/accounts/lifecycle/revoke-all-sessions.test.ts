import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth({ email: { autoconfirm: false, maxFrequencySeconds: 0 } })
})
afterAll(() => auth.close())

const verifier = 'v'.repeat(43)

/** Returns an authorization code of a user, as of a followed link that is not exchanged yet. */
async function issuedCode(email: string) {
  await auth.post('/otp', { email, code_challenge: verifier, code_challenge_method: 'plain' })
  const { url } = await auth.follow(await auth.messageTo(email))
  return url?.searchParams.get('code') ?? ''
}

const exchange = async (auth_code: string) => {
  const answer = await auth.post('/token?grant_type=pkce', { auth_code, code_verifier: verifier })
  return answer.status
}

describe('the end of all sessions of a user by an operator', () => {
  it('revokes authorization codes from before it, not later ones', async () => {
    const { id, email } = await auth.given.user()
    const { email: other } = await auth.given.user()
    const [early, elsewhere] = [await issuedCode(email ?? ''), await issuedCode(other ?? '')]

    await auth.auth.admin.signOut(id)
    const answers = await Promise.all([early, elsewhere].map(exchange))
    const late = await issuedCode(email ?? '')

    expect([...answers, await exchange(late)]).toEqual([404, 200, 200])
  })
})
