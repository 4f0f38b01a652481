import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from './support/messages.ts'
import { type Answer, testPassword } from './support/test-auth.ts'

// A stranger signs up with Ada's address and proves nothing. That keeps the address from nobody: neither from an
// operator nor from whoever proves it.

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth()
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `occupied-${++made}@example.test`
const newPhone = () => `49157${String(++made).padStart(8, '0')}`

const ada = { ip: '203.0.113.10' }
const eve = { ip: '198.51.100.66' }
const evePassword = 'the password of Eve'
const operatorPassword = 'the password of the operator'

type Kind = 'email' | 'phone'
const addressOf = (kind: Kind) => ({ [kind]: kind === 'email' ? newEmail() : newPhone() })
const textOf = (address: Record<string, string>) => Object.values(address)[0] ?? ''
const said = ({ status, body }: Answer) => [status, body.error_code]
const operator = async () => ({ token: await auth.given.serviceToken() })

/** Eve's sign-up; answers the id of the account that it made. */
async function occupied(address: Record<string, string>): Promise<string> {
  const data = { name: 'Eve', plan: 'gold' }
  await auth.post('/signup', { ...address, password: evePassword, data }, eve)
  const [user] = await usersAt(address)
  return String(user?.['id'])
}

const usersAt = (address: Record<string, string>) =>
  auth.rows(
    `select id, role, audience, user_metadata, registered_by, email, phone from auth.users
     where email = $1 or phone = $1`,
    [textOf(address)],
  )
const userById = async (id: string) =>
  (await auth.rows('select id, email, phone from auth.users where id = $1', [id]))[0]

const signsIn = async (address: object, password: string) => {
  const { body } = await auth.post('/token?grant_type=password', { ...address, password })
  return body.error_code ?? 'in'
}

/** The entries about an account that is gone. */
const deletionsOf = (id: string) =>
  auth.rows(
    'select actor_id, actor_role from auth.audit_entries where action = 13 and user_id = $1',
    [id],
  )

