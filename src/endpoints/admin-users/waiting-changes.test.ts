import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'

// Changes of address that an attacker requested on a stolen session.

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth()
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `waiting-${++made}@example.test`
const newPhone = () => `49154${String(++made).padStart(8, '0')}`

type Kind = 'email' | 'phone'
const kinds: Kind[] = ['email', 'phone']

/**
 * Creates a user whose session requested another email and phone, and returns the sent messages.
 */
async function givenChanges() {
  const { user, accessToken: token } = await auth.given.session(newEmail())
  const [email, phone] = [newEmail(), newPhone()]
  await auth.put('/user', { email }, { token })
  await auth.put('/user', { phone }, { token })
  const links = [await auth.messageTo(user.email ?? ''), await auth.messageTo(email)]
  const { code } = await auth.messageTo(phone)
  const complete = async (kind: Kind) => {
    if (kind === 'phone') await auth.post('/verify', { type: 'phone_change', phone, token: code })
    else for (const link of links) await auth.follow(link)
    const now = await auth.auth.admin.getUser(user.id)
    return now[kind] === { email, phone }[kind]
  }
  return { user, token, email, phone, complete }
}

const ways: [string, (id: string) => Promise<unknown>][] = [
  ['ends all sessions', (id) => auth.auth.admin.signOut(id)],
  ['bans the user', (id) => auth.auth.admin.banUser(id, { duration: '1m' })],
  [
    'bans the user among other changes',
    (id) => auth.auth.admin.updateUser(id, { banDuration: '1m' }),
  ],
]

describe('a pending change of address', () => {
  it.each(ways)('is cancelled once an operator %s', async (_way, end) => {
    const { user, email, phone, complete } = await givenChanges()

    await end(user.id)
    auth.clock.advance(61)

    const { newEmail: waitingEmail, newPhone: waitingPhone } = await auth.auth.admin.getUser(
      user.id,
    )
    expect([waitingEmail, waitingPhone]).toEqual([null, null])
    await auth.post('/resend', { type: 'email_change', email: user.email })
    await auth.post('/resend', { type: 'phone_change', email: user.email })
    expect([(await auth.messagesTo(email)).length, (await auth.messagesTo(phone)).length]).toEqual([
      1, 1,
    ])
    expect([await complete('email'), await complete('phone')]).toEqual([false, false])
  })

  it.each(kinds)('of %s stays pending when an operator lifts a ban', async (kind) => {
    const { user, complete } = await givenChanges()

    await auth.auth.admin.unbanUser(user.id)
    await auth.auth.admin.updateUser(user.id, { banDuration: 'none' })

    expect(await complete(kind)).toBe(true)
  })

  it.each(kinds)('of %s stays pending when the user signs out everywhere', async (kind) => {
    const { token, complete } = await givenChanges()

    await auth.post('/logout', undefined, { token })

    expect(await complete(kind)).toBe(true)
  })

  it('does not affect a link of another kind', async () => {
    const { user } = await givenChanges()
    await auth.post('/otp', { email: user.email })
    const link = await auth.messageTo(user.email ?? '')

    await auth.auth.admin.signOut(user.id)

    expect((await auth.follow(link)).fragment.has('access_token')).toBe(true)
  })
})
