import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthenticator } from '../../../test/support/authenticator.ts'
import { type Passkeys, type PasskeyUser, passkeysOf } from '../../../test/support/passkeys.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let auth: TestAuth
let passkeys: Passkeys

beforeAll(async () => {
  auth = await startTestAuth({ passkeys: { enabled: true, signUpEnabled: true } })
  passkeys = passkeysOf(auth)
})
afterAll(() => auth.close())

const notFound = {
  status: 404,
  body: { error_code: 'validation_failed', msg: 'Passkey not found' },
}

const rename = (token: string, id: string, name: unknown) =>
  auth.request('PATCH', `/passkeys/${id}`, { token, body: { friendly_name: name } })
const remove = (token: string, id: string) => auth.request('DELETE', `/passkeys/${id}`, { token })
const list = async (token: string) => (await auth.get('/passkeys', { token })).body

describe('the passkeys of a user', () => {
  it('are listed, the oldest first, with the time of their last use', async () => {
    const ada = await passkeys.holder()
    await passkeys.signIn(ada.authenticator)
    const usedAt = auth.clock.now()
    auth.clock.advance(1)
    const { body: second } = await passkeys.register(ada.accessToken)

    const listed = await list(ada.accessToken)

    expect(listed.map(({ id }: { id: string }) => id)).toEqual([ada.id, second.id])
    expect(listed[0].last_used_at).toBe(usedAt.toISOString())
    expect(listed[1]).toEqual({
      id: second.id,
      friendly_name: 'Passkey',
      created_at: auth.clock.now().toISOString(),
    })
  })

  it('are renamed', async () => {
    const { accessToken, id } = await passkeys.holder()

    const answer = await rename(accessToken, id, 'Phone')

    expect(answer).toMatchObject({ status: 200, body: { id, friendly_name: 'Phone' } })
    expect(await list(accessToken)).toMatchObject([{ friendly_name: 'Phone' }])
  })

  it.each([
    ['none', '', 'friendly_name is required'],
    ['none at all', null, 'friendly_name is required'],
    ['121 bytes', 'x'.repeat(121), 'friendly_name must be 120 characters or less'],
  ])('are not renamed to %s', async (_, name, msg) => {
    const { accessToken, id } = await passkeys.holder()

    const answer = await rename(accessToken, id, name)

    expect(answer).toMatchObject({ status: 400, body: { error_code: 'validation_failed', msg } })
  })

  it('are removed, and no longer sign in', async () => {
    const { accessToken, id, authenticator } = await passkeys.holder()

    const answer = await remove(accessToken, id)

    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await list(accessToken)).toEqual([])
    expect(await passkeys.signIn(authenticator)).toMatchObject({ status: 400 })
    expect(await remove(accessToken, id)).toMatchObject(notFound)
  })

  it('are not removed to the last where the user cannot sign in otherwise', async () => {
    const authenticator = createAuthenticator()
    const { body: signedUp } = await passkeys.signUp(authenticator)
    const token: string = signedUp.access_token
    const [first] = await list(token)
    const refused = await remove(token, first.id)
    const missing = await remove(token, crypto.randomUUID())
    const { body: second } = await passkeys.register(token)

    const atOnce = await Promise.all([remove(token, first.id), remove(token, second.id)])
    const [left] = await list(token)
    await auth.put('/user', { phone: '+15005550006' }, { token })
    const withPhone = await remove(token, left.id)

    expect(refused).toMatchObject({
      status: 422,
      body: { error_code: 'single_identity_not_deletable' },
    })
    expect(missing).toMatchObject(notFound)
    expect(atOnce.map(({ status }) => status).sort()).toEqual([204, 422])
    expect([withPhone.status, await list(token)]).toEqual([204, []])
  })

  it('are removed to the last where an identity at a provider signs the user in', async () => {
    const { body } = await passkeys.signUp(createAuthenticator())
    const [only] = await list(body.access_token)
    await auth.rows(
      `insert into auth.identities (id, user_id, provider, subject, identity_data, created_at, updated_at)
        values (gen_random_uuid(), $1, 'web3', 'a wallet', '{}', now(), now())`,
      [body.user.id],
    )

    expect((await remove(body.access_token, only.id)).status).toBe(204)
  })

  it('T37: are not visible to other users, nor renamed or removed by them', async () => {
    const ada = await passkeys.holder()
    const grace = await passkeys.holder()

    const ids = [ada.id, ada.id.toUpperCase(), crypto.randomUUID(), 'x', '%00']
    for (const id of ids) {
      expect(await rename(grace.accessToken, id, 'mine')).toMatchObject(notFound)
      expect(await remove(grace.accessToken, id)).toMatchObject(notFound)
    }

    expect(await list(ada.accessToken)).toMatchObject([{ id: ada.id, friendly_name: 'Passkey' }])
    expect(await list(grace.accessToken)).toMatchObject([{ id: grace.id }])
  })
})

describe('an operator', () => {
  let ada: PasskeyUser
  let token: string

  beforeAll(async () => {
    ada = await passkeys.holder()
    token = await auth.given.serviceToken()
  })

  it('lists the passkeys of a user', async () => {
    const { status, body } = await auth.get(`/admin/users/${ada.user.id}/passkeys`, { token })

    expect([status, body]).toEqual([200, await list(ada.accessToken)])
  })

  it('removes none by the id of another user', async () => {
    const grace = await auth.given.user()

    const path = `/admin/users/${grace.id}/passkeys/${ada.id}`
    expect(await auth.request('DELETE', path, { token })).toMatchObject(notFound)
    expect(await list(ada.accessToken)).toHaveLength(1)
  })

  it('removes the last one of a user who cannot sign in without it', async () => {
    const { body } = await passkeys.signUp(createAuthenticator())
    const [only] = await list(body.access_token)

    const path = `/admin/users/${body.user.id}/passkeys/${only.id}`
    expect(await auth.request('DELETE', path, { token })).toMatchObject({ status: 204 })
  })

  it('removes one of a user, and a second time responds as for an unknown one', async () => {
    const path = `/admin/users/${ada.user.id}/passkeys/${ada.id}`

    expect(await auth.request('DELETE', path, { token })).toMatchObject({ status: 204 })
    expect(await auth.request('DELETE', path, { token })).toMatchObject(notFound)
    expect(await list(ada.accessToken)).toEqual([])
  })
})

describe('in code', () => {
  it('a passkey is registered, signed in with, renamed and removed', async () => {
    const { api, admin } = auth.auth
    const { accessToken, user } = await auth.given.session()
    const authenticator = createAuthenticator()

    const begun = await api.startPasskeyRegistration({ accessToken })
    const made = await api.verifyPasskeyRegistration({
      accessToken,
      challengeId: begun.challengeId,
      credential: authenticator.create(begun.options),
    })
    const requested = await api.startPasskeyAuthentication()
    const signedIn = await api.verifyPasskeyAuthentication({
      challengeId: requested.challengeId,
      credential: authenticator.get(requested.options),
    })
    const passkeyId = made.id
    const renamed = await api.updatePasskey({ accessToken, passkeyId, friendlyName: 'Laptop' })
    const listed = await admin.listPasskeys(user.id)
    await api.deletePasskey({ accessToken, passkeyId })

    expect(signedIn.user.id).toBe(user.id)
    expect(renamed).toEqual({
      id: passkeyId,
      friendlyName: 'Laptop',
      createdAt: expect.any(Date),
      lastUsedAt: expect.any(Date),
      suspendedAt: null,
    })
    expect(listed).toEqual([renamed])
    expect(await api.listPasskeys({ accessToken })).toEqual([])
  })
})