describe('a user whom an operator makes', () => {
  const create = async (body: object, path = '/admin/users') =>
    auth.post(path, body, await operator())

  it.each(['email', 'phone'] as const)(
    'at an occupied %s is the operator’s, with the id of before',
    async (kind) => {
      const address = addressOf(kind)
      const id = await occupied(address)

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
      expect((await auth.get(`/admin/users/${id}`, await operator())).body).toEqual(body)
      const headers = { 'x-jwt-aud': 'crew' }
      const signIn = (password: string) =>
        auth.post('/token?grant_type=password', { ...address, password }, { headers })
      expect((await signIn(operatorPassword)).status).toBe(200)
      expect((await signIn(evePassword)).body.error_code).toBe('invalid_credentials')
    },
  )

  it('is in the audit log as one who was made', async () => {
    const address = addressOf('email')
    const id = await occupied(address)
    await create(address)

    const entries = await auth.rows(
      'select actor_role, user_id, traits from auth.audit_entries where action = 3 and user_id = $1',
      [id],
    )

    expect(entries).toEqual([
      { actor_role: 'service_role', user_id: id, traits: { provider: 'email' } },
    ])
  })

  it('lets in who follows a link that was sent before, and nobody else', async () => {
    const address = addressOf('email')
    await occupied(address)
    await auth.post('/otp', address, ada)
    const link = await auth.messageTo(textOf(address))
    await create({ ...address, password: operatorPassword, user_metadata: { team: 'red' } })

    const { fragment } = await auth.follow(link)

    expect(fragment.has('access_token')).toBe(true)
    expect(await signsIn(address, evePassword)).toBe('invalid_credentials')
    const [user] = await usersAt(address)
    expect(user?.['user_metadata']).toEqual({ team: 'red', email_verified: true })
    expect(user?.['registered_by']).toBeNull()
  })

  it('gets nothing of a sign-up that comes afterwards', async () => {
    const address = addressOf('email')
    await occupied(address)
    await create({ ...address, role: 'staff' })
    await auth.post('/signup', { ...address, password: evePassword, data: { name: 'Eve' } }, eve)

    await auth.follow(await auth.messageTo(textOf(address)))

    expect(await signsIn(address, evePassword)).toBe('invalid_credentials')
    expect((await usersAt(address))[0]).toMatchObject({ role: 'staff' })
  })

  it('is refused where an operator has banned who signed up, until the ban is lifted', async () => {
    const address = addressOf('email')
    const id = await occupied(address)
    await auth.put(`/admin/users/${id}`, { ban_duration: '24h' }, await operator())

    const banned = await create(address)
    await auth.put(`/admin/users/${id}`, { ban_duration: 'none' }, await operator())
    const lifted = await create(address)

    expect([said(banned), lifted.status]).toEqual([[422, 'email_exists'], 200])
  })

  it('takes the place of both, where the two addresses belong to two', async () => {
    const [email, phone] = [addressOf('email'), addressOf('phone')]
    const [byEmail, byPhone] = [await occupied(email), await occupied(phone)]

    const { status, body } = await create({ ...email, ...phone })

    expect([status, body.id]).toEqual([200, byEmail])
    expect(body.identities.map(({ provider }: { provider: string }) => provider)).toEqual([
      'email',
      'phone',
    ])
    expect(await userById(byPhone)).toBeUndefined()
    expect(await deletionsOf(byPhone)).toEqual([{ actor_id: null, actor_role: 'service_role' }])
  })

  it.each(['path', 'body'])('has the id of the %s, where one is given', async (place) => {
    const address = addressOf('email')
    const [id, before] = [randomUUID(), await occupied(address)]

    const { status, body } = await (place === 'path'
      ? create(address, `/admin/users/${id}`)
      : create({ ...address, id }))

    expect([status, body.id]).toEqual([200, id])
    expect(await userById(before)).toBeUndefined()
    expect(await deletionsOf(before)).toHaveLength(1)
  })

  it('is refused where one of the addresses is somebody’s, and nobody gives way', async () => {
    const email = addressOf('email')
    const id = await occupied(email)
    const phone = newPhone()
    const other = await auth.auth.admin.createUser({ phone })

    expect(said(await create({ ...email, phone }))).toEqual([422, 'phone_exists'])
    expect(said(await create({ ...email, id: other.id }))).toEqual([422, 'user_already_exists'])
    expect(await userById(id)).toMatchObject(email)
  })

  it('is made once of many at the same moment', async () => {
    for (const kind of ['email', 'phone'] as const) {
      const address = addressOf(kind)
      await occupied(address)

      const answers = await Promise.all(Array.from({ length: 8 }, () => create(address)))

      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).toEqual([200, ...Array(7).fill(422)])
      expect(await usersAt(address)).toHaveLength(1)
    }
  })

  it('and a proof at the same moment leave one account, of the operator or of the owner', async () => {
    for (let round = 0; round < 6; round += 1) {
      const address = addressOf('email')
      await occupied(address)
      await auth.post('/otp', address, ada)
      const { hash, type } = await auth.messageTo(textOf(address))

      const [created, proved] = await Promise.all([
        create({ ...address, user_metadata: { team: 'red' } }),
        auth.post('/verify', { type, token_hash: hash }, ada),
      ])

      const users = await usersAt(address)
      expect([created.status, proved.status]).toEqual([expect.toBeOneOf([200, 422]), 200])
      expect(users).toHaveLength(1)
      const hasTeam = JSON.stringify(users).includes('team')
      expect(hasTeam).toBe(created.status === 200)
      expect(JSON.stringify(users)).not.toMatch(/Eve|gold/)
    }
  })
})

