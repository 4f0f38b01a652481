import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  asOauthServer,
  claimsIn,
  type GivenClient,
  oauthOf,
} from '../../../../test/support/oauth-clients.ts'
import { startTestAuth, type TestAuth } from '../../../../test/support/test-auth.ts'
import { deviceGrant } from '../protocol/grant-types.ts'

let auth: TestAuth
let oauth: ReturnType<typeof oauthOf>

const asDeviceServer = {
  ...asOauthServer,
  siteUrl: 'https://app.example.test',
  oauthServer: { ...asOauthServer.oauthServer, deviceFlow: { enabled: true } },
}

beforeAll(async () => {
  auth = await startTestAuth(asDeviceServer)
  oauth = oauthOf(auth)
})
afterAll(() => auth.close())

const givenDevice = (metadata: Record<string, unknown> = {}) =>
  oauth.client({
    redirect_uris: [],
    client_name: 'Television',
    grant_types: [deviceGrant, 'refresh_token'],
    token_endpoint_auth_method: 'none',
    ...metadata,
  })
const begin = async (device: GivenClient, fields: Record<string, string> = {}) => {
  const answer = await oauth.form('/oauth/device_authorization', fields, device)
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return answer.body as Record<string, string>
}
const poll = (device: GivenClient, code: string | undefined, fields: Record<string, string> = {}) =>
  oauth.form('/oauth/token', { grant_type: deviceGrant, device_code: code, ...fields }, device)
const enter = (userCode: string | undefined, token: string, headers: Record<string, string> = {}) =>
  auth.get(`/oauth/device?user_code=${encodeURIComponent(userCode ?? '')}`, { token, headers })

