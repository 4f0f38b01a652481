import type { AuthError, GoTrueClient, VerifyOtpParams } from '@supabase/auth-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessageServer, startMessageServer } from './support/message-server.ts'

// The unmodified client, and codes that users enter: from mails, and from SMS of a hook.

const password = 'correct horse 1'

let server: MessageServer
/** A service with send intervals. */
let patient: MessageServer
let people = 0

const newEmail = () => `code${++people}@example.test`
const newPhone = () => `491555${String(++people).padStart(5, '0')}`

beforeAll(async () => {
  const waits = { AUTH_SMS_MAX_FREQUENCY: '60' }
  ;[server, patient] = await Promise.all([startMessageServer(), startMessageServer(waits)])
})
afterAll(() => Promise.all([server?.close(), patient?.close()]))

async function givenUser(): Promise<string> {
  const email = newEmail()
  const { error } = await server.operator().createUser({ email, password, email_confirm: true })
  if (error) throw error
  return email
}

const ok = { error: null }
const rejection = (code: string, status: number) => ({ error: { code, status } })

describe('verifyOtp by mail', () => {
  type Ask = (client: GoTrueClient, email: string) => Promise<{ error: AuthError | null }>
  const ways: [requested: string, type: 'signup' | 'magiclink' | 'recovery' | 'email', ask: Ask][] =
    [
      ['a sign-up', 'signup', (client, email) => client.signUp({ email, password })],
      ['a sign-up', 'email', (client, email) => client.signUp({ email, password })],
      ['a stranger’s sign-in', 'email', (client, email) => client.signInWithOtp({ email })],
      ['a stranger’s sign-in', 'signup', (client, email) => client.signInWithOtp({ email })],
    ]
  const ofUsers: typeof ways = [
    ['a sign-in', 'magiclink', (client, email) => client.signInWithOtp({ email })],
    ['a sign-in', 'email', (client, email) => client.signInWithOtp({ email })],
    ['a forgotten password', 'recovery', (client, email) => client.resetPasswordForEmail(email)],
  ]
  const cases = [
    ...ways.map((way) => [...way, async () => newEmail()] as const),
    ...ofUsers.map((way) => [...way, givenUser] as const),
  ]

  const proofs = (['implicit', 'pkce'] as const).flatMap((flowType) =>
    (['token', 'token_hash'] as const).map((proof) => ({ flowType, proof })),
  )

  it.each(cases)(
    'of %s accepts code and secret, as %s, each once',
    async (_, type, ask, someone) => {
      for (const { flowType, proof } of proofs) {
        const email = await someone()
        const requested = await ask(server.client({ flowType }), email)
        const { code, tokenHash } = await server.mailTo(email)
        const client = server.client({ flowType })

        const verify = () =>
          proof === 'token'
            ? client.verifyOtp({ type, email, token: code ?? '' })
            : client.verifyOtp({ type, token_hash: tokenHash })
        const proved = await verify()
        const again = await verify()

        expect(requested.error).toBeNull()
        expect(proved).toMatchObject({
          ...ok,
          data: { user: { email }, session: { user: { email } } },
        })
        expect(again).toMatchObject(rejection('otp_expired', 403))
        expect((await client.getUser()).data.user?.email).toBe(email)
      }
    },
  )

  it('rejects a code for another address, and one of another kind', async () => {
    const email = await givenUser()
    await server.client().signInWithOtp({ email })
    const token = (await server.mailTo(email)).code ?? ''
    const client = server.client()

    const ofAnother = await client.verifyOtp({ type: 'email', email: await givenUser(), token })
    const asSignUp = await client.verifyOtp({ type: 'signup', email, token })
    const right = await client.verifyOtp({ type: 'email', email, token })

    expect(ofAnother).toMatchObject(rejection('otp_expired', 403))
    expect(asSignUp).toMatchObject(rejection('otp_expired', 403))
    expect(right.error).toBeNull()
  })
})

it('requires a code with its address, or only a secret', async () => {
  const client = server.client()
  const email = newEmail()

  const answers = [
    await client.verifyOtp({ type: 'email', email, token: '' }),
    await client.verifyOtp({ type: 'email', token_hash: '' }),
    await client.verifyOtp({ type: 'email', token_hash: 'x', email } as VerifyOtpParams),
    await client.verifyOtp({ type: 'nothing' as 'email', token_hash: 'x' }),
    await client.verifyOtp({ token: '123456', email } as VerifyOtpParams),
  ]

  for (const answer of answers) expect(answer).toMatchObject(rejection('validation_failed', 400))
})

