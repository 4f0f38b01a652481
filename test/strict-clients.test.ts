import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOauthServer, callback, oauthOf } from './support/oauth-clients.ts'
import { type SecondFactors, secondFactors } from './support/second-factors.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

// Clients in Swift, Dart, Kotlin, Python, C# and Go decode responses into types: a missing field, or
// one of another type, fails the whole response. Each shape is the union of the fields that these
// types require.

let auth: TestAuth
let factors: SecondFactors
let token: string

beforeAll(async () => {
  auth = await startTestAuth({ ...asOauthServer, phone: { enabled: true } })
  factors = secondFactors(auth)
  token = await auth.given.serviceToken()
})
afterAll(() => auth.close())

const text = expect.any(String)
const count = expect.any(Number)
const record = expect.any(Object)
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const identity = {
  ...{ id: text, identity_id: uuid, user_id: uuid, provider: text, identity_data: record },
  ...{ created_at: instant, updated_at: instant, last_sign_in_at: instant },
}
const factor = {
  ...{ id: uuid, status: expect.stringMatching(/^(un)?verified$/), friendly_name: text },
  factor_type: expect.stringMatching(/^(totp|phone|webauthn)$/),
  ...{ created_at: instant, updated_at: instant },
}
const user = {
  ...{ id: uuid, aud: text, role: text, app_metadata: record, user_metadata: record },
  ...{ email: text, phone: text, is_anonymous: expect.any(Boolean), identities: [identity] },
  ...{ created_at: instant, updated_at: instant },
}
const session = {
  ...{ access_token: text, refresh_token: text, token_type: 'bearer' },
  ...{ expires_in: count, expires_at: count },
}
const oauthClient = {
  ...{ client_id: uuid, client_name: text, client_type: expect.stringMatching(/^(public|conf)/) },
  ...{ token_endpoint_auth_method: text, registration_type: expect.stringMatching(/^(dyn|man)/) },
  ...{ redirect_uris: [text], grant_types: [text, text], response_types: ['code'] },
  ...{ created_at: instant, updated_at: instant },
}

describe('strict clients read', () => {
  it('a session and its user', async () => {
    const { user: made } = await auth.given.session()
    const credentials = { email: made.email, password: 'correct horse' }
    const { body } = await auth.post('/token?grant_type=password', credentials)

    expect(body).toMatchObject({ ...session, user })
  })

  it('the factors of a user, without recovery codes, and the steps of a new one', async () => {
    const { user: made, accessToken } = await factors.recoverableSession()
    const enrolled = await factors.enroll(accessToken, {
      factor_type: 'totp',
      friendly_name: 'Tablet',
    })
    const path = `/factors/${enrolled.body.id}/challenge`
    const challenge = await auth.post(path, {}, { token: accessToken })
    const own = await auth.get('/user', { token: accessToken })
    const listed = await auth.get(`/admin/users/${made.id}/factors`, { token })

    expect(enrolled.body).toMatchObject({
      ...{ id: uuid, type: 'totp', friendly_name: text },
      totp: { qr_code: text, secret: text, uri: text },
    })
    expect(challenge.body).toMatchObject({ id: uuid, type: 'totp', expires_at: count })
    expect(own.body).toMatchObject({ ...user, factors: [factor, factor] })
    expect(listed.body).toEqual([expect.objectContaining(factor), expect.objectContaining(factor)])
  })

  it('a list of users', async () => {
    await auth.given.user()
    const { body } = await auth.get('/admin/users?per_page=1', { token })

    expect(body).toMatchObject({ users: [user], aud: text })
  })

  it('a link', async () => {
    const { email } = await auth.given.user()
    const { body } = await auth.post(
      '/admin/generate_link',
      { type: 'magiclink', email },
      { token },
    )

    const link = { action_link: text, email_otp: text, hashed_token: text, redirect_to: text }
    expect(body).toMatchObject({ ...user, ...link, verification_type: 'magiclink' })
  })

  it('an OAuth client without a name, which is its id, in the list, the consent and the grants', async () => {
    const oauth = oauthOf(auth)
    const { body: made } = await auth.post('/oauth/clients/register', { redirect_uris: [callback] })
    const listed = await auth.get('/admin/oauth/clients', { token })
    const client = { id: made.client_id, secret: made.client_secret }
    const { accessToken } = await auth.given.session()
    const id = await oauth.begin(client)
    const opened = await oauth.open(id, accessToken)
    await oauth.decide(id, accessToken)
    const grants = await auth.get('/user/oauth/grants', { token: accessToken })

    expect(made).not.toHaveProperty('client_name')
    expect(listed.body).toMatchObject({ clients: [oauthClient], aud: text })
    const named = { id: made.client_id, name: made.client_id }
    expect(opened.body.client).toEqual(named)
    expect(grants.body).toMatchObject([{ client: named, granted_at: instant }])
  })

  it('the consent of a user without an email, for a method in lower case', async () => {
    const oauth = oauthOf(auth)
    const { id: userId } = await auth.auth.admin.createUser({
      ...{ phone: '4915212345678', phoneConfirm: true, password: 'correct horse' },
    })
    const credentials = { phone: '4915212345678', password: 'correct horse' }
    const { body } = await auth.post('/token?grant_type=password', credentials)
    const id = await oauth.begin(await oauth.client(), { code_challenge_method: 's256' })
    const opened = await oauth.open(id, body.access_token)

    expect(opened.body).toMatchObject({
      ...{ authorization_id: text, redirect_uri: text, scope: text },
      ...{ client: { id: uuid, name: 'Notes' }, user: { id: userId, email: '' } },
    })
  })
})
