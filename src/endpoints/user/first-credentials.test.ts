import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthenticator } from '../../../test/support/authenticator.ts'
import {
  clubMember,
  clubSettings,
  type FakeRealm,
  startFakeRealm,
} from '../../../test/support/fake-realm.ts'
import { linking } from '../../../test/support/linking.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { passkeysOf } from '../../../test/support/passkeys.ts'
import { type Answer, testPassword } from '../../../test/support/test-auth.ts'
import { eraseAccount } from '../../accounts/lifecycle/erase-account.ts'
import { openCall } from '../../service/api/call-options.ts'

let auth: MessagingAuth
let realm: FakeRealm

beforeAll(async () => {
  realm = await startFakeRealm()
  auth = await startMessagingAuth({
    security: { ownDeletionEnabled: true, manualLinkingEnabled: true },
    providers: { club: clubSettings(realm) },
    passkeys: { enabled: true, signUpEnabled: true },
    phone: { enabled: true },
    anonymousUsers: { enabled: true },
  })
})
afterAll(async () => {
  await auth?.close()
  await realm?.close()
})

let made = 0
const newEmail = () => `first-${++made}@example.test`
const newPhone = () => `49159${String(++made).padStart(8, '0')}`
const outcome = ({ status, body }: Answer) => [status, body.error_code, body.step_up]
const remove = (token: string) => auth.request('DELETE', '/user', { token })

/** Creates a user who has a passkey only. */
async function passkeyUser(): Promise<{ token: string; old: () => Promise<string> }> {
  const { body } = await passkeysOf(auth).signUp(createAuthenticator())
  const { access_token: token, refresh_token } = body.session ?? body
  const old = async () => {
    auth.clock.advance(601)
    const refreshed = await auth.post('/token?grant_type=refresh_token', { refresh_token })
    return refreshed.body.access_token
  }
  return { token, old }
}

describe('S128: the first password or address of a user whom only a sign-in proves', () => {
  const changes = () => [{ password: testPassword }, { email: newEmail() }, { phone: newPhone() }]

  it('requires a recent sign-in, since a stolen session would own the account', async () => {
    const { old } = await passkeyUser()
    const token = await old()

    const answers: Answer[] = []
    for (const change of changes()) answers.push(await auth.put('/user', change, { token }))
    const removal = await remove(token)

    expect([...answers, removal].map(outcome)).toEqual(
      Array(4).fill([403, 'reauthentication_needed', 'sign_in']),
    )
  })

  it.each([0, 1, 2])('is set in a recent session: %i', async (which) => {
    const { token } = await passkeyUser()

    expect((await auth.put('/user', changes()[which], { token })).status).toBe(200)
  })

  it.each([
    ['in an old session, not', false],
    ['in a recent session', true],
  ])('is that of a linked provider, too: %s', async (_when, isRecent) => {
    const { token, old } = await passkeyUser()
    const email = newEmail()
    const member = clubMember(email, [{ address: email, isVerified: true }], { name: 'Ada' })

    const user = isRecent ? token : await old()
    const { query, fragment } = await linking(auth, realm).link(user, member, { provider: 'club' })

    const owner = await auth.auth.admin.findUser({ email })
    const code = query['error_code'] ?? fragment['error_code']
    expect([owner !== null, code]).toEqual(
      isRecent ? [true, undefined] : [false, 'reauthentication_needed'],
    )
  })

  it('is no condition of other changes, nor of anonymous users', async () => {
    const { old } = await passkeyUser()
    const token = await old()
    const anonymous = await auth.post('/signup', {})
    auth.clock.advance(601)

    const answers = [
      await auth.put('/user', { data: { name: 'Ada' } }, { token }),
      await auth.put('/user', { email: newEmail() }, { token: anonymous.body.access_token }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  })
})

it('a deletion by a recent sign-in requires the account that was checked', async () => {
  const { user } = await auth.given.session(newEmail())
  const ctx = openCall(await auth.deps())
  const caller = { sessionId: null, now: ctx.clock.now() }

  expect(await eraseAccount(ctx, user.id, { version: 999, caller })).toBe(false)
  expect(await auth.auth.admin.findUser({ id: user.id })).not.toBeNull()
})

it('a nonce is sent to a confirmed phone beside an email that an operator stored', async () => {
  const phone = newPhone()
  const account = { phone, phoneConfirm: true, email: newEmail(), password: testPassword }
  await auth.auth.admin.createUser(account)
  const { session } = await auth.auth.api.signInWithPassword({ phone, password: testPassword })
  const token = session.accessToken

  const sent = await auth.get('/reauthenticate', { token })
  const { code } = await auth.messageTo(phone)
  const deleted = await auth.request('DELETE', '/user', { token, body: { nonce: code } })

  expect([sent.status, deleted.status]).toEqual([200, 200])
})