describe('what an operator says of somebody whose address is occupied', () => {
  const data = { team: 'red', plan: 'pro' }
  const metadataAt = async (email: string) => (await usersAt({ email }))[0]?.['user_metadata']

  it('by an invitation is what the account holds', async () => {
    const email = newEmail()
    await occupied({ email })

    const { body } = await auth.post('/invite', { email, data }, await operator())

    expect(body.user_metadata).toEqual(data)
    expect(await metadataAt(email)).toEqual(data)
    await auth.follow(await auth.messageTo(email))
    expect(await metadataAt(email)).toMatchObject(data)
    expect(await metadataAt(email)).not.toHaveProperty('name')
  })

  it.each([
    ['invite', {}],
    ['signup', { password: operatorPassword }],
  ])('by a link of type %s is what the account holds', async (type, more) => {
    const email = newEmail()
    await occupied({ email })

    const { status, body } = await auth.post(
      '/admin/generate_link',
      { type, email, data, ...more },
      await operator(),
    )

    expect([status, body.user_metadata]).toEqual([200, data])
    expect(await metadataAt(email)).toEqual(data)
    await auth.post('/verify', { type, token_hash: body.hashed_token }, ada)
    expect(await metadataAt(email)).toMatchObject(data)
    expect(JSON.stringify(await usersAt({ email }))).not.toMatch(/Eve|gold/)
    expect(await signsIn({ email }, evePassword)).toBe('invalid_credentials')
  })

  it.each(['/invite', '/admin/generate_link'])(
    'by POST %s is said where the operator says it, not where the stranger was',
    async (path) => {
      await auth.auth.admin.createUser({ email: newEmail(), audience: 'elsewhere' })
      const email = newEmail()
      const there = { ...eve, headers: { 'x-jwt-aud': 'elsewhere' } }
      await auth.post('/signup', { email, password: evePassword }, there)

      const { status, body } = await auth.post(
        path,
        { type: 'invite', email, data },
        await operator(),
      )

      expect([status, body.aud, body.user_metadata]).toEqual([200, 'authenticated', data])
    },
  )

  it('stays though it is what the stranger said', async () => {
    const email = newEmail()
    const id = await occupied({ email })
    await auth.put(`/admin/users/${id}`, { user_metadata: { plan: 'gold' } }, await operator())

    await auth.follow(await auth.messageTo(email))

    expect(await metadataAt(email)).toMatchObject({ plan: 'gold' })
    expect(await metadataAt(email)).not.toHaveProperty('name')
  })

  it('by an import stays though a sign-up competes with it', async () => {
    const email = newEmail()
    const given = { userMetadata: { plan: 'gold', sub: 'x' } }
    await auth.auth.admin.importUsers([{ email, ...given }])
    await occupied({ email })

    await auth.follow(await auth.messageTo(email))

    expect(await metadataAt(email)).toMatchObject({ plan: 'gold' })
    expect(await metadataAt(email)).not.toHaveProperty('name')
  })

  it('makes the account the operator’s: nothing that comes later takes its place', async () => {
    const email = newEmail()
    const id = await occupied({ email })
    await auth.post('/invite', { email, data }, await operator())

    const again = await auth.post('/admin/users', { email }, await operator())
    const report = await auth.auth.admin.importUsers([{ id: randomUUID(), email }])

    expect(said(again)).toEqual([422, 'email_exists'])
    expect(report).toMatchObject({ imported: 0, refused: 1 })
    expect((await usersAt({ email }))[0]?.['id']).toBe(id)
  })
})

