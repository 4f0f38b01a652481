import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from './support/messages.ts'
import {
  ada,
  addressOf,
  deletionsOf,
  evePassword,
  newEmail,
  type OccupiedKind,
  occupied,
  operator,
  signsIn,
  statusAndCode,
  textOf,
  userById,
  usersAt,
} from './support/occupied-addresses.ts'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth()
})
afterAll(() => auth.close())

describe('a change to an occupied address', () => {
  /**
   * A user with a confirmed address requests another one. Returns the message that was sent to it.
   */
  const requested = async (address: Record<string, string>, code = 200) => {
    const { user, accessToken: token } = await auth.given.session(newEmail())
    const answer = await auth.put('/user', address, { token })
    expect(answer.status).toBe(code)
    return { user, token, answer }
  }
  const prove = async (
    kind: OccupiedKind,
    address: Record<string, string>,
    email: string | null,
  ) => {
    if (kind === 'email' && email) await auth.follow(await auth.messageTo(email))
    const { code } = await auth.messageTo(textOf(address))
    return auth.post('/verify', { type: `${kind}_change`, ...address, token: code }, ada)
  }

  it('is rejected where an operator has banned the unconfirmed account', async () => {
    const address = addressOf('email')
    const id = await occupied(auth, address)
    await auth.put(`/admin/users/${id}`, { ban_duration: '24h' }, await operator(auth))

    const { answer } = await requested(address, 422)

    expect(answer.body.error_code).toBe('email_exists')
    expect(await userById(auth, id)).toBeDefined()
  })

  it('replaces an unconfirmed account whose ban has ended', async () => {
    const address = addressOf('email')
    const id = await occupied(auth, address)
    await auth.put(`/admin/users/${id}`, { ban_duration: '1h' }, await operator(auth))
    auth.clock.advance(3600)
    const { user } = await requested(address)

    await prove('email', address, user.email)

    expect(await usersAt(auth, address)).toMatchObject([{ id: user.id }])
    expect(await userById(auth, id)).toBeUndefined()
  })

  it.each(['email', 'phone'] as const)(
    'by %s is complete once it is confirmed, and the unconfirmed account is deleted',
    async (kind) => {
      const address = addressOf(kind)
      const before = await occupied(auth, address)
      const { user } = await requested(address)
      const waiting = await usersAt(auth, address)

      const proved = await prove(kind, address, user.email)

      expect(waiting).toMatchObject([{ id: before }])
      expect([proved.status, proved.body.user.id]).toEqual([200, user.id])
      expect(await usersAt(auth, address)).toMatchObject([{ id: user.id }])
      expect(await userById(auth, before)).toBeUndefined()
      expect(await deletionsOf(auth, before)).toEqual([{ actor_id: user.id, actor_role: null }])
      expect(await signsIn(auth, address, evePassword)).toBe('invalid_credentials')
    },
  )

  it.each(['email', 'phone'] as const)(
    'by %s has the same response as one to a free address',
    async (kind) => {
      const address = addressOf(kind)
      await occupied(auth, address)

      const [taken, free] = [await requested(address), await requested(addressOf(kind))]

      expect(Object.keys(taken.answer.body)).toEqual(Object.keys(free.answer.body))
    },
  )

  it.each(['email', 'phone'] as const)(
    'by %s is rejected once another user has confirmed it meanwhile',
    async (kind) => {
      const address = addressOf(kind)
      await occupied(auth, address)
      const owners = await auth.messageTo(textOf(address))
      const { user } = await requested(address)
      const type = kind === 'email' ? 'signup' : 'sms'
      await auth.post('/verify', { type, ...address, token: owners.code }, ada)

      const proved = await prove(kind, address, user.email)

      expect(statusAndCode(proved)).toEqual([422, `${kind}_exists`])
      expect((await usersAt(auth, address))[0]?.['id']).not.toBe(user.id)
    },
  )

  it('is rejected where an operator or an import created the account', async () => {
    const [made, moved] = [newEmail(), newEmail()]
    await auth.auth.admin.createUser({ email: made })
    await auth.auth.admin.importUsers([{ email: moved }])

    for (const email of [made, moved]) {
      const { answer } = await requested({ email }, 422)
      expect(answer.body.error_code).toBe('email_exists')
    }
  })

  it('and a concurrent confirmation of the sign-up assign the address to one of them', async () => {
    for (let round = 0; round < 6; round += 1) {
      const email = newEmail()
      await occupied(auth, { email })
      const owners = await auth.messageTo(email)
      const { user } = await requested({ email })
      await auth.follow(await auth.messageTo(user.email ?? ''))
      const mine = await auth.messageTo(email)

      const answers = await Promise.all([
        auth.post('/verify', { type: 'email_change', token_hash: mine.hash }, ada),
        auth.post('/verify', { type: 'signup', token_hash: owners.hash }, ada),
      ])

      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
      expect(statuses.filter((status) => status >= 500)).toEqual([])
      expect(await usersAt(auth, { email })).toHaveLength(1)
    }
  })

  it.each(['email', 'phone'] as const)('of %s by an operator is complete at once', async (kind) => {
    const address = addressOf(kind)
    const before = await occupied(auth, address)
    const { id } = await auth.given.user(newEmail())

    const { status, body } = await auth.put(`/admin/users/${id}`, address, await operator(auth))

    expect([status, body[kind]]).toEqual([200, textOf(address)])
    expect(await userById(auth, before)).toBeUndefined()
    expect(await deletionsOf(auth, before)).toEqual([
      { actor_id: null, actor_role: 'service_role' },
    ])
  })

  it('by a link of an operator is pending', async () => {
    const email = newEmail()
    const before = await occupied(auth, { email })
    const user = await auth.given.user(newEmail())
    const link = async (type: string) =>
      auth.post(
        '/admin/generate_link',
        { type, email: user.email, new_email: email },
        await operator(auth),
      )
    const { status, body } = await link('email_change_new')
    const current = await link('email_change_current')
    for (const { hashed_token } of [body, current.body]) {
      await auth.post('/verify', { type: 'email_change', token_hash: hashed_token }, ada)
    }

    expect(status).toBe(200)
    expect(await userById(auth, before)).toBeUndefined()
    expect((await auth.auth.admin.getUser(user.id)).email).toBe(email)
  })
})
