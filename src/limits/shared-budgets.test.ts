import { afterAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../test/support/messages.ts'
import type { Answer } from '../../test/support/test-auth.ts'
import type { AuthConfig } from '../platform/config/config.ts'

// The budget of messages that all clients share.

/** The services, one for each configuration, with full budgets. */
const started = new Map<string, MessagingAuth>()
let auth: MessagingAuth
afterAll(() => Promise.all([...started.values()].map((one) => one.close())))

const off = { tokenRefresh: 'off', otp: 'off', verify: 'off', challengeAndVerify: 'off' } as const

async function start(rateLimits: AuthConfig['rateLimits'] = {}, config: AuthConfig = {}) {
  const key = JSON.stringify([rateLimits, config])
  auth =
    started.get(key) ??
    (await startMessagingAuth({ rateLimits: { ...off, ...rateLimits }, ...config }))
  started.set(key, auth)
  auth.clock.advance(3600)
  auth.log.length = 0
}

let made = 0
const newEmail = () => `shared-${++made}@example.test`
const attacker = '203.0.113.66'
const bystander = '198.51.100.9'

const recover = (ip: string, email = newEmail()) => auth.post('/recover', { email }, { ip })
/** Requests a mail that is sent: to a new address. */
const send = (ip: string, email = newEmail()) => auth.post('/otp', { email }, { ip })
const statuses = (answers: Answer[]) => answers.map(({ status }) => status)
const count = (answers: Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length

async function times(number: number, ask: (index: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let index = 0; index < number; index += 1) answers.push(await ask(index))
  return answers
}

async function invite() {
  const token = await auth.given.serviceToken()
  return auth.post('/invite', { email: newEmail() }, { token, ip: attacker })
}

const budgetLeft = async () => {
  const [row] = await auth.rows<{ tokens: number }>(
    "select tokens from auth.rate_limit_buckets where key like 'send-budget:email:%'",
  )
  return Math.round(row?.tokens ?? 30)
}

const warnings = () =>
  auth.log.filter(({ level, message }) => level === 'warn' && message.includes('budget'))

describe('H23: the mails of an hour', () => {
  it('are not used up by one client that requests unknown addresses', async () => {
    await start()

    const flood = await times(30, () => recover(attacker))
    const others = [await recover(bystander), await invite()]

    expect([count(flood, 200), count(flood, 429)]).toEqual([10, 20])
    expect(flood.at(-1)?.body).toMatchObject({
      error_code: 'over_email_send_rate_limit',
      msg: 'email rate limit exceeded',
    })
    expect(flood.at(-1)?.headers.get('retry-after')).toBe('360')
    expect(statuses(others)).toEqual([200, 200])
  })

  it('are divided among clients however many of one ask at once', async () => {
    await start()
    await recover(bystander)

    const flood = await Promise.all(Array.from({ length: 40 }, () => recover(attacker)))

    expect(count(flood, 200)).toBe(10)
    expect((await recover(bystander)).status).toBe(200)
  })

  it('are not used up by many clients that all request one address at once', async () => {
    await start({}, { email: { autoconfirm: false } })
    await send(bystander)
    auth.clock.advance(3600)
    const email = newEmail()
    const flood = await Promise.all(
      Array.from({ length: 40 }, (_, index) => send(`203.0.${index}.7`, email)),
    )

    const others = await times(21, (index) => send(`198.50.${index}.7`))

    expect([count(flood, 200), count(flood, 429)]).toEqual([4, 36])
    expect([count(others, 200), statuses(others).at(-1)]).toEqual([20, 429])
  })

  it('are spent without a fault by many clients that begin at once', async () => {
    await start({ emailSent: 36 })
    const ask = (client: number) => send(`203.0.${client}.7`)

    const answers = await Promise.all(Array.from({ length: 80 }, (_, index) => ask(index % 5)))

    expect(count(answers, 200) + count(answers, 429)).toBe(80)
    // An unused budget has no row to lock. The excess of a race is not sent.
    expect(count(answers, 200)).toBeLessThanOrEqual(29)
    expect(count(answers, 200)).toBeGreaterThan(20)
  })

  it('are divided in the same way for known addresses, for all mails, and by network', async () => {
    await start()
    const { user, accessToken: token } = await auth.given.session()
    const ip = '2001:db8:1:2::7'
    const ways: ((index: number) => Promise<Answer>)[] = [
      () => recover(ip, user.email ?? ''),
      () => auth.post('/otp', { email: newEmail() }, { ip: '2001:db8:1:2:ffff::1' }),
      () => auth.post('/magiclink', { email: newEmail() }, { ip }),
      () => auth.post('/signup', { email: newEmail(), password: 'correct horse' }, { ip }),
      () => auth.post('/resend', { type: 'signup', email: newEmail() }, { ip }),
      () => auth.put('/user', { email: newEmail() }, { ip, token }),
      () => auth.get('/reauthenticate', { ip, token }),
      ...Array.from({ length: 3 }, () => () => recover(ip)),
    ]
    const answers = await times(ways.length, (index) => ways[index]?.(index) ?? recover(ip))

    const refused = [
      await recover(ip, (await auth.given.user()).email ?? ''),
      await recover(ip),
      await auth.post('/otp', { email: newEmail() }, { ip }),
    ]

    expect(count(answers, 200)).toBe(10)
    expect(statuses(refused)).toEqual([429, 429, 429])
    expect(refused[0]?.headers.get('retry-after')).toBe(refused[1]?.headers.get('retry-after'))
    expect((await recover(bystander)).status).toBe(200)
  })

  it('reserve a fifth for the mails of operators, whatever clients request', async () => {
    await start()
    const flood = await times(40, (index) => send(`203.0.${index}.7`))

    const invited = await times(8, invite)
    const after = await send(bystander)

    expect([count(flood, 200), count(flood, 429)]).toEqual([24, 16])
    expect(statuses(invited)).toEqual([200, 200, 200, 200, 200, 200, 429, 429])
    expect(after.status).toBe(429)
  })

  it('reserve it as well where clients cannot be distinguished', async () => {
    await start()
    const flood = await times(30, () => send('10.0.0.1'))

    expect(count(flood, 200)).toBe(24)
    expect((await invite()).status).toBe(200)
    expect(warnings()[0]?.fields).toMatchObject({ clients: [{ client: null, sent: 24 }] })
  })

  it('are divided among clients whose address a host supplies in its calls', async () => {
    await start()
    const ask = (ip?: string) =>
      auth.auth.api.resetPasswordForEmail({ email: newEmail() }, { ip }).catch(({ code }) => code)

    const results: unknown[] = []
    for (let index = 0; index < 11; index += 1) results.push(await ask(attacker))

    expect(results).toEqual([...Array(10).fill(undefined), 'over_email_send_rate_limit'])
    expect([await ask(bystander), await ask('10.0.0.1'), await ask()]).toEqual(Array(3))
  })

  it('S17: are not used up by requests from one /56 for addresses that no user has', async () => {
    await start()
    const { email: known } = await auth.given.user(newEmail())
    const flood = await times(30, (index) => recover(`2001:db8:bad:${1 + (index % 3)}::1`))
    const left = await budgetLeft()
    const others = await times(5, (index) =>
      auth.post(
        '/signup',
        { email: newEmail(), password: 'correct horse' },
        { ip: `198.50.${index}.7` },
      ),
    )
    const recovered = await recover(bystander, known ?? '')

    // A /56 has a part of its own, between that of a client and that of a /48.
    expect([count(flood, 200), count(flood, 429)]).toEqual([12, 18])
    expect(left).toBe(30)
    expect(statuses([...others, recovered])).toEqual(Array(6).fill(200))
    expect((await auth.messageTo(known ?? '')).type).toBe('recovery')
  })

  it('S17: are reserved in part for the neighbours of a network, on each level', async () => {
    await start()
    const from = (subnet: string) => times(12, () => send(`2001:db8:1:${subnet}::1`))

    const allowed: number[] = []
    for (const subnet of ['101', '102', '201', '301']) allowed.push(count(await from(subnet), 200))
    const inIpv4 = await times(20, (index) => send(`203.0.113.${index % 2}`))

    expect(allowed).toEqual([10, 2, 3, 0])
    // A fifth is reserved for clients that have taken nothing yet.
    expect(count(inIpv4, 200)).toBe(3)
    expect((await send(bystander)).status).toBe(200)
    expect((await send('203.0.113.3')).status).toBe(429)
  })

  it.each<[string, (email: string) => Promise<Answer>]>([
    ['recover', (email) => recover(attacker, email)],
    ['resend', (email) => auth.post('/resend', { type: 'signup', email }, { ip: attacker })],
    ['otp', (email) => auth.post('/otp', { email, create_user: false }, { ip: attacker })],
    [
      'signup',
      (email) => auth.post('/signup', { email, password: 'correct horse' }, { ip: attacker }),
    ],
  ])(
    'S17: are spent by /%s where a mail leaves, and the share of a client in any case',
    async (path, ask) => {
      await start({}, { email: { autoconfirm: false } })
      const known = newEmail()
      const isSignUp = path === 'signup'
      if (path === 'resend') await auth.post('/signup', { email: known, password: 'correct horse' })
      else if (!isSignUp) await auth.given.user(known)
      const confirmed = (await auth.given.user(newEmail())).email ?? ''
      const [leaves, stays] = [known, isSignUp ? confirmed : newEmail()]
      auth.clock.advance(3600)

      const costs: number[] = []
      for (const email of [leaves, stays]) {
        await ask(email)
        costs.push(30 - (await budgetLeft()))
        auth.clock.advance(3600)
      }
      const flood = await times(12, (index) => ask(index === 0 ? stays : newEmail()))

      expect(costs).toEqual([1, 0])
      expect(count(flood, 429)).toBe(2)
    },
  )

  it('S17: are counted with requests, which have a larger budget', async () => {
    await start({ emailSent: 4 })

    const answers = await times(60, (index) => recover(`198.18.${index}.7`))

    expect([count(answers, 200), statuses(answers).at(-1)]).toEqual([40, 429])
    expect(await budgetLeft()).toBe(4)
  })

  it('refill evenly, for the client and for all', async () => {
    await start()
    await times(12, () => recover(attacker))

    auth.clock.advance(360)
    const answers = await times(2, () => recover(attacker))

    expect(statuses(answers)).toEqual([200, 429])
  })

  it('are full after a change of the limit, whose reserve may be larger than the rest', async () => {
    await start({ emailSent: 30 })
    await times(3, () => send(bystander))
    const raised = await auth.beside({ rateLimits: { ...off, emailSent: 1000 } })
    const body = { email: newEmail() }
    const { status } = await raised.request('POST', '/otp', { body, ip: bystander })
    await raised.close()

    expect(status).toBe(200)
  })

  it('are not spent by a rejected request, which may be repeated', async () => {
    await start()
    await times(10, () => recover(attacker))
    const email = newEmail()
    await recover(attacker, email)

    expect((await recover(bystander, email)).status).toBe(200)
  })

  it('cause a warning when four fifths are used, with the clients that used them, once an hour', async () => {
    await start()
    await times(10, () => send(attacker))
    await times(13, (index) => send(`198.50.${index}.7`))
    const early = warnings().length
    await times(4, (index) => send(`198.50.${100 + index}.7`))
    await invite()

    const [warning, ...more] = warnings()
    expect([early, more]).toEqual([0, []])
    expect(warning?.fields).toMatchObject({
      setting: 'rateLimits.emailSent',
      sent: 24,
      allowed: 30,
      seconds: 3600,
      clients: [{ client: attacker, sent: 10 }, { sent: 1 }, { sent: 1 }],
    })
    expect(JSON.stringify(warning)).not.toContain('@')
  })

  it('are not divided where there are at most three', async () => {
    await start({ emailSent: 3 })

    expect(statuses(await times(4, () => send(attacker)))).toEqual([200, 200, 200, 429])
  })
})
