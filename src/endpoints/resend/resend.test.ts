import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { type Answer, testPassword } from '../../../test/support/test-auth.ts'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth()
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `resend-${++made}@example.test`
const newPhone = () => `49156${String(++made).padStart(8, '0')}`

const resend = (body: object, from?: { ip?: string }) => auth.post('/resend', body, from)
const statusAndCode = ({ status, body }: Answer) => [status, body.error_code, body.msg]
const verify = (body: object) => auth.post('/verify', body)

/** Creates a signed-in user who requested another email or phone. */
async function waitingFor(
  change: { email: string } | { phone: string },
  from: { ip?: string } = {},
) {
  const { user, accessToken: token } = await auth.given.session(newEmail())
  await auth.put('/user', change, { ...from, token })
  return { email: user.email ?? '', id: user.id, token }
}

describe('POST /resend', () => {
  it('sends the confirmation of a sign-up again, and revokes the first one', async () => {
    const email = newEmail()
    await auth.post('/signup', { email, password: testPassword })
    const first = await auth.messageTo(email)

    const { status, body } = await resend({ type: 'signup', email })

    const [stored] = await auth.rows('select id from auth.outbox_messages where id = $1', [
      body.message_id,
    ])
    const second = await auth.messageTo(email)
    expect([status, stored]).toEqual([200, { id: body.message_id }])
    expect(second).toMatchObject({ type: 'signup' })
    expect(await statusesOf(first, second)).toEqual(['otp_expired', undefined])
  })

  it('keeps the first one valid when another client requests it, also after an unidentified client', async () => {
    const email = newEmail()
    await auth.post('/signup', { email, password: testPassword }, { ip: '127.0.0.1' })
    const first = await auth.messageTo(email)

    await resend({ type: 'signup', email }, { ip: '198.51.100.66' })

    const { fragment } = await auth.follow(first)
    expect((await auth.messagesTo(email)).length).toBe(2)
    expect(fragment.has('access_token')).toBe(true)
  })

  it('sends the SMS of a sign-up again', async () => {
    const phone = newPhone()
    await auth.post('/signup', { phone, password: testPassword })
    const first = await auth.messageTo(phone)

    await resend({ type: 'sms', phone })

    const second = await auth.messageTo(phone)
    const answers = [
      await verify({ type: 'sms', token: first.code, phone }),
      await verify({ type: 'sms', token: second.code, phone }),
    ]
    expect(first.code === second.code || answers[0]?.status === 403).toBe(true)
    expect(answers[1]?.status).toBe(200)
  })

  it.each(['current', 'new'])(
    'H14: keeps the confirmation of a change of email by the %s address, after any client’s request',
    async (which) => {
      const wanted = newEmail()
      const { email } = await waitingFor({ email: wanted })
      const [first, second] = which === 'current' ? [email, wanted] : [wanted, email]
      const [seen, links] = [await auth.messageTo(first), await auth.messageTo(second)]
      await auth.follow(seen)

      await resend({ type: 'email_change', email }, { ip: '198.51.100.66' })

      expect(await auth.messagesTo(first)).toHaveLength(1)
      expect(await auth.messagesTo(second)).toHaveLength(2)
      const complete = await auth.follow(links)
      expect(complete.fragment.get('type')).toBe('email_change')
    },
  )

  it('H14: never counts one address twice for a change of email, however often it was sent', async () => {
    const wanted = newEmail()
    const { email, id } = await waitingFor({ email: wanted })
    await resend({ type: 'email_change', email }, { ip: '198.51.100.66' })
    const current = await auth.messagesTo(email)

    for (const message of current) await auth.follow(message)

    const [user] = await auth.rows('select email from auth.users where id = $1', [id])
    expect([current.length, user]).toEqual([2, { email }])
  })

  it.each(['email', 'phone'])('finds a change of phone by the current %s', async (kind) => {
    const wanted = newPhone()
    const { email, id } = await waitingFor({ phone: wanted })
    const phone = newPhone()
    await auth.rows('update auth.users set phone = $2, phone_confirmed_at = now() where id = $1', [
      id,
      phone,
    ])

    await resend({ type: 'phone_change', ...(kind === 'email' ? { email } : { phone }) })

    const { code } = await auth.messageTo(wanted)
    const answer = await verify({ type: 'phone_change', token: code, phone: wanted })
    expect(await auth.messagesTo(wanted)).toHaveLength(2)
    expect(answer.body.user.phone).toBe(wanted)
  })

  it.each([
    ['the client of the requester', {}],
    ['clients that cannot be distinguished', { ip: '127.0.0.1' }],
  ])(
    'N18: keeps the messages of the signed-in requester valid; resent by %s',
    async (_case, from) => {
      const [email, phone] = [newEmail(), newPhone()]
      const byEmail = await waitingFor({ email }, from)
      const byPhone = await waitingFor({ phone }, from)
      const links = [await auth.messageTo(byEmail.email), await auth.messageTo(email)]
      const { code } = await auth.messageTo(phone)

      await resend({ type: 'email_change', email: byEmail.email }, from)
      await resend({ type: 'phone_change', email: byPhone.email }, from)
      const verified = await auth.post(
        '/verify',
        { type: 'phone_change', token: code, phone },
        from,
      )
      auth.clock.advance(120)
      await resend({ type: 'email_change', email: byEmail.email }, from)
      const sent = [await auth.messagesTo(email), await auth.messagesTo(phone)]
      for (const link of links) await auth.follow(link)

      const [user] = await auth.rows('select email from auth.users where id = $1', [byEmail.id])
      expect(sent.map(({ length }) => length)).toEqual([3, 2])
      expect([user, verified.body.user?.phone]).toEqual([{ email }, phone])
    },
  )

  it('N18: revokes a resent message once the requester requests another change', async () => {
    const { email, token } = await waitingFor({ email: newEmail() })
    await resend({ type: 'email_change', email })
    const resent = await auth.messageTo(email)

    await auth.put('/user', { email: newEmail() }, { token })

    expect(await statusesOf(resent)).toEqual(['otp_expired'])
  })

  it.each([
    ['the address is unknown', () => ({ type: 'signup', email: newEmail() })],
    ['the phone is unknown', () => ({ type: 'sms', phone: newPhone() })],
    [
      'the address is confirmed',
      async () => ({ type: 'signup', email: (await auth.given.user(newEmail())).email }),
    ],
    [
      'no change waits',
      async () => ({ type: 'email_change', email: (await auth.given.user(newEmail())).email }),
    ],
    [
      'no phone waits',
      async () => ({ type: 'phone_change', email: (await auth.given.user(newEmail())).email }),
    ],
  ])('sends nothing where %s, with the same response', async (_case, make) => {
    const request: Record<string, unknown> = await make()
    const before = await auth.rows('select id from auth.outbox_messages')

    const answer = await resend(request)

    expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['message_id']])
    expect(answer.body.message_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/)
    expect(await auth.rows('select id from auth.outbox_messages')).toHaveLength(before.length)
  })

  it.each([{ email: 'wanted@example.test' }, { phone: '4915699999999' }])(
    'T41: does not revive a change to %j that a new password has cancelled',
    async (change) => {
      const { email, token } = await waitingFor(change)
      await auth.put('/user', { password: 'a brand new password' }, { token })
      const [wanted = ''] = Object.values(change)
      const before = await auth.messagesTo(wanted)

      await resend({ type: 'email' in change ? 'email_change' : 'phone_change', email })

      expect(await auth.messagesTo(wanted)).toHaveLength(before.length)
    },
  )

  it('T06: sends nothing for a change that is replaced during the request', async () => {
    const [first, second] = [newEmail(), newEmail()]
    const { email, token } = await waitingFor({ email: first })
    const deps = await auth.deps()
    const { database } = deps
    const query: typeof database.sql.query = async (statement, values) => {
      if (statement.name === 'store_request') {
        deps.database = database
        await auth.put('/user', { email: second }, { token })
      }
      return database.sql.query(statement, values)
    }
    deps.database = { ...database, sql: { ...database.sql, query } }

    await resend({ type: 'email_change', email })

    expect(await auth.messagesTo(first)).toHaveLength(1)
    const halfway = await auth.follow(await auth.messageTo(email))
    const complete = await auth.follow(await auth.messageTo(second))
    expect(halfway.fragment.get('message')).toContain('other email')
    expect(complete.fragment.has('access_token')).toBe(true)
  })

  it('is recorded, whether or not the address is known', async () => {
    const email = newEmail()
    await auth.post('/signup', { email, password: testPassword })
    const count = async () =>
      (await auth.rows('select id from auth.audit_entries where action = 4')).length
    const before = await count()

    await resend({ type: 'signup', email })
    await resend({ type: 'signup', email: newEmail() })

    expect((await count()) - before).toBe(2)
  })

  const failed = (msg: string) => [400, 'validation_failed', msg]
  const types = 'type: Missing one of these types: signup, email_change, sms, phone_change'
  it.each<[object, unknown[]]>([
    [{}, failed(types)],
    [{ type: 'recovery', email: 'a@b.test' }, failed(types)],
    [{ type: 'signup' }, failed('email: Type provided requires an email address')],
    [{ type: 'sms' }, failed('phone: Type provided requires a phone number')],
    [
      { type: 'email_change', email: 'a@b.test', phone: '+15550001' },
      failed('Only an email address or phone number should be provided.'),
    ],
    [{ type: 'phone_change' }, failed('email: Missing email address or phone number')],
    [
      { type: 'signup', email: 'no address' },
      failed('email: Unable to validate email address: invalid format'),
    ],
    [
      { type: 'signup', email: 'a@b.test', code_challenge_method: 's256' },
      failed('code_challenge: PKCE flow requires code_challenge_method and code_challenge'),
    ],
  ])('rejects %j', async (body, answer) => {
    expect(statusAndCode(await resend(body))).toEqual(answer)
  })
})

const statusesOf = async (...messages: Awaited<ReturnType<MessagingAuth['messageTo']>>[]) => {
  const codes: unknown[] = []
  for (const { hash, type } of messages) {
    codes.push((await verify({ type, token_hash: hash })).body.error_code)
  }
  return codes
}
