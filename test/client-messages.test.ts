import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessageServer, startMessageServer } from './support/message-server.ts'
import { createStorage, type FlowType } from './support/supabase-client.ts'

// The unmodified client, a server process and a mail server: mails to users, from the request to
// the page of the link.

const password = 'correct horse 1'
const home = 'https://app.example.test/home?tab=1'

let server: MessageServer
/** A service with send intervals. */
let patient: MessageServer
let people = 0

const newEmail = () => `mail${++people}@example.test`

beforeAll(async () => {
  const waits = { AUTH_SMTP_MAX_FREQUENCY: '60' }
  ;[server, patient] = await Promise.all([startMessageServer(), startMessageServer(waits)])
})
afterAll(() => Promise.all([server?.close(), patient?.close()]))

/** Creates a user with a confirmed address and a password. */
async function givenUser(): Promise<string> {
  const email = newEmail()
  const { error } = await server.operator().createUser({ email, password, email_confirm: true })
  if (error) throw error
  return email
}

const ok = { error: null }
const rejection = (code: string, status: number) => ({ error: { code, status } })

describe.each<FlowType>(['implicit', 'pkce'])('links of the %s flow', (flowType) => {
  /** One browser, in which both the request and the link are opened. */
  const browser = () => ({ flowType, storage: createStorage() })

  it('confirm a sign-up, sign in, and lead to the requested page', async () => {
    const mine = browser()
    const email = newEmail()

    const requested = await server
      .client(mine)
      .signUp({ email, password, options: { emailRedirectTo: home, data: { n: 1 } } })
    const { link } = await server.mailTo(email)
    const { session, error, url } = await server.land(link, mine)

    expect(requested).toMatchObject({ ...ok, data: { session: null, user: { email } } })
    expect(error).toBeNull()
    expect(session?.user).toMatchObject({ id: requested.data.user?.id, user_metadata: { n: 1 } })
    expect(session?.user.email_confirmed_at).toEqual(expect.any(String))
    expect(new URL(url).href.replace(/#$/, '')).toBe(home)
  })

  it('sign in a user, and sign up a new one', async () => {
    for (const email of [await givenUser(), newEmail()]) {
      const mine = browser()

      const requested = await server.client(mine).signInWithOtp({ email })
      const { link } = await server.mailTo(email)
      const { client, session, error } = await server.land(link, mine)

      expect(requested).toMatchObject({ ...ok, data: { user: null, session: null } })
      expect([error, session?.user.email]).toEqual([null, email])
      expect((await client.getUser()).data.user?.email).toBe(email)
      expect((await client.refreshSession()).error).toBeNull()
    }
  })

  it('let a user replace a forgotten password', async () => {
    const mine = browser()
    const email = await givenUser()

    const requested = await server.client(mine).resetPasswordForEmail(email, { redirectTo: home })
    const { link } = await server.mailTo(email)
    const { client, session } = await server.land(link, mine)
    const changed = await client.updateUser({ password: 'another horse 2' })

    expect(requested.error).toBeNull()
    expect(session?.user.email).toBe(email)
    expect(changed.error).toBeNull()
    const signIn = await server.client().signInWithPassword({ email, password: 'another horse 2' })
    expect(signIn.error).toBeNull()
  })

  it('send an event for a recovery to the page', async () => {
    const mine = browser()
    const email = await givenUser()
    await server.client(mine).resetPasswordForEmail(email)
    const target = await server.follow((await server.mailTo(email)).link)

    const { searchParams, hash } = new URL(target)
    if (flowType === 'implicit') {
      expect(new URLSearchParams(hash.slice(1)).get('type')).toBe('recovery')
    } else {
      const code = searchParams.get('code') ?? ''
      const { data } = await server.client(mine).exchangeCodeForSession(code)
      expect(data).toMatchObject({ redirectType: 'recovery', user: { email } })
    }
  })

  it('are sent again, and invalidate earlier ones', async () => {
    const mine = browser()
    const email = newEmail()
    const client = server.client(mine)
    await client.signUp({ email, password })
    const earlier = await server.mailTo(email)

    const requested = await client.resend({
      type: 'signup',
      email,
      options: { emailRedirectTo: home },
    })
    const later = await server.mailTo(email)

    expect(requested.error).toBeNull()
    const byEarlier = await server.land(earlier.link, mine)
    expect(byEarlier).toMatchObject({ session: null, error: { details: { code: 'otp_expired' } } })
    const byLater = await server.land(later.link, mine)
    expect(byLater).toMatchObject({ error: null, session: { user: { email } } })
  })

  it('work once, and do not change a signed-in user', async () => {
    const mine = browser()
    const email = await givenUser()
    await server.client(mine).signInWithOtp({ email })
    const { link } = await server.mailTo(email)
    const first = await server.land(link, mine)

    const again = await server.land(link, mine)

    expect(again.error).toMatchObject({
      name: 'AuthImplicitGrantRedirectError',
      details: { error: 'access_denied' },
      message: 'Email link is invalid or has expired',
    })
    expect(again.error).toMatchObject({ details: { code: 'otp_expired' } })
    expect(again.session?.access_token).toBe(first.session?.access_token)
  })

  it('lead to the site where the requested page is not permitted', async () => {
    const mine = browser()
    const email = await givenUser()
    const client = server.client(mine)

    await client.signInWithOtp({ email, options: { emailRedirectTo: 'https://evil.test/x' } })
    const target = await server.follow((await server.mailTo(email)).link)

    expect(new URL(target).origin).toBe('https://app.example.test')
  })
})

describe('a link of the PKCE flow', () => {
  it('is invalid in another browser', async () => {
    const email = await givenUser()
    await server.client({ flowType: 'pkce' }).signInWithOtp({ email })
    const { link } = await server.mailTo(email)
    const elsewhere = { flowType: 'pkce' as const, storage: createStorage() }
    await server.client(elsewhere).signInWithOtp({ email: newEmail() })

    const { session, error } = await server.land(link, elsewhere)

    expect(session).toBeNull()
    expect(error).toMatchObject({ code: 'bad_code_verifier', status: 400 })
  })

  it('ends in a code for one session', async () => {
    const storage = createStorage()
    const client = server.client({ flowType: 'pkce', storage })
    const email = await givenUser()
    await client.signInWithOtp({ email })
    const target = await server.follow((await server.mailTo(email)).link)
    const code = new URL(target).searchParams.get('code') ?? ''

    const first = await client.exchangeCodeForSession(code)
    await client.signInWithOtp({ email: newEmail() })
    const again = await client.exchangeCodeForSession(code)

    expect(first).toMatchObject({ ...ok, data: { user: { email } } })
    expect(again).toMatchObject(rejection('flow_state_not_found', 404))
  })

  it('finds its own verifier among several', async () => {
    const mine = { flowType: 'pkce' as const, storage: createStorage(), namesFlows: true }
    const client = server.client(mine)
    const [first, second] = [await givenUser(), await givenUser()]
    await client.signInWithOtp({ email: first, options: { emailRedirectTo: home } })
    await client.signInWithOtp({ email: second, options: { emailRedirectTo: home } })

    for (const email of [first, second]) {
      const { session, url } = await server.land((await server.mailTo(email)).link, mine)

      expect(session?.user.email).toBe(email)
      expect(url).toBe(home)
    }
  })
})

describe('the client receives', () => {
  it('the same for an unknown address, unless the request forbids a sign-up', async () => {
    const client = server.client()
    const known = await givenUser()
    const unknown = [newEmail(), newEmail(), newEmail()] as const

    const recovered = await client.resetPasswordForEmail(unknown[0])
    const resent = await client.resend({ type: 'signup', email: unknown[1] })
    const requested = await client.signInWithOtp({
      email: unknown[2],
      options: { shouldCreateUser: false },
    })

    expect([recovered.error, resent.error]).toEqual([null, null])
    expect(requested).toMatchObject(rejection('otp_disabled', 422))
    await client.resetPasswordForEmail(known)
    await server.mailTo(known)
    expect(server.countMailsTo(...unknown)).toBe(0)
  })

  it('an error for an invalid address', async () => {
    const client = server.client()

    const answers = [
      await client.signUp({ email: 'no address', password }),
      await client.signInWithOtp({ email: 'no address' }),
      await client.resetPasswordForEmail('no address'),
      await client.resend({ type: 'signup', email: 'no address' }),
    ]

    for (const answer of answers) expect(answer).toMatchObject(rejection('validation_failed', 400))
  })

  it('a user without identities for a repeated sign-up', async () => {
    const email = await givenUser()

    const { data, error } = await server.client().signUp({ email, password })

    expect(error).toBeNull()
    expect(data).toMatchObject({ session: null, user: { email, identities: [] } })
  })

  it('an error for a sign-in before the address is confirmed', async () => {
    const email = newEmail()
    await server.client().signUp({ email, password })

    const answer = await server.client().signInWithPassword({ email, password })

    expect(answer).toMatchObject(rejection('email_not_confirmed', 400))
  })

  it('an error for too many requests', async () => {
    const email = newEmail()
    const client = patient.client()
    await client.signInWithOtp({ email })

    const answers = [
      await client.signInWithOtp({ email }),
      await client.resetPasswordForEmail(email),
      await client.signInWithOtp({ email: email.toUpperCase() }),
    ]

    for (const answer of answers) {
      expect(answer).toMatchObject(rejection('over_email_send_rate_limit', 429))
    }
  })
})
