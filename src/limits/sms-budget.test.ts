import { afterEach, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../test/support/messages.ts'
import { secondFactors } from '../../test/support/second-factors.ts'
import type { Answer } from '../../test/support/test-auth.ts'
import type { AuthConfig } from '../platform/config/config.ts'

// Every SMS is counted, whatever its purpose.

let auth: MessagingAuth
afterEach(() => auth.close())

const off = { tokenRefresh: 'off', otp: 'off', verify: 'off', challengeAndVerify: 'off' } as const

async function start(smsSent: number, config: AuthConfig) {
  auth = await startMessagingAuth({ rateLimits: { ...off, smsSent }, ...config })
}

let made = 0
const newPhone = () => `49160${String(++made).padStart(8, '0')}`
const attacker = '203.0.113.66'
const bystander = '198.51.100.9'

const statuses = (answers: Answer[]) => answers.map(({ status }) => status)
const count = (answers: Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length

async function times(number: number, ask: (index: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let index = 0; index < number; index += 1) answers.push(await ask(index))
  return answers
}

describe('H24: the SMS of an hour', () => {
  const phones = { mfa: { phone: { enrollEnabled: true, verifyEnabled: true } } }

  /** Requests a code to a phone as a user with an own account. */
  async function challenge(ip: string, status = 'unverified'): Promise<Answer> {
    const { accessToken: token } = await auth.given.session()
    const phone = `+${newPhone()}`
    const { body } = await secondFactors(auth).enroll(token, { factor_type: 'phone', phone })
    await auth.rows('update auth.factors set status = $2 where id = $1', [body.id, status])
    return auth.post(`/factors/${body.id}/challenge`, {}, { token, ip })
  }

  it('limit the codes of second factors, whatever number of accounts requests them', async () => {
    await start(5, phones)
    const answers = await times(40, (index) => challenge(`203.0.${index}.7`, 'verified'))
    const otp = await auth.post('/otp', { phone: newPhone() }, { ip: bystander })

    expect([count(answers, 200), count(answers, 429)]).toEqual([5, 35])
    expect(answers.at(-1)?.body).toMatchObject({
      error_code: 'over_sms_send_rate_limit',
      msg: 'SMS rate limit exceeded',
    })
    expect(otp.status).toBe(429)
  })

  it('S127: are not used up by one client, and reserve a fifth for verified second factors', async () => {
    await start(30, phones)

    const one = await times(12, () => challenge(attacker))
    const flood = await times(20, (index) =>
      auth.post('/otp', { phone: newPhone() }, { ip: `203.0.${index}.7` }),
    )
    // Any new account can enroll a number.
    const enrolled = await times(2, (index) => challenge(`198.51.${index}.7`))
    const later = await times(2, (index) => challenge(`198.50.${index}.7`, 'verified'))

    expect([count(one, 200), count(flood, 200)]).toEqual([10, 14])
    expect([statuses(enrolled), statuses(later)]).toEqual([
      [429, 429],
      [200, 200],
    ])
  })

  it('are counted where phones confirm themselves, too', async () => {
    await start(5, { ...phones, sms: { autoconfirm: true, maxFrequencySeconds: 0 } })
    const requested = await times(8, (index) =>
      auth.post('/otp', { phone: newPhone() }, { ip: `203.0.${index}.7` }),
    )

    const codes = await times(2, () => challenge(bystander, 'verified'))

    expect([count(requested, 200), statuses(codes)]).toEqual([4, [200, 429]])
  })

  it('are counted for every request that sends one', async () => {
    await start(30, { ...phones, email: { autoconfirm: true } })
    const ip = attacker
    const { user, accessToken: token } = await auth.given.session()
    const owner = await auth.auth.admin.createUser({ phone: newPhone(), phoneConfirm: true })
    const signedIn = await auth.post('/otp', { phone: owner.phone }, { ip: bystander })
    const { code } = await auth.messageTo(owner.phone ?? '')
    const { body } = await auth.post('/verify', { type: 'sms', phone: owner.phone, token: code })
    const left = async () => {
      const [row] = await auth.rows<{ tokens: number }>(
        "select tokens from auth.rate_limit_buckets where key like 'send-budget:sms:%'",
      )
      return Math.round(row?.tokens ?? 0)
    }
    const ways: (() => Promise<Answer>)[] = [
      () => auth.put('/user', { phone: newPhone() }, { ip, token }),
      () => auth.post('/resend', { type: 'phone_change', email: user.email }, { ip }),
      () => auth.get('/reauthenticate', { ip, token: body.access_token }),
      () => auth.post('/signup', { phone: newPhone(), password: 'correct horse' }, { ip }),
      () => auth.post('/resend', { type: 'sms', phone: newPhone() }, { ip }),
      () => challenge(ip),
    ]

    const costs: [number, number][] = []
    for (const ask of ways) {
      const before = await left()
      const { status } = await ask()
      costs.push([status, before - (await left())])
    }

    expect(signedIn.status).toBe(200)
    // A repeated request for a number without an account sends nothing.
    expect(costs).toEqual([1, 1, 1, 1, 0, 1].map((cost) => [200, cost]))
  })
})
