import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import type { Answer } from '../../../test/support/test-auth.ts'
import { codeAttemptsKey } from '../../accounts/one-time-tokens/count-code-attempt.sql.ts'

// Rule 8, T08: the number of attempts at a code.

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth()
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `attempts-${++made}@example.test`
const newPhone = () => `49159${String(++made).padStart(8, '0')}`
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

const another = (code: string, by = 1) =>
  String((Number(code) + by) % 10 ** code.length).padStart(code.length, '0')

async function requested(email = newEmail()) {
  await auth.post('/otp', { email })
  const message = await auth.messageTo(email)
  const enter = (token: string) => auth.post('/verify', { type: 'email', token, email })
  return { email, message, enter }
}

/** Returns the number of used attempts of a token. */
const attemptsFor = async (sentTo: string) => {
  const [row] = await auth.rows<{ tries: number }>(
    `select (5 - b.tokens)::int as tries from auth.one_time_tokens t
     join auth.rate_limit_buckets b on b.key = 'code-tries:' || t.id where t.sent_to = $1`,
    [sentTo],
  )
  return row?.tries
}

/** The response without the values that differ in each request. */
const whole = ({ status, text, headers }: Answer) => {
  const { 'x-request-id': _, date: __, ...rest } = Object.fromEntries(headers)
  return JSON.stringify([status, text.replace(/"request_id":"[^"]*"/, ''), rest])
}

describe('a wrong code', () => {
  it('writes as many buckets where no code waits, so that its time does not reveal an account', async () => {
    const { email } = await requested()
    const bucketsOf = async (address: string) => {
      const count = async () => {
        const [row] = await auth.rows<{ count: number }>(
          'select count(*)::int as count from auth.rate_limit_buckets',
        )
        return row?.count ?? 0
      }
      const before = await count()
      await auth.post('/verify', { type: 'email', token: '000000', email: address })
      return (await count()) - before
    }

    const [known, unknown] = [await bucketsOf(email), await bucketsOf(newEmail())]

    expect(known).toBeGreaterThan(1)
    expect(unknown).toBe(known)
  })
})

describe('wrong codes', () => {
  it('revoke the code at the fifth, not before', async () => {
    const [four, five] = [await requested(), await requested()]
    for (let by = 1; by <= 4; by++) await four.enter(another(four.message.code, by))
    for (let by = 1; by <= 5; by++) await five.enter(another(five.message.code, by))

    const answers = [await four.enter(four.message.code), await five.enter(five.message.code)]

    expect(answers.map(({ status }) => status)).toEqual([200, 403])
  })

  it('do not affect the link', async () => {
    const { message, enter } = await requested()
    for (let by = 1; by <= 9; by++) await enter(another(message.code, by))

    const { fragment } = await auth.follow(message)

    expect(fragment.has('access_token')).toBe(true)
  })

  it('get the same response as used, expired and unknown codes', async () => {
    const { message, enter } = await requested()
    const wrong = await enter(another(message.code))
    for (let by = 2; by <= 5; by++) await enter(another(message.code, by))
    const spent = await enter(message.code)
    const used = await requested()
    await used.enter(used.message.code)
    const again = await used.enter(used.message.code)
    const late = await requested()
    auth.clock.advance(86_401)
    const expired = await late.enter(late.message.code)
    const ofUnknown = await auth.post('/verify', {
      type: 'email',
      token: '123456',
      email: newEmail(),
    })

    const all = [wrong, spent, again, expired, ofUnknown].map(whole)
    expect(new Set(all).size).toBe(1)
  })

  it('no longer count after the next message', async () => {
    const { email, message, enter } = await requested()
    for (let by = 1; by <= 5; by++) await enter(another(message.code, by))

    const { message: next } = await requested(email)

    expect((await enter(next.code)).status).toBe(200)
  })

  it('do not extend the lifetime of a code', async () => {
    const { email, message, enter } = await requested()
    const expiry = () =>
      auth.rows('select expires_at from auth.one_time_tokens where sent_to = $1', [email])
    const before = await expiry()
    auth.clock.advance(60)

    await enter(another(message.code))

    expect(await expiry()).toEqual(before)
  })

  it('H12: write no row of the user or the token, which would take the time of the disk', async () => {
    const { email, message, enter } = await requested()
    const versions = () =>
      auth.rows(
        `select u.xmin::text as user, t.xmin::text as token, t.xmax::text as lock
         from auth.users u join auth.one_time_tokens t on t.user_id = u.id where u.email = $1`,
        [email],
      )
    const before = await versions()

    await enter(another(message.code))

    expect(await versions()).toEqual(before)
  })

  it('are counted before they are compared: of 200 concurrent ones five count', async () => {
    const { email, message, enter } = await requested()

    const answers = await Promise.all(times(200, (by) => enter(another(message.code, by + 1))))

    expect(answers.filter(({ status }) => status !== 403)).toEqual([])
    expect(await attemptsFor(email)).toBe(5)
    expect((await enter(message.code)).status).toBe(403)
  })

  it('never permit the right one after five, also concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const { message, enter } = await requested()
      const guesses = times(40, (index) => another(message.code, index - 20))

      const answers = await Promise.all(guesses.map(enter))

      const attempts = answers.filter(({ status }) => status === 200)
      expect(attempts.length).toBeLessThanOrEqual(1)
      expect((await enter(message.code)).status).toBe(403)
    }
  })
})

