import { afterAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../test/support/messages.ts'
import type { Answer } from '../../test/support/test-auth.ts'
import type { AuthConfig } from '../config/auth-config.ts'

// What all clients share: the mails that the service may send.

/** One for each configuration; every budget is full again. */
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

const warnings = () =>
  auth.log.filter(({ level, message }) => level === 'warn' && message.includes('budget'))

describe('H23: the mails of an hour', () => {
  it('are not used up by one client who asks for addresses that nobody has', async () => {
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

  it('are not used up by many clients who all ask for one address at once', async () => {
    await start({}, { email: { autoconfirm: false } })
    await recover(bystander)
    auth.clock.advance(3600)
    const email = newEmail()
    const flood = await Promise.all(
      Array.from({ length: 40 }, (_, index) => recover(`203.0.113.${index}`, email)),
    )

    const others = await times(21, (index) => recover(`198.51.100.${index}`))

    expect([count(flood, 200), count(flood, 429)]).toEqual([4, 36])
    expect([count(others, 200), statuses(others).at(-1)]).toEqual([20, 429])
  })

  it('are spent without a fault by many clients who all begin at once', async () => {
    await start({ emailSent: 36 })
    const ask = (client: number) => recover(`203.0.113.${client}`)

    const answers = await Promise.all(Array.from({ length: 80 }, (_, index) => ask(index % 5)))

    expect(count(answers, 200) + count(answers, 429)).toBe(80)
    // A budget that nobody had spent of has no row to wait for: what a race spends too much is not sent.
    expect(count(answers, 200)).toBeLessThanOrEqual(29)
    expect(count(answers, 200)).toBeGreaterThan(20)
  })

  it('are divided alike for known addresses, for all that sends mail, and by network', async () => {
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

  it('keep a fifth for the mails of operators, whoever asks for the rest', async () => {
    await start()
    const flood = await times(40, (index) => recover(`203.0.113.${index}`))

    const invited = await times(8, invite)
    const after = await recover(bystander)

    expect([count(flood, 200), count(flood, 429)]).toEqual([24, 16])
    expect(statuses(invited)).toEqual([200, 200, 200, 200, 200, 200, 429, 429])
    expect(after.status).toBe(429)
  })

  it('keep it as well where clients cannot be told apart', async () => {
    await start()
    const flood = await times(30, () => recover('10.0.0.1'))

    expect(count(flood, 200)).toBe(24)
    expect((await invite()).status).toBe(200)
    expect(warnings()[0]?.fields).toMatchObject({ clients: [{ client: null, sent: 24 }] })
  })

  it('are divided among clients whose address a host names in its calls', async () => {
    await start()
    const ask = (ip?: string) =>
      auth.auth.api.resetPasswordForEmail({ email: newEmail() }, { ip }).catch(({ code }) => code)

    const said: unknown[] = []
    for (let index = 0; index < 11; index += 1) said.push(await ask(attacker))

    expect(said).toEqual([...Array(10).fill(undefined), 'over_email_send_rate_limit'])
    expect([await ask(bystander), await ask('10.0.0.1'), await ask()]).toEqual(Array(3))
  })

  it('come back evenly, for the client and for all', async () => {
    await start()
    await times(12, () => recover(attacker))

    auth.clock.advance(360)
    const answers = await times(2, () => recover(attacker))

    expect(statuses(answers)).toEqual([200, 429])
  })

  it('cost a refused client nothing: what it asked for may be asked for again', async () => {
    await start()
    await times(10, () => recover(attacker))
    const email = newEmail()
    await recover(attacker, email)

    expect((await recover(bystander, email)).status).toBe(200)
  })

  it('are warned about when four fifths are gone, with who took them, once an hour', async () => {
    await start()
    await times(10, () => recover(attacker))
    await times(13, (index) => recover(`198.51.100.${index}`))
    const early = warnings().length
    await times(4, (index) => recover(`198.51.100.${100 + index}`))
    await invite()

    const [warning, ...more] = warnings()
    expect([early, more]).toEqual([0, []])
    expect(warning?.fields).toMatchObject({
      kind: 'email',
      sent: 24,
      allowed: 30,
      seconds: 3600,
      clients: [{ client: attacker, sent: 10 }, { sent: 1 }, { sent: 1 }],
    })
    expect(JSON.stringify(warning)).not.toContain('@')
  })

  it('are not divided where there are three or fewer', async () => {
    await start({ emailSent: 3 })

    expect(statuses(await times(4, () => recover(attacker)))).toEqual([200, 200, 200, 429])
  })
})