describe('by SMS', () => {
  it('a sign-up is confirmed, and later signs in by password', async () => {
    const client = server.client()
    const phone = newPhone()

    const requested = await client.signUp({ phone, password, options: { data: { n: 1 } } })
    const early = await client.signInWithPassword({ phone, password })
    const token = await server.codeTo(phone)
    const proved = await client.verifyOtp({ type: 'sms', phone, token })
    const signIn = await server.client().signInWithPassword({ phone: `+${phone}`, password })

    expect(requested).toMatchObject({ ...ok, data: { session: null, user: { phone } } })
    expect(early).toMatchObject(rejection('phone_not_confirmed', 400))
    expect(proved).toMatchObject({ ...ok, data: { user: { phone, user_metadata: { n: 1 } } } })
    expect(signIn.error).toBeNull()
  })

  it('a new user signs up and a known one signs in, and the response contains the id of the message', async () => {
    const phone = newPhone()
    const ids: (string | null | undefined)[] = []

    for (const channel of ['sms', 'whatsapp'] as const) {
      const client = server.client()
      const requested = await client.signInWithOtp({ phone: `+${phone}`, options: { channel } })
      const token = await server.codeTo(phone)
      const { data, error } = await client.verifyOtp({ type: 'sms', phone: `+${phone}`, token })
      ids.push(data.user?.id)

      expect(requested).toMatchObject({
        ...ok,
        data: { messageId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      })
      expect(error).toBeNull()
      expect((await client.getUser()).data.user?.phone).toBe(phone)
    }

    expect(ids[0]).toEqual(expect.any(String))
    expect(ids[1]).toBe(ids[0])
  })

  it('a code is sent again, and invalidates the earlier one', async () => {
    const client = server.client()
    const phone = newPhone()
    await client.signUp({ phone, password })
    const earlier = await server.codeTo(phone)

    const requested = await client.resend({ type: 'sms', phone })
    const later = await server.codeTo(phone)

    expect(requested).toMatchObject({ ...ok, data: { messageId: expect.any(String) } })
    // Both are equal once in a million times.
    const byEarlier = await client.verifyOtp({ type: 'sms', phone, token: earlier })
    expect(byEarlier).toMatchObject(rejection('otp_expired', 403))
    expect((await client.verifyOtp({ type: 'sms', phone, token: later })).error).toBeNull()
  })

  it('five wrong codes invalidate the correct one', async () => {
    const client = server.client()
    const phone = newPhone()
    await client.signInWithOtp({ phone })
    const token = await server.codeTo(phone)
    const wrong = String((Number(token) + 1) % 1_000_000).padStart(6, '0')

    for (let n = 0; n < 5; n += 1) await client.verifyOtp({ type: 'sms', phone, token: wrong })
    const answer = await client.verifyOtp({ type: 'sms', phone, token })

    expect(answer).toMatchObject(rejection('otp_expired', 403))
  })

  it('no user is created without consent, and a known number is not distinguishable from an invalid one', async () => {
    const client = server.client()
    const options = { shouldCreateUser: false }

    const unknown = await client.signInWithOtp({ phone: newPhone(), options })
    const malformed = await client.signInWithOtp({ phone: 'no number', options })
    const toSignUp = await client.signInWithOtp({ phone: 'no number' })

    expect(unknown).toMatchObject(rejection('otp_disabled', 422))
    expect(malformed).toMatchObject(rejection('otp_disabled', 422))
    expect(toSignUp).toMatchObject(rejection('validation_failed', 400))
  })

  it('too many requests are rejected', async () => {
    const client = patient.client()
    const phone = newPhone()
    await client.signInWithOtp({ phone })

    const answers = [
      await client.signInWithOtp({ phone }),
      await client.resend({ type: 'sms', phone }),
      await client.signUp({ phone, password }),
    ]

    for (const answer of answers) {
      expect(answer).toMatchObject(rejection('over_sms_send_rate_limit', 429))
    }
  })
})