describe('an import', () => {
  const { importUsers } = {
    importUsers: (...records: object[]) => auth.auth.admin.importUsers(records),
  }

  it.each(['email', 'phone'] as const)(
    'of a user whose %s is occupied stores them, with their own id',
    async (kind) => {
      const address = addressOf(kind)
      const before = await occupied(address)
      const record = { id: randomUUID(), ...address, [`${kind}Confirm`]: true, role: 'staff' }

      const dry = await auth.auth.admin.importUsers([record], { dryRun: true })
      const first = await importUsers(record)
      const again = await importUsers(record)

      const counts = { imported: 1, alreadyThere: 0, refused: 0, signUpsReplaced: 1 }
      expect([dry, first]).toMatchObject([counts, counts])
      expect(again).toMatchObject({ imported: 0, alreadyThere: 1, signUpsReplaced: 0 })
      expect(await usersAt(address)).toMatchObject([{ id: record.id, role: 'staff' }])
      expect(await userById(before)).toBeUndefined()
      expect(await deletionsOf(before)).toEqual([{ actor_id: null, actor_role: 'host' }])
      expect(await signsIn(address, evePassword)).toBe('invalid_credentials')
    },
  )

  it('without ids and proofs is the same every time', async () => {
    const passwordHash = `$2b$10$${'a'.repeat(53)}`
    const records = [
      { ...addressOf('email'), passwordHash },
      addressOf('phone'),
      addressOf('email'),
    ]
    for (const { passwordHash: _hash, ...address } of records as Record<string, string>[]) {
      await occupied(address)
    }

    const first = await importUsers(...records)
    for (const { passwordHash: _hash, ...address } of records as Record<string, string>[]) {
      await occupied(address)
    }
    const again = await importUsers(...records)

    expect(first).toMatchObject({ imported: 3, alreadyThere: 0, signUpsReplaced: 3 })
    expect(again).toMatchObject({ imported: 0, alreadyThere: 3, signUpsReplaced: 0 })
  })

  it('of a user with two occupied addresses takes both', async () => {
    const [email, phone] = [addressOf('email'), addressOf('phone')]
    const before = [await occupied(email), await occupied(phone)]

    const report = await importUsers({ ...email, ...phone })

    expect(report).toMatchObject({ imported: 1, signUpsReplaced: 2 })
    expect(await Promise.all(before.map(userById))).toEqual([undefined, undefined])
  })

  it('takes nothing where the user is refused for something else', async () => {
    const email = addressOf('email')
    const id = await occupied(email)
    const phone = newPhone()
    await importUsers({ phone })

    const report = await importUsers({ id: randomUUID(), ...email, phone })

    expect(report).toMatchObject({ imported: 0, refused: 1, signUpsReplaced: 0 })
    expect(await userById(id)).toMatchObject(email)
  })

  it('takes nothing for a record that another one of the same import leaves no room', async () => {
    const [first, second] = [addressOf('email'), addressOf('email')]
    const [gone, kept] = [await occupied(first), await occupied(second)]
    const phone = newPhone()

    const report = await importUsers({ ...first, phone }, { ...second, phone })

    expect(report).toMatchObject({ imported: 1, refused: 1, signUpsReplaced: 1 })
    expect([await userById(gone), await userById(kept)]).toMatchObject([undefined, second])
  })

  it('stores a user once, whom many bring at the same moment', async () => {
    const address = addressOf('email')
    await occupied(address)

    const reports = await Promise.all(
      Array.from({ length: 6 }, () => importUsers({ id: randomUUID(), ...address })),
    )

    expect(reports.map(({ imported }) => imported).sort()).toEqual([0, 0, 0, 0, 0, 1])
    expect(await usersAt(address)).toHaveLength(1)
  })
})

