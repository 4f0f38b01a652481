import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from './support/messages.ts'
import {
  ada,
  addressOf,
  deletionsOf,
  eve,
  evePassword,
  newPhone,
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

const operatorPassword = 'the password of the operator'

describe('a user whom an operator creates', () => {
  const create = async (body: object, path = '/admin/users') =>
    auth.post(path, body, await operator(auth))

  it.each(['email', 'phone'] as const)(
    'at an occupied %s belongs to the operator, with the id of the previous account',
    async (kind) => {
      const address = addressOf(kind)
      const id = await occupied(auth, address)

      const { status, body } = await create({
        ...address,
        password: operatorPassword,
        [`${kind}_confirm`]: true,
        role: 'staff',
        aud: 'crew',
        user_metadata: { team: 'red' },
        app_metadata: { plan: 'pro' },
      })

      const fresh = await create({ ...addressOf(kind), [`${kind}_confirm`]: true })
      expect([status, body.id]).toEqual([200, id])
      expect(Object.keys(body)).toEqual(Object.keys(fresh.body))
      expect(body).toMatchObject({
        role: 'staff',
        aud: 'crew',
        ...address,
        user_metadata: { team: 'red' },
        app_metadata: { plan: 'pro', provider: kind, providers: [kind] },
        identities: [{ provider: kind, user_id: id, identity_data: { sub: id, ...address } }],
      })
      expect(body.identities).toHaveLength(1)
      expect(JSON.stringify(body)).not.toMatch(/Eve|gold/)
      expect((await auth.get(`/admin/users/${id}`, await operator(auth))).body).toEqual(body)
      const headers = { 'x-jwt-aud': 'crew' }
      const signIn = (password: string) =>
        auth.post('/token?grant_type=password', { ...address, password }, { headers })
      expect((await signIn(operatorPassword)).status).toBe(200)
      expect((await signIn(evePassword)).body.error_code).toBe('invalid_credentials')
    },
  )

  it('is in the audit log as created', async () => {
    const address = addressOf('email')
    const id = await occupied(auth, address)
    await create(address)

    const entries = await auth.rows(
      'select actor_role, user_id, traits from auth.audit_entries where action = 3 and user_id = $1',
      [id],
    )

    expect(entries).toEqual([
      { actor_role: 'service_role', user_id: id, traits: { provider: 'email' } },
    ])
  })

  it('accepts a link that was sent before for its owner, and gives no access to other clients', async () => {
    const address = addressOf('email')
    await occupied(auth, address)
    await auth.post('/otp', address, ada)
    const link = await auth.messageTo(textOf(address))
    await create({ ...address, password: operatorPassword, user_metadata: { team: 'red' } })

    const { fragment } = await auth.follow(link)

    expect(fragment.has('access_token')).toBe(true)
    expect(await signsIn(auth, address, evePassword)).toBe('invalid_credentials')
    const [user] = await usersAt(auth, address)
    expect(user?.['user_metadata']).toEqual({ team: 'red', email_verified: true })
    expect(user?.['registered_by']).toBeNull()
  })

  it('is not changed by a later sign-up', async () => {
    const address = addressOf('email')
    await occupied(auth, address)
    await create({ ...address, role: 'staff' })
    await auth.post('/signup', { ...address, password: evePassword, data: { name: 'Eve' } }, eve)

    await auth.follow(await auth.messageTo(textOf(address)))

    expect(await signsIn(auth, address, evePassword)).toBe('invalid_credentials')
    expect((await usersAt(auth, address))[0]).toMatchObject({ role: 'staff' })
  })

  it('is rejected where an operator has banned the unconfirmed account, until the ban is lifted', async () => {
    const address = addressOf('email')
    const id = await occupied(auth, address)
    await auth.put(`/admin/users/${id}`, { ban_duration: '24h' }, await operator(auth))

    const banned = await create(address)
    await auth.put(`/admin/users/${id}`, { ban_duration: 'none' }, await operator(auth))
    const lifted = await create(address)

    expect([statusAndCode(banned), lifted.status]).toEqual([[422, 'email_exists'], 200])
  })

  it('is rejected where the unconfirmed account is banned, until the ban ends', async () => {
    const address = addressOf('email')
    const id = await occupied(auth, address)
    await auth.put(`/admin/users/${id}`, { ban_duration: '1h' }, await operator(auth))

    const banned = await create(address)
    auth.clock.advance(3600)
    const ended = await create(address)

    expect(statusAndCode(banned)).toEqual([422, 'email_exists'])
    expect([ended.status, ended.body.id]).toEqual([200, id])
    expect(ended.body.banned_until).toBeUndefined()
  })

  it('replaces both accounts, where the two addresses belong to two', async () => {
    const [email, phone] = [addressOf('email'), addressOf('phone')]
    const [byEmail, byPhone] = [await occupied(auth, email), await occupied(auth, phone)]

    const { status, body } = await create({ ...email, ...phone })

    expect([status, body.id]).toEqual([200, byEmail])
    expect(body.identities.map(({ provider }: { provider: string }) => provider)).toEqual([
      'email',
      'phone',
    ])
    expect(await userById(auth, byPhone)).toBeUndefined()
    expect(await deletionsOf(auth, byPhone)).toEqual([
      { actor_id: null, actor_role: 'service_role' },
    ])
  })

  it.each(['path', 'body'])('has the given id: %s', async (place) => {
    const address = addressOf('email')
    const [id, before] = [randomUUID(), await occupied(auth, address)]

    const { status, body } = await (place === 'path'
      ? create(address, `/admin/users/${id}`)
      : create({ ...address, id }))

    expect([status, body.id]).toEqual([200, id])
    expect(await userById(auth, before)).toBeUndefined()
    expect(await deletionsOf(auth, before)).toHaveLength(1)
  })

  it('is rejected when another account keeps one of the addresses', async () => {
    const email = addressOf('email')
    const id = await occupied(auth, email)
    const phone = newPhone()
    const other = await auth.auth.admin.createUser({ phone })

    expect(statusAndCode(await create({ ...email, phone }))).toEqual([422, 'phone_exists'])
    expect(statusAndCode(await create({ ...email, id: other.id }))).toEqual([
      422,
      'user_already_exists',
    ])
    expect(await userById(auth, id)).toMatchObject(email)
  })

  it('is created once, of many concurrent requests', async () => {
    for (const kind of ['email', 'phone'] as const) {
      const address = addressOf(kind)
      await occupied(auth, address)

      const answers = await Promise.all(Array.from({ length: 8 }, () => create(address)))

      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).toEqual([200, ...Array(7).fill(422)])
      expect(await usersAt(auth, address)).toHaveLength(1)
    }
  })

  it('and a concurrent confirmation leave one account, of the operator or of the owner', async () => {
    for (let round = 0; round < 6; round += 1) {
      const address = addressOf('email')
      await occupied(auth, address)
      await auth.post('/otp', address, ada)
      const { hash, type } = await auth.messageTo(textOf(address))

      const [created, proved] = await Promise.all([
        create({ ...address, user_metadata: { team: 'red' } }),
        auth.post('/verify', { type, token_hash: hash }, ada),
      ])

      const users = await usersAt(auth, address)
      expect([created.status, proved.status]).toEqual([expect.toBeOneOf([200, 422]), 200])
      expect(users).toHaveLength(1)
      const hasTeam = JSON.stringify(users).includes('team')
      expect(hasTeam).toBe(created.status === 200)
      expect(JSON.stringify(users)).not.toMatch(/Eve|gold/)
    }
  })
})
