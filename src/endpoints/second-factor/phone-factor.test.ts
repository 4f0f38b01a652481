import { afterEach, describe, expect, it } from 'vitest'
import { type SecondFactors, secondFactors } from '../../../test/support/second-factors.ts'
import { type Answer, startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { temporaryRejection } from '../../delivery/carriers/carrier.ts'
import type { AuthConfig } from '../../platform/config/config.ts'
import type { SendSmsPayload } from '../../platform/config/sections/hooks.ts'
import type { OutgoingSms } from '../../platform/config/sections/sms.ts'

let auth: TestAuth
let factors: SecondFactors
let texts: OutgoingSms[]
afterEach(() => auth.close())

const enabled = { enrollEnabled: true, verifyEnabled: true }

async function start({ sms, mfa, ...config }: AuthConfig = {}) {
  texts = []
  auth = await startTestAuth({
    sms: { send: (sent) => void texts.push(sent), ...sms },
    mfa: { phone: enabled, ...mfa },
    ...config,
  })
  factors = secondFactors(auth)
}

const statusAndCode = ({ status, body }: Answer) => [status, body.error_code]
const settled = async () => (await auth.deps()).outbox.settled()

/** Creates a user with an unverified phone factor. */
async function begun(phone = '+15005550001') {
  const { user, accessToken: token } = await auth.given.session()
  const { body } = await factors.enroll(token, { factor_type: 'phone', phone })
  const ask = (wish: object = {}) => auth.post(`/factors/${body.id}/challenge`, wish, { token })
  const answer = (challengeId: string, code: string) =>
    factors.answer(token, body.id, challengeId, code)
  return { user, token, id: body.id as string, ask, answer }
}

describe('a challenge to a phone', () => {
  it('sends a code in the background, which raises the session', async () => {
    await start()
    const { ask, answer } = await begun()

    const { body } = await ask()
    await settled()
    const [sent] = texts
    const answered = await answer(body.id, sent?.code ?? '')

    expect(body).toMatchObject({ type: 'phone', expires_at: expect.any(Number) })
    expect(texts).toMatchObject([{ to: '+15005550001', channel: 'sms' }])
    expect(sent?.text).toBe(`Your code is ${sent?.code}`)
    expect(sent?.code).toMatch(/^\d{6}$/)
    const claims = JSON.parse(
      Buffer.from(answered.body.access_token.split('.')[1], 'base64url').toString(),
    )
    expect(claims).toMatchObject({ aal: 'aal2', amr: [{ method: 'mfa/phone' }, {}] })
    expect(answered.body.user.factors).toMatchObject([{ status: 'verified' }])
  })

  it('is sent to a number four times in an interval, for all enrollments and spellings of it', async () => {
    await start()
    const [owner, ...others] = [
      await begun(),
      await begun('15005550001'),
      await begun('+1 500 555 0001'),
      await begun('1500 5550001'),
      await begun(),
    ]
    const first = await owner?.ask()
    await settled()
    await owner?.answer(first?.body.id, texts[0]?.code ?? '')
    const answers: Answer[] = []
    for (const { ask } of others) answers.push(await ask())
    // A message still in delivery when the clock advances would be claimed and sent again.
    await settled()
    auth.clock.advance(14)
    const again = await (await begun()).ask()
    auth.clock.advance(46)
    for (const { ask } of others) await ask()
    const own = await owner?.ask()
    await settled()

    expect(answers.map(statusAndCode)).toEqual([
      [200, undefined],
      [200, undefined],
      [200, undefined],
      [429, 'over_sms_send_rate_limit'],
    ])
    expect([again.status, own?.status]).toEqual([429, 200])
    expect(texts).toHaveLength(9)
  })

  it('is not sent more often where the interval of factors is shorter than that of SMS', async () => {
    await start({ mfa: { phone: { ...enabled, maxFrequencySeconds: 5 } } })
    const statuses: number[] = []
    for (let account = 0; account < 5; account += 1) {
      const { ask } = await begun()
      auth.clock.advance(2)
      statuses.push((await ask()).status)
      await settled()
    }

    expect(statuses).toEqual([200, 200, 200, 200, 429])
  })

  it('has its own length and text', async () => {
    const phone = { ...enabled, otpLength: 8, template: 'Enter {{ .Code }} to go on' }
    await start({ mfa: { phone } })
    const { ask } = await begun()

    await ask()
    await settled()

    expect(texts[0]?.text).toMatch(/^Enter \d{8} to go on$/)
  })

  it('stores no readable code', async () => {
    await start()
    const { ask } = await begun()

    await ask()
    await settled()

    const stored = JSON.stringify([
      await auth.rows('select * from auth.challenges'),
      await auth.rows('select body from auth.outbox_messages'),
    ])
    expect(stored).not.toContain(texts[0]?.code)
  })

  it('accepts only the code of its own message, once', async () => {
    await start({ mfa: { phone: { ...enabled, maxFrequencySeconds: 0.001 } } })
    const { ask, answer } = await begun()
    const first = (await ask()).body.id
    auth.clock.advance(1)
    const second = (await ask()).body.id
    await settled()
    const [one = '', two = ''] = texts.map(({ code }) => code)

    const answers = [
      await answer(second, one),
      await answer(first, `${one}0`),
      await answer(second, two),
      await answer(second, two),
    ]

    const failed = [422, 'mfa_verification_failed']
    expect(answers.map(statusAndCode)).toEqual([failed, failed, [200, undefined], failed])
  })

  it('is accepted once among concurrent requests', async () => {
    await start()
    for (const round of [1, 2, 3, 4, 5]) {
      const { ask, answer } = await begun(`+1500555100${round}`)
      const { body } = await ask()
      await settled()
      const code = texts.at(-1)?.code ?? ''

      const answers = await Promise.all(Array.from({ length: 10 }, () => answer(body.id, code)))

      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    }
  })

  it('T31: does not start for an unverified phone once the user has a factor, unless that is proved', async () => {
    await start()
    const { user, token: evil, id } = await begun()
    // An attacker with the password enrolls a phone, then the owner enrolls an app.
    const credentials = { email: user.email ?? '', password: 'correct horse' }
    const { session: owners } = await auth.auth.api.signInWithPassword(credentials)
    const app = await factors.enrolledApp(owners.accessToken)
    const { body: strong } = await factors.prove(owners.accessToken, app)
    const { session: again } = await auth.auth.api.signInWithPassword(credentials)
    const challenge = (token: string) => auth.post(`/factors/${id}/challenge`, {}, { token })
    const early = await challenge(strong.access_token)
    await settled()
    const code = texts[0]?.code ?? ''

    const answers = [
      await challenge(evil),
      await challenge(again.accessToken),
      await factors.answer(again.accessToken, id, early.body.id, code),
      await factors.answer(strong.access_token, id, early.body.id, code),
    ]

    expect(answers.map(statusAndCode)).toEqual([
      [403, 'session_not_found'],
      [403, 'insufficient_aal'],
      [403, 'insufficient_aal'],
      [200, undefined],
    ])
  })

  it('is sent once a minute to a user, for all phones and concurrent requests', async () => {
    await start()
    const { token, ask } = await begun()
    const other = await factors.enroll(token, {
      factor_type: 'phone',
      phone: '+15005550002',
      friendly_name: 'other',
    })

    const answers = await Promise.all(Array.from({ length: 10 }, () => ask()))
    const elsewhere = await auth.post(`/factors/${other.body.id}/challenge`, {}, { token })
    auth.clock.advance(60)
    const later = await ask()
    await settled()

    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 429),
    ])
    expect(statusAndCode(elsewhere)).toEqual([429, 'over_sms_send_rate_limit'])
    expect(elsewhere.headers.get('retry-after')).toBe('60')
    expect([later.status, texts.length]).toEqual([200, 2])
  })

  it('H24: counts against the budget of the service, and is not stored where that is used up', async () => {
    await start({ rateLimits: { smsSent: 0 } })
    const { ask } = await begun()

    expect(statusAndCode(await ask())).toEqual([429, 'over_sms_send_rate_limit'])
    await settled()
    expect([texts, await auth.rows('select id from auth.challenges')]).toEqual([[], []])
  })

  it.each([
    ['an unknown channel', { channel: 'pigeon' }, 400, 'validation_failed'],
    ['a channel that is no text', { channel: 7 }, 400, 'bad_json'],
  ])('rejects %s', async (_what, wish, status, code) => {
    await start()
    const { ask } = await begun()

    expect(statusAndCode(await ask(wish))).toEqual([status, code])
  })

  it('is rejected where no message can be sent, also for a number with a fixed code', async () => {
    auth = await startTestAuth({
      mfa: { phone: enabled },
      sms: { testOtp: { '15005550001': '123456' } },
    })
    factors = secondFactors(auth)
    const { ask } = await begun()

    expect(statusAndCode(await ask())).toEqual([422, 'sms_send_failed'])
    expect(await auth.rows('select id from auth.challenges')).toEqual([])
  })

  it('is rejected where it is disabled, and so is its verification', async () => {
    await start({ mfa: { phone: { enrollEnabled: true } } })
    const { ask, answer } = await begun()

    const answers = [await ask(), await answer('7f3a3f0c-0000-4000-8000-000000000000', '1')]

    expect(answers.map(statusAndCode)).toEqual(
      answers.map(() => [422, 'mfa_phone_verify_not_enabled']),
    )
  })

  it('passes the purpose of the code to the hook that replaces the carrier', async () => {
    const received: SendSmsPayload[] = []
    await start({ hooks: { sendSms: (payload) => void received.push(payload as SendSmsPayload) } })
    const { ask, answer } = await begun()

    const { body } = await ask()
    await settled()

    expect(received[0]?.sms).toMatchObject({ phone: '15005550001', sms_type: 'mfa' })
    expect((await answer(body.id, received[0]?.sms.otp ?? '')).status).toBe(200)
    expect(texts).toEqual([])
  })

  it.each([
    [{ channel: 'whatsapp' }, 'whatsapp'],
    [{ channel: 'sms' }, undefined],
    [{}, undefined],
  ])('passes the channel of %j to the hook, unless it is SMS', async (wish, channel) => {
    const received: SendSmsPayload[] = []
    await start({ hooks: { sendSms: (payload) => void received.push(payload as SendSmsPayload) } })
    const { ask } = await begun()

    await ask(wish)
    await settled()

    expect(received.map(({ sms }) => sms.channel)).toEqual([channel])
  })
})

describe('a carrier that generates codes', () => {
  it('verifies the code, and accepts it once', async () => {
    await start()
    const requested: string[] = []
    const deps = await auth.deps()
    deps.checkSmsCode = async (phone, code) => {
      requested.push(`${phone} ${code}`)
      return code === '4711'
    }
    const { ask, answer } = await begun()
    const { body } = await ask()
    await settled()
    const ours = texts[0]?.code ?? ''

    const answers = [
      await answer(body.id, ours),
      await answer(body.id, '4711'),
      await answer(body.id, '4711'),
    ]

    const failed = [422, 'mfa_verification_failed']
    expect(answers.map(statusAndCode)).toEqual([failed, [200, undefined], failed])
    expect(requested).toEqual([`15005550001 ${ours}`, '15005550001 4711'])
  })

  it('that does not respond causes 503, not a wrong code', async () => {
    await start()
    const deps = await auth.deps()
    deps.checkSmsCode = async () => {
      throw temporaryRejection('down')
    }
    const { ask, answer } = await begun()
    const { body } = await ask()

    expect(statusAndCode(await answer(body.id, '4711'))).toEqual([503, 'service_unavailable'])
  })
})