describe('the device flow', () => {
  it('ends in tokens after the user entered the code and consented', async () => {
    const device = await givenDevice()
    const { accessToken, user } = await auth.given.session()
    const started = await begin(device, { scope: 'openid email' })

    expect(started).toMatchObject({
      verification_uri: 'https://app.example.test/oauth/device',
      verification_uri_complete: `https://app.example.test/oauth/device?user_code=${started['user_code']}`,
      expires_in: 600,
      interval: 5,
    })
    expect(started['user_code']).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    const waiting = await poll(device, started['device_code'])
    expect([waiting.status, waiting.body.error]).toEqual([400, 'authorization_pending'])

    const typed = `${started['user_code']?.toLowerCase().replace('-', ' . ')} `
    const opened = await enter(typed, accessToken)
    expect(opened.body).toMatchObject({
      client: { id: device.id, name: 'Television' },
      user: { id: user.id },
      scope: 'openid email',
    })
    const decided = await oauth.decide(opened.body.authorization_id, accessToken)
    expect(decided.body).toEqual({
      redirect_url: 'https://app.example.test/oauth/device?status=approved',
    })

    const tokens = await poll(device, started['device_code'])
    expect(tokens.status).toBe(200)
    expect(claimsIn(tokens.body.access_token)).toMatchObject({
      sub: user.id,
      client_id: device.id,
      scope: 'openid email',
    })
    expect(claimsIn(tokens.body.id_token)).toMatchObject({ sub: user.id, aud: device.id })
    const renewed = await oauth.refresh(device, tokens.body.refresh_token)
    expect(renewed.status).toBe(200)
    const grants = await auth.get('/user/oauth/grants', { token: accessToken })
    expect(grants.body[0]).toMatchObject({ client: { id: device.id } })
  })

  it('consumes a device code once, of 20 requests at once', async () => {
    const device = await givenDevice()
    const { accessToken } = await auth.given.session()
    const started = await begin(device)
    const opened = await enter(started['user_code'], accessToken)
    await oauth.decide(opened.body.authorization_id, accessToken)

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => poll(device, started['device_code'])),
    )

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(19)
  })

  it('requires a longer interval of a device that does not wait', async () => {
    const device = await givenDevice()
    const { device_code: code } = await begin(device)
    const error = async (waitedSeconds: number) => {
      auth.clock.advance(waitedSeconds)
      return (await poll(device, code)).body.error
    }

    expect(await error(0)).toBe('authorization_pending')
    expect(await error(1)).toBe('slow_down')
    expect(await error(6)).toBe('slow_down')
    expect(await error(15)).toBe('authorization_pending')
    expect(await error(15)).toBe('authorization_pending')
  })

  it('ends with a denial or after its lifetime, also when the row is deleted', async () => {
    const device = await givenDevice()
    const { accessToken } = await auth.given.session()
    const [denied, expired] = [await begin(device), await begin(device)]
    const opened = await enter(denied['user_code'], accessToken)
    const decided = await oauth.decide(opened.body.authorization_id, accessToken, {
      action: 'deny',
    })
    expect(decided.body.redirect_url).toMatch(
      /^https:\/\/app\.example\.test\/oauth\/device\?error=access_denied/,
    )
    expect((await poll(device, denied['device_code'])).body.error).toBe('access_denied')

    auth.clock.advance(601)
    const { accessToken: later } = await auth.given.session()
    expect((await poll(device, expired['device_code'])).body.error).toBe('expired_token')
    expect((await enter(expired['user_code'], later)).status).toBe(404)
    await auth.rows('delete from auth.oauth_authorizations')
    expect((await poll(device, expired['device_code'])).body.error).toBe('expired_token')
    expect((await poll(device, 'unknown')).body.error).toBe('invalid_grant')
  })

  it('S92: is decided only by the user who entered the code', async () => {
    const device = await givenDevice()
    const [attacker, victim] = [await auth.given.session(), await auth.given.session()]
    const { user_code: code } = await begin(device)
    const { authorization_id: id } = (await enter(code, attacker.accessToken)).body
    // The effect of the button “Use another account” on the consent page.
    await auth.rows('update auth.oauth_authorizations set user_id = null where id = $1', [id])

    const opened = await oauth.open(id, victim.accessToken)
    const decided = await oauth.decide(id, victim.accessToken)
    const part = await oauth.decide(id, victim.accessToken, { action: 'approve', scope: 'email' })

    expect([opened.status, decided.status, part.status]).toEqual([404, 404, 404])
    expect((await enter(code, victim.accessToken)).status).toBe(200)
    expect((await oauth.open(id, victim.accessToken)).status).toBe(200)
    expect((await oauth.decide(id, victim.accessToken)).status).toBe(200)
  })

  it('never approves a device by an earlier consent (RFC 8628 §5.4)', async () => {
    const device = await givenDevice()
    const { accessToken } = await auth.given.session()
    for (const _ of [1, 2]) {
      const started = await begin(device)
      const opened = await enter(started['user_code'], accessToken)
      expect(opened.body.redirect_url).toBeUndefined()
      const decided = await oauth.decide(opened.body.authorization_id, accessToken)
      expect(decided.status).toBe(200)
    }
  })

  it('approves no destination, also by two consents (S113)', async () => {
    const device = await givenDevice()
    const { accessToken, user } = await auth.given.session()
    for (let count = 0; count < 2; count += 1) {
      const opened = await enter((await begin(device))['user_code'], accessToken)
      await oauth.decide(opened.body.authorization_id, accessToken)
    }

    const consents = 'select destinations from auth.oauth_consents where user_id = $1'
    expect(await auth.rows(consents, [user.id])).toEqual([{ destinations: [] }])
  })

  it('is denied where the session that consented has ended before (S124)', async () => {
    const device = await givenDevice()
    const { accessToken } = await auth.given.session()
    const started = await begin(device)
    const opened = await enter(started['user_code'], accessToken)
    await oauth.decide(opened.body.authorization_id, accessToken)
    await auth.post('/logout?scope=local', {}, { token: accessToken })

    const { status, body } = await poll(device, started['device_code'])

    expect([status, body.error]).toEqual([400, 'access_denied'])
  })

  it('is bound to the first user, and to the client that started it', async () => {
    const [device, other] = [await givenDevice(), await givenDevice()]
    const [ada, bob] = [await auth.given.session(), await auth.given.session()]
    const started = await begin(device)
    const opened = await enter(started['user_code'], ada.accessToken)
    const id = opened.body.authorization_id

    expect((await enter(started['user_code'], bob.accessToken)).status).toBe(404)
    expect((await oauth.decide(id, bob.accessToken)).status).toBe(404)
    await oauth.decide(id, ada.accessToken)
    expect((await poll(other, started['device_code'])).body.error).toBe('invalid_grant')
    const asCode = await oauth.exchange(device, started['device_code'] ?? '')
    expect(asCode.body.error).toBe('unauthorized_client')
    expect((await poll(device, started['device_code'])).status).toBe(200)
  })

  it('rejects calls of pages of other sites, and codes that are guessed (RFC 8628 §5.1)', async () => {
    const device = await givenDevice()
    const [ada, bob] = [await auth.given.session(), await auth.given.session()]
    const started = await begin(device)
    const foreign = await enter(started['user_code'], ada.accessToken, {
      origin: 'https://evil.example.test',
    })
    expect([foreign.status, foreign.body.error_code]).toEqual([400, 'validation_failed'])
    expect((await enter('', ada.accessToken)).status).toBe(400)

    const statuses: number[] = []
    while (statuses.length < 60 && statuses.at(-1) !== 429) {
      statuses.push((await enter('BBBB-BBBB', ada.accessToken)).status)
    }
    expect(statuses.at(0)).toBe(404)
    expect(statuses.at(-1)).toBe(429)
    expect((await enter(started['user_code'], ada.accessToken)).status).toBe(429)
    // The guesses of one user do not lock out others.
    expect((await enter(started['user_code'], bob.accessToken)).status).toBe(200)
  })

  it('stores hashes of the codes only', async () => {
    const started = await begin(await givenDevice())
    const rows = JSON.stringify(await auth.rows('select * from auth.oauth_authorizations'))

    expect(rows).not.toContain(started['device_code'])
    expect(rows).not.toContain(started['user_code'])
    expect(rows).not.toContain(started['user_code']?.replace('-', ''))
  })

  it('requires the grant, the credentials of the client and an accepted resource', async () => {
    const started = async (client: GivenClient, fields = {}) => {
      const { status, body } = await oauth.form('/oauth/device_authorization', fields, client)
      return [status, body.error]
    }
    const confidential = await givenDevice({ token_endpoint_auth_method: 'client_secret_basic' })

    expect(await started(await oauth.client())).toEqual([400, 'unauthorized_client'])
    expect(await started({ ...confidential, secret: 'wrong' })).toEqual([401, 'invalid_client'])
    expect(await started(confidential)).toEqual([200, undefined])
    const device = await givenDevice()
    expect(await started(device, { scope: 'invoice' })).toEqual([400, 'invalid_scope'])
    expect(await started(device, { resource: 'api' })).toEqual([400, 'invalid_target'])
  })

  it('is in the metadata, and in registrations of clients', async () => {
    const { body } = await auth.get('/.well-known/oauth-authorization-server')
    const registered = await auth.post('/oauth/clients/register', {
      client_name: 'CLI',
      token_endpoint_auth_method: 'none',
      grant_types: [deviceGrant],
    })

    expect(body.device_authorization_endpoint).toBe(
      'https://auth.example.test/oauth/device_authorization',
    )
    expect(body.grant_types_supported).toContain(deviceGrant)
    expect(registered.status).toBe(201)
  })
})

describe('a service without the device flow', () => {
  it('responds 404, and does not mention it', async () => {
    const without = await startTestAuth(asOauthServer)
    const token = (await without.given.session()).accessToken
    const started = await without.post('/oauth/device_authorization', {})
    const opened = await without.get('/oauth/device?user_code=BBBB-BBBB', { token })
    const { body } = await without.get('/.well-known/openid-configuration')

    expect([started.status, started.body.error_code]).toEqual([404, 'feature_disabled'])
    expect([opened.status, opened.body.error_code]).toEqual([404, 'feature_disabled'])
    expect(JSON.stringify(body)).not.toContain('device')
    await without.close()
  })
})