describe('the attempts for one address', () => {
  it('is thirty codes over all messages, and thirty more in an hour', async () => {
    const email = newEmail()
    for (let round = 0; round < 6; round++) {
      const { message, enter } = await requested(email)
      for (let by = 1; by <= 5; by++) await enter(another(message.code, by))
    }

    const { message, enter } = await requested(email)
    const refused = await enter(message.code)
    auth.clock.advance(120)
    const accepted = await enter(message.code)

    expect([refused.status, accepted.status]).toEqual([403, 200])
  })

  it('do not affect links', async () => {
    const email = newEmail()
    for (let index = 0; index < 31; index++) {
      await auth.post('/verify', { type: 'email', token: '000000', email })
    }
    const { message } = await requested(email)

    expect((await auth.follow(message)).fragment.has('access_token')).toBe(true)
  })

  it('applies to phones as well', async () => {
    const phone = newPhone()
    const enter = (token: string) => auth.post('/verify', { type: 'sms', token, phone })
    await auth.post('/otp', { phone })
    const { code } = await auth.messageTo(phone)
    for (let by = 1; by <= 5; by++) await enter(another(code, by))

    expect((await enter(code)).status).toBe(403)
  })
})

describe('H08: wrong codes of other clients', () => {
  const ada = { ip: '203.0.113.10' }
  const eve = { ip: '198.51.100.66' }
  const otherClients = (count: number, send: (from: { ip: string }) => Promise<unknown>) =>
    Promise.all(Array.from({ length: count }, (_, index) => send({ ip: `198.51.100.${index}` })))

  it.each([
    ['email', newEmail, 'email'],
    ['phone', newPhone, 'sms'],
  ])('leave the owner of an %s the attempts of the requester', async (kind, newAddress, type) => {
    const address = { [kind]: newAddress() }
    await auth.post('/otp', address, ada)
    const { code } = await auth.messageTo(Object.values(address)[0] ?? '')
    const wrong = code === '000000' ? '000001' : '000000'
    await otherClients(60, (from) => auth.post('/verify', { type, ...address, token: wrong }, from))

    const attacker = await auth.post('/verify', { type, ...address, token: code }, eve)
    const owner = await auth.post('/verify', { type, ...address, token: code }, ada)

    expect([attacker.status, owner.status]).toEqual([403, 200])
  })

  it('and their requests for codes keep the code that the owner requested valid', async () => {
    const { email } = await auth.given.user(newEmail())
    await auth.post('/otp', { email }, ada)
    const { code } = await auth.messageTo(email ?? '')
    await auth.post('/otp', { email }, eve)
    await auth.post('/recover', { email }, { ip: '198.51.100.67' })

    const { status } = await auth.post('/verify', { type: 'email', email, token: code }, ada)

    expect(status).toBe(200)
  })

  it('are bounded over all networks and codes, also without a sent code', async () => {
    const [requested, silent] = [newEmail(), newEmail()]
    await auth.post('/otp', { email: requested }, ada)
    const counts = async (email: string) => {
      const send = (from: { ip: string }) =>
        auth.post('/verify', { type: 'email', email, token: '000000' }, from)
      await otherClients(40, send)
      const rows = await auth.rows<{ tokens: number }>(
        'select round(min(tokens))::int as tokens from auth.rate_limit_buckets where key = $1',
        [codeAttemptsKey('authenticated', email)],
      )
      return rows[0]?.tokens
    }

    expect([await counts(requested), await counts(silent)]).toEqual([0, 0])
    const [tries] = await auth.rows(
      `select b.tokens from auth.one_time_tokens t
       join auth.rate_limit_buckets b on b.key = 'code-tries:' || t.id || ':others'
       where t.sent_to = $1`,
      [requested],
    )
    expect(tries).toEqual({ tokens: 0 })
  })

  it('do not affect the nonce of a session', async () => {
    const { user, accessToken: token } = await auth.given.session(newEmail())
    const email = user.email ?? ''
    await auth.request('GET', '/reauthenticate', { token, ...ada })
    const { code } = await auth.messageTo(email)
    await otherClients(60, (from) =>
      auth.post('/verify', { type: 'email', email, token: '000000' }, from),
    )

    const tries = await auth.rows(
      `select b.key from auth.one_time_tokens t
       join auth.rate_limit_buckets b on b.key like 'code-tries:' || t.id || '%' where t.sent_to = $1`,
      [email],
    )
    expect(code).toMatch(/^\d{6}$/)
    expect(tries).toEqual([])
  })
})