describe('a change to an occupied address', () => {
  /** Somebody with a proved address who asks for another one; answers what was sent there. */
  const asked = async (address: Record<string, string>, code = 200) => {
    const { user, accessToken: token } = await auth.given.session(newEmail())
    const answer = await auth.put('/user', address, { token })
    expect(answer.status).toBe(code)
    return { user, token, answer }
  }
  const prove = async (kind: Kind, address: Record<string, string>, email: string | null) => {
    if (kind === 'email' && email) await auth.follow(await auth.messageTo(email))
    const { code } = await auth.messageTo(textOf(address))
    return auth.post('/verify', { type: `${kind}_change`, ...address, token: code }, ada)
  }

  it('is refused where an operator has banned who signed up', async () => {
    const address = addressOf('email')
    const id = await occupied(address)
    await auth.put(`/admin/users/${id}`, { ban_duration: '24h' }, await operator())

    const { answer } = await asked(address, 422)

    expect(answer.body.error_code).toBe('email_exists')
    expect(await userById(id)).toBeDefined()
  })

  it.each(['email', 'phone'] as const)(
    'by %s is there once it is proved, and the account that nobody proved is gone',
    async (kind) => {
      const address = addressOf(kind)
      const before = await occupied(address)
      const { user } = await asked(address)
      const waiting = await usersAt(address)

      const proved = await prove(kind, address, user.email)

      expect(waiting).toMatchObject([{ id: before }])
      expect([proved.status, proved.body.user.id]).toEqual([200, user.id])
      expect(await usersAt(address)).toMatchObject([{ id: user.id }])
      expect(await userById(before)).toBeUndefined()
      expect(await deletionsOf(before)).toEqual([{ actor_id: user.id, actor_role: null }])
      expect(await signsIn(address, evePassword)).toBe('invalid_credentials')
    },
  )

  it.each(['email', 'phone'] as const)(
    'by %s is answered as one to a free address is',
    async (kind) => {
      const address = addressOf(kind)
      await occupied(address)

      const [taken, free] = [await asked(address), await asked(addressOf(kind))]

      expect(Object.keys(taken.answer.body)).toEqual(Object.keys(free.answer.body))
    },
  )

  it.each(['email', 'phone'] as const)(
    'by %s is refused once somebody has proved it meanwhile',
    async (kind) => {
      const address = addressOf(kind)
      await occupied(address)
      const owners = await auth.messageTo(textOf(address))
      const { user } = await asked(address)
      const type = kind === 'email' ? 'signup' : 'sms'
      await auth.post('/verify', { type, ...address, token: owners.code }, ada)

      const proved = await prove(kind, address, user.email)

      expect(said(proved)).toEqual([422, `${kind}_exists`])
      expect((await usersAt(address))[0]?.['id']).not.toBe(user.id)
    },
  )

  it('is refused as before where an operator or an import made the account', async () => {
    const [made, moved] = [newEmail(), newEmail()]
    await auth.auth.admin.createUser({ email: made })
    await auth.auth.admin.importUsers([{ email: moved }])

    for (const email of [made, moved]) {
      const { answer } = await asked({ email }, 422)
      expect(answer.body.error_code).toBe('email_exists')
    }
  })

  it('and the proof of the sign-up at the same moment give the address to one of them', async () => {
    for (let round = 0; round < 6; round += 1) {
      const email = newEmail()
      await occupied({ email })
      const owners = await auth.messageTo(email)
      const { user } = await asked({ email })
      await auth.follow(await auth.messageTo(user.email ?? ''))
      const mine = await auth.messageTo(email)

      const answers = await Promise.all([
        auth.post('/verify', { type: 'email_change', token_hash: mine.hash }, ada),
        auth.post('/verify', { type: 'signup', token_hash: owners.hash }, ada),
      ])

      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
      expect(statuses.filter((status) => status >= 500)).toEqual([])
      expect(await usersAt({ email })).toHaveLength(1)
    }
  })

  it.each(['email', 'phone'] as const)('of %s by an operator is there at once', async (kind) => {
    const address = addressOf(kind)
    const before = await occupied(address)
    const { id } = await auth.given.user(newEmail())

    const { status, body } = await auth.put(`/admin/users/${id}`, address, await operator())

    expect([status, body[kind]]).toEqual([200, textOf(address)])
    expect(await userById(before)).toBeUndefined()
    expect(await deletionsOf(before)).toEqual([{ actor_id: null, actor_role: 'service_role' }])
  })

  it('by a link of an operator is asked for', async () => {
    const email = newEmail()
    const before = await occupied({ email })
    const user = await auth.given.user(newEmail())
    const link = async (type: string) =>
      auth.post(
        '/admin/generate_link',
        { type, email: user.email, new_email: email },
        await operator(),
      )
    const { status, body } = await link('email_change_new')
    const current = await link('email_change_current')
    for (const { hashed_token } of [body, current.body]) {
      await auth.post('/verify', { type: 'email_change', token_hash: hashed_token }, ada)
    }

    expect(status).toBe(200)
    expect(await userById(before)).toBeUndefined()
    expect((await auth.auth.admin.getUser(user.id)).email).toBe(email)
  })
})

describe('sign-ups for one address at the same moment', () => {
  it.each(['email', 'phone'] as const)('by %s each get their message', async (kind) => {
    const address = addressOf(kind)
    const clients = Array.from({ length: 20 }, (_, index) => ({ ip: `203.0.113.${index + 1}` }))

    const answers = await Promise.all(
      clients.map((from, index) =>
        auth.post('/signup', { ...address, password: `${testPassword} ${index}` }, from),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual(clients.map(() => 200))
    expect(await auth.messagesTo(textOf(address))).toHaveLength(20)
    for (const message of await auth.messagesTo(textOf(address))) expect(message.code).not.toBe('')
  })
})
