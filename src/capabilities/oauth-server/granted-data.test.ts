import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOauthServer, claimsIn, oauthOf } from '../../../test/support/oauth-clients.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { tokenExchangeGrant } from './grant-types.ts'

let auth: TestAuth
let oauth: ReturnType<typeof oauthOf>

beforeAll(async () => {
  auth = await startTestAuth({
    ...asOauthServer,
    oauthServer: { ...asOauthServer.oauthServer, tokenExchange: { enabled: true } },
  })
  oauth = oauthOf(auth)
})
afterAll(() => auth.close())

const allScopes = 'email phone profile'
let users = 0

/** Returns a user with data of every scope, and the tokens of a client with a part of the scopes. */
async function givenGrant(granted: string) {
  users += 1
  const phone = `1500555${1000 + users}`
  const { accessToken, user } = await auth.given.session()
  await auth.auth.admin.updateUser(user.id, {
    phone,
    phoneConfirm: true,
    userMetadata: { name: 'Ada' },
    appMetadata: { plan: 'pro' },
  })
  const client = await oauth.client({
    grant_types: ['authorization_code', 'refresh_token', tokenExchangeGrant],
  })
  const id = await oauth.begin(client, { scope: allScopes })
  await oauth.open(id, accessToken)
  const decided = await oauth.decide(id, accessToken, { action: 'approve', scope: granted })
  const code = new URL(decided.body.redirect_url).searchParams.get('code') ?? ''
  const tokens = (await oauth.exchange(client, code)).body
  return {
    own: accessToken,
    client,
    token: tokens.access_token as string,
    refreshToken: tokens.refresh_token as string,
    data: {
      email: user.email,
      phone,
      user_metadata: { ...user.userMetadata, name: 'Ada' },
    },
  }
}

const dataOf = ({ email, phone, user_metadata }: Record<string, unknown>) => ({
  email,
  phone,
  user_metadata,
})

const readBy = async (token: string) => (await auth.get('/user', { token })).body
const none = { email: '', phone: '', user_metadata: {} }

describe('S90: the data of a user that a client reads', () => {
  it.each([
    ['email', ['email']],
    ['phone', ['phone']],
    ['profile', ['user_metadata']],
    [allScopes, ['email', 'phone', 'user_metadata']],
  ])('is that of the granted scope %s, in its token and at GET /user', async (granted, fields) => {
    const { token, data } = await givenGrant(granted)
    const permitted = Object.fromEntries(
      Object.entries(data).filter(([key]) => fields.includes(key)),
    )

    expect(dataOf(claimsIn(token))).toEqual({ ...none, ...permitted })
    expect(claimsIn(token)['app_metadata']).toMatchObject({ plan: 'pro' })
    expect(dataOf(await readBy(token))).toEqual({ ...none, ...permitted })
  })

  it('contains no identities, factors or times of messages and sign-ins', async () => {
    const { token, own } = await givenGrant(allScopes)
    const read = await readBy(token)

    expect(read.identities).toEqual([])
    for (const field of ['factors', 'last_sign_in_at', 'confirmation_sent_at', 'invited_at']) {
      expect(read).not.toHaveProperty(field)
    }
    expect((await readBy(own)).identities).not.toEqual([])
  })

  it('shrinks with the scope of a refresh, and with that of an exchange', async () => {
    const { client, token, refreshToken, data } = await givenGrant(allScopes)
    const exchanged = await oauth.form(
      '/oauth/token',
      {
        grant_type: tokenExchangeGrant,
        subject_token: token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        scope: 'phone',
      },
      client,
    )
    const renewed = await oauth.refresh(client, refreshToken, { scope: 'email' })

    expect(dataOf(claimsIn(exchanged.body.access_token))).toEqual({ ...none, phone: data.phone })
    expect(dataOf(await readBy(exchanged.body.access_token))).toEqual({
      ...none,
      phone: data.phone,
    })
    expect(dataOf(claimsIn(renewed.body.access_token))).toEqual({ ...none, email: data.email })
    expect(dataOf(await readBy(renewed.body.access_token))).toEqual({ ...none, email: data.email })
  })

  it('is complete for the user’s own session, in its token and at GET /user', async () => {
    const { own, data } = await givenGrant('phone')

    expect(claimsIn(own)['email']).toBe(data.email)
    expect(dataOf(await readBy(own))).toEqual(data)
  })

  it('is the same for auth.api.getUser', async () => {
    const { token, data } = await givenGrant('phone')
    const { email, phone, userMetadata } = await auth.auth.api.getUser({ accessToken: token })

    expect([email, phone, userMetadata]).toEqual([null, data.phone, {}])
  })
})
