import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from './support/messages.ts'
import {
  ada,
  eve,
  evePassword,
  newEmail,
  occupied,
  operator,
  signsIn,
  statusAndCode,
  usersAt,
} from './support/occupied-addresses.ts'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth()
})
afterAll(() => auth.close())

const operatorPassword = 'the password of the operator'

describe('the description of a user by an operator whose address is occupied', () => {
  const data = { team: 'red', plan: 'pro' }
  const metadataAt = async (email: string) => (await usersAt(auth, { email }))[0]?.['user_metadata']

  it('in an invitation is the content of the account', async () => {
    const email = newEmail()
    await occupied(auth, { email })

    const { body } = await auth.post('/invite', { email, data }, await operator(auth))

    expect(body.user_metadata).toEqual(data)
    expect(await metadataAt(email)).toEqual(data)
    await auth.follow(await auth.messageTo(email))
    expect(await metadataAt(email)).toMatchObject(data)
    expect(await metadataAt(email)).not.toHaveProperty('name')
  })

  it.each([
    ['invite', {}],
    ['signup', { password: operatorPassword }],
  ])('in a link of type %s is the content of the account', async (type, more) => {
    const email = newEmail()
    await occupied(auth, { email })

    const { status, body } = await auth.post(
      '/admin/generate_link',
      { type, email, data, ...more },
      await operator(auth),
    )

    expect([status, body.user_metadata]).toEqual([200, data])
    expect(await metadataAt(email)).toEqual(data)
    await auth.post('/verify', { type, token_hash: body.hashed_token }, ada)
    expect(await metadataAt(email)).toMatchObject(data)
    expect(JSON.stringify(await usersAt(auth, { email }))).not.toMatch(/Eve|gold/)
    expect(await signsIn(auth, { email }, evePassword)).toBe('invalid_credentials')
  })

  it.each(['/invite', '/admin/generate_link'])(
    'in POST %s is used, and metadata of the unconfirmed sign-up is not',
    async (path) => {
      await auth.auth.admin.createUser({ email: newEmail(), audience: 'elsewhere' })
      const email = newEmail()
      const there = { ...eve, headers: { 'x-jwt-aud': 'elsewhere' } }
      await auth.post('/signup', { email, password: evePassword }, there)

      const { status, body } = await auth.post(
        path,
        { type: 'invite', email, data },
        await operator(auth),
      )

      expect([status, body.aud, body.user_metadata]).toEqual([200, 'authenticated', data])
    },
  )

  it('stays even if it equals that of the sign-up', async () => {
    const email = newEmail()
    const id = await occupied(auth, { email })
    await auth.put(`/admin/users/${id}`, { user_metadata: { plan: 'gold' } }, await operator(auth))

    await auth.follow(await auth.messageTo(email))

    expect(await metadataAt(email)).toMatchObject({ plan: 'gold' })
    expect(await metadataAt(email)).not.toHaveProperty('name')
  })

  it('in an import stays despite a competing sign-up', async () => {
    const email = newEmail()
    const given = { userMetadata: { plan: 'gold', sub: 'x' } }
    await auth.auth.admin.importUsers([{ email, ...given }])
    await occupied(auth, { email })

    await auth.follow(await auth.messageTo(email))

    expect(await metadataAt(email)).toMatchObject({ plan: 'gold' })
    expect(await metadataAt(email)).not.toHaveProperty('name')
  })

  it('assigns the account to the operator: no later sign-up replaces it', async () => {
    const email = newEmail()
    const id = await occupied(auth, { email })
    await auth.post('/invite', { email, data }, await operator(auth))

    const again = await auth.post('/admin/users', { email }, await operator(auth))
    const report = await auth.auth.admin.importUsers([{ id: randomUUID(), email }])

    expect(statusAndCode(again)).toEqual([422, 'email_exists'])
    expect(report).toMatchObject({ imported: 0, refused: 1 })
    expect((await usersAt(auth, { email }))[0]?.['id']).toBe(id)
  })
})
