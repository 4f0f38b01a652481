import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessageServer, startMessageServer } from './support/message-server.ts'
import { createStorage } from './support/supabase-client.ts'

// The unmodified client, and users who sign in before they have an address.

const password = 'correct horse 1'

let server: MessageServer
/** A service that confirms addresses automatically. */
let trusting: MessageServer
let people = 0
const newEmail = () => `anonymous${++people}@example.test`
const newPhone = () => `491557${String(++people).padStart(5, '0')}`

beforeAll(async () => {
  const env = { AUTH_EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true' }
  ;[server, trusting] = await Promise.all([
    startMessageServer(env),
    startMessageServer({ ...env, AUTH_MAILER_AUTOCONFIRM: 'true' }),
  ])
})
afterAll(() => Promise.all([server?.close(), trusting?.close()]))

async function signedIn(at: MessageServer) {
  const browser = { storage: createStorage() }
  const client = at.client(browser)
  const { data, error } = await client.signInAnonymously({ options: { data: { cart: 7 } } })
  if (error) throw error
  return { client, browser, id: data.user?.id ?? '', data }
}

describe('signInAnonymously of @supabase/auth-js', () => {
  it('signs in a user who has metadata only', async () => {
    const { client, data } = await signedIn(server)

    const { data: read } = await client.getUser()
    const { data: refreshed, error } = await client.refreshSession()

    expect(data.user).toMatchObject({
      is_anonymous: true,
      user_metadata: { cart: 7 },
      identities: [],
    })
    expect(read.user).toEqual(data.user)
    expect(error).toBeNull()
    expect(refreshed.user).toMatchObject({ id: data.user?.id, is_anonymous: true })
  })

  it('cannot enroll a second factor', async () => {
    const { client } = await signedIn(server)

    const { error } = await client.mfa.enroll({ factorType: 'totp' })

    expect(error).toMatchObject({ code: 'no_authorization', status: 403 })
  })

  it('and updateUser with an email create a permanent user with the same id', async () => {
    const { client, browser, id } = await signedIn(server)
    const email = newEmail()

    const requested = await client.updateUser({ email })
    const { link } = await server.mailTo(email)
    await server.land(link, browser)
    const after = server.client(browser)
    const { data: session } = await after.getSession()
    const { error } = await after.updateUser({ password })
    const signIn = await server.client().signInWithPassword({ email, password })

    expect(requested.data.user).toMatchObject({ id, is_anonymous: true, new_email: email })
    expect(session.session?.user).toMatchObject({ id, is_anonymous: false, email })
    expect(error).toBeNull()
    expect(signIn.data.user).toMatchObject({
      id,
      is_anonymous: false,
    })
  })

  it('and updateUser with a phone do so with a code', async () => {
    const { client, id } = await signedIn(server)
    const phone = newPhone()

    await client.updateUser({ phone })
    const token = await server.codeTo(phone)
    const { data, error } = await client.verifyOtp({ phone, token, type: 'phone_change' })

    expect(error).toBeNull()
    expect(data.user).toMatchObject({ id, phone, is_anonymous: false })
  })

  it('reject a password only', async () => {
    const { client } = await signedIn(server)

    const { error } = await client.updateUser({ password })

    expect(error).toMatchObject({ code: 'validation_failed', status: 422 })
  })

  it('and updateUser with email and password do so at once where addresses confirm automatically', async () => {
    const { client, id } = await signedIn(trusting)
    const email = newEmail()

    const { data } = await client.updateUser({ email, password })
    const { data: refreshed } = await client.refreshSession()
    const signIn = await trusting.client().signInWithPassword({ email, password })

    expect(data.user).toMatchObject({ id, email, is_anonymous: false, user_metadata: { cart: 7 } })
    expect(refreshed.user).toMatchObject({ id, is_anonymous: false })
    expect(signIn.data.user?.id).toBe(id)
  })
})
