import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessageServer, startMessageServer } from './support/message-server.ts'
import { createStorage, type FlowType } from './support/supabase-client.ts'

// The unmodified client, and changes that require a message: of the password, of addresses.

const password = 'correct horse 1'
const home = 'https://app.example.test/settings'

let server: MessageServer
/** A service where the new address alone confirms, and passwords change without a nonce. */
let lenient: MessageServer
let people = 0

const newEmail = () => `change${++people}@example.test`
const newPhone = () => `491556${String(++people).padStart(5, '0')}`

beforeAll(async () => {
  ;[server, lenient] = await Promise.all([
    startMessageServer({ AUTH_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION: 'true' }),
    startMessageServer({ AUTH_MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false' }),
  ])
})
afterAll(() => Promise.all([server?.close(), lenient?.close()]))

const ok = { error: null }
const rejection = (code: string, status: number) => ({ error: { code, status } })

/** Opens a browser in which a new user is signed in. */
async function signedIn(at: MessageServer, flowType: FlowType = 'implicit') {
  const email = newEmail()
  await at.operator().createUser({ email, password, email_confirm: true })
  const browser = { flowType, storage: createStorage() }
  const client = at.client(browser)
  const { error } = await client.signInWithPassword({ email, password })
  if (error) throw error
  return { email, browser, client }
}

describe('reauthenticate', () => {
  it('sends a nonce that changes the password once', async () => {
    const { client, email } = await signedIn(server)
    const changed = 'another horse 2'

    const without = await client.updateUser({ password: changed })
    const requested = await client.reauthenticate()
    const { code, link } = await server.mailTo(email)
    const nonce = code ?? ''
    const wrong = await client.updateUser({ password: changed, nonce: `${nonce}0` })
    const right = await client.updateUser({ password: changed, nonce })
    const again = await client.updateUser({ password: 'a third horse 3', nonce })

    expect(without).toMatchObject(rejection('reauthentication_needed', 400))
    expect(requested).toMatchObject({ ...ok, data: { user: null, session: null } })
    expect(link).toBe('')
    expect(wrong).toMatchObject(rejection('reauthentication_not_valid', 422))
    expect(right.error).toBeNull()
    expect(again).toMatchObject(rejection('reauthentication_not_valid', 422))
    const signIn = await server.client().signInWithPassword({ email, password: changed })
    expect(signIn.error).toBeNull()
  })

  it('sends it by SMS to a user without an email', async () => {
    const client = server.client()
    const phone = newPhone()
    await client.signInWithOtp({ phone })
    await client.verifyOtp({ type: 'sms', phone, token: await server.codeTo(phone) })

    const requested = await client.reauthenticate()
    const nonce = await server.codeTo(phone)
    const changed = await client.updateUser({ password, nonce })

    expect([requested.error, changed.error]).toEqual([null, null])
    expect((await server.client().signInWithPassword({ phone, password })).error).toBeNull()
  })

  it('requires a signed-in user', async () => {
    const { error } = await server.client().reauthenticate()

    expect(error?.name).toBe('AuthSessionMissingError')
  })
})

describe.each<FlowType>(['implicit', 'pkce'])('a change of email in the %s flow', (flowType) => {
  it('requires both addresses, and ends in a session', async () => {
    const { client, email, browser } = await signedIn(server, flowType)
    const next = newEmail()

    const requested = await client.updateUser({ email: next }, { emailRedirectTo: home })
    const [atOld, atNew] = [await server.mailTo(email), await server.mailTo(next)]
    const halfway = await server.follow(atOld.link)
    const meanwhile = (await client.getUser()).data.user
    const { client: later, session, error } = await server.land(atNew.link, browser)

    expect(requested).toMatchObject({ ...ok, data: { user: { email, new_email: next } } })
    expect(new URL(halfway).origin + new URL(halfway).pathname).toBe(home)
    expect(new URL(halfway).hash).toContain('message=Confirmation+link+accepted')
    expect(meanwhile).toMatchObject({ email, new_email: next })
    expect([error, session?.user.email]).toEqual([null, next])
    expect((await later.getUser()).data.user).not.toHaveProperty('new_email')
    const { error: byOld } = await server.client().signInWithPassword({ email, password })
    expect(byOld?.code).toBe('invalid_credentials')
    const byNew = await server.client().signInWithPassword({ email: next, password })
    expect(byNew.error).toBeNull()
  })

  it('requires the new one only where it is configured', async () => {
    const { client, browser, email } = await signedIn(lenient, flowType)
    const next = newEmail()

    await client.updateUser({ email: next })
    const { link } = await lenient.mailTo(next)
    const { session, error } = await lenient.land(link, browser)

    expect([error, session?.user.email]).toEqual([null, next])
    expect(lenient.countMailsTo(email, next)).toBe(1)
  })
})

describe('a user with only a phone', () => {
  it('adds an email, which is the only one to confirm, and signs in with it', async () => {
    const browser = { storage: createStorage() }
    const client = server.client(browser)
    const [phone, email] = [newPhone(), newEmail()]
    await client.signInWithOtp({ phone })
    await client.verifyOtp({ type: 'sms', phone, token: await server.codeTo(phone) })

    const requested = await client.updateUser({ email })
    const { session, error } = await server.land((await server.mailTo(email)).link, browser)
    await client.signInWithOtp({ email })
    const { code } = await server.mailTo(email)
    const later = await server.client().verifyOtp({ type: 'email', email, token: code ?? '' })

    expect(requested).toMatchObject({ ...ok, data: { user: { phone, new_email: email } } })
    expect([error, session?.user]).toMatchObject([null, { phone, email }])
    expect(session?.user.identities?.map(({ provider }) => provider).toSorted()).toEqual([
      'email',
      'phone',
    ])
    expect(later.data.user?.id).toBe(session?.user.id)
  })
})

describe('verifyOtp of a change', () => {
  it('of email accepts the code of each address, or the secret of each link', async () => {
    for (const proof of ['token', 'token_hash'] as const) {
      const { client, email } = await signedIn(server)
      const next = newEmail()
      await client.updateUser({ email: next })
      const mails = [await server.mailTo(next), await server.mailTo(email)]

      const answers = []
      for (const { to, code, tokenHash } of mails) {
        const answer =
          proof === 'token'
            ? await client.verifyOtp({ type: 'email_change', email: to, token: code ?? '' })
            : await client.verifyOtp({ type: 'email_change', token_hash: tokenHash })
        answers.push(answer)
      }

      expect(answers).toMatchObject([
        { ...ok, data: { user: null, session: null } },
        { ...ok, data: { user: { email: next }, session: { user: { email: next } } } },
      ])
    }
  })

  it('of email may be requested again, and keeps the earlier link', async () => {
    const { client, email } = await signedIn(lenient)
    const next = newEmail()
    await client.updateUser({ email: next })
    const earlier = await lenient.mailTo(next)

    const requested = await client.resend({ type: 'email_change', email })
    const later = await lenient.mailTo(next)

    expect(requested.error).toBeNull()
    const proof = { type: 'email_change', token_hash: earlier.tokenHash } as const
    const proved = await client.verifyOtp(proof)
    expect(proved).toMatchObject({ ...ok, data: { user: { email: next } } })
    const again = await client.verifyOtp({ ...proof, token_hash: later.tokenHash })
    expect(again).toMatchObject(rejection('otp_expired', 403))
  })

  it('of the phone may be requested again, and keeps the earlier code', async () => {
    const { client } = await signedIn(server)
    const [first, phone] = [newPhone(), newPhone()]
    await client.updateUser({ phone: first })
    const token = await server.codeTo(first)
    await client.verifyOtp({ type: 'phone_change', phone: first, token })

    const requested = await client.updateUser({ phone: `+${phone}` })
    const earlier = await server.codeTo(phone)
    const again = await client.resend({ type: 'phone_change', phone: first })
    const later = await server.codeTo(phone)
    const proved = await client.verifyOtp({ type: 'phone_change', phone, token: earlier })
    const byLater = await client.verifyOtp({ type: 'phone_change', phone, token: later })

    expect(requested).toMatchObject({ ...ok, data: { user: { phone: first, new_phone: phone } } })
    expect(again).toMatchObject({ ...ok, data: { messageId: expect.any(String) } })
    expect(proved).toMatchObject({ ...ok, data: { user: { phone } } })
    expect(byLater).toMatchObject(rejection('otp_expired', 403))
  })
})

describe('the client receives', () => {
  it('an error for an address of another user', async () => {
    const { email } = await signedIn(server)
    const { client } = await signedIn(server)
    const other = server.client()
    const phone = newPhone()
    await other.signInWithOtp({ phone })
    await other.verifyOtp({ type: 'sms', phone, token: await server.codeTo(phone) })

    expect(await client.updateUser({ email })).toMatchObject(rejection('email_exists', 422))
    expect(await client.updateUser({ phone })).toMatchObject(rejection('phone_exists', 422))
  })

  it('an error for an invalid address', async () => {
    const { client } = await signedIn(server)

    const answers = [
      await client.updateUser({ email: 'no address' }),
      await client.updateUser({ phone: 'no number' }),
    ]

    for (const answer of answers) expect(answer).toMatchObject(rejection('validation_failed', 400))
  })

  it('a state after the first half of a change that keeps its session', async () => {
    const { client, email, browser } = await signedIn(server)
    const { data } = await client.getSession()
    await client.updateUser({ email: newEmail() })

    const { session, error } = await server.land((await server.mailTo(email)).link, browser)

    expect(error).toBeNull()
    expect(session?.access_token).toBe(data.session?.access_token)
  })

  it('an error for a weak or unchanged password', async () => {
    const { client } = await signedIn(lenient)

    const weak = await client.updateUser({ password: 'abc' })
    const same = await client.updateUser({ password })

    expect(weak).toMatchObject(rejection('weak_password', 422))
    expect(same).toMatchObject(rejection('same_password', 422))
  })
})
