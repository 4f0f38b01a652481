import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { answerJson, startWebServer, type WebServer } from '../../../test/support/web-server.ts'
import { openTwilioVerify } from '../../delivery/sms/twilio.ts'

// Twilio Verify counts the attempts at a code per number: five, from all clients together.

let auth: TestAuth
let twilio: WebServer
/** Checked codes, by number. */
let checks: Map<string, number>

const right = '424242'
const twilioTakes = 5

beforeAll(async () => {
  twilio = await startWebServer((response, { text }) => {
    const form = new URLSearchParams(text)
    const phone = form.get('To') ?? ''
    const tried = (checks.get(phone) ?? 0) + 1
    checks.set(phone, tried)
    if (tried > twilioTakes) return answerJson(response, 429, { code: 60202 })
    const isRight = form.get('Code') === right
    answerJson(response, 200, { status: isRight ? 'approved' : 'pending', valid: isRight })
  })
  auth = await startTestAuth({
    sms: { autoconfirm: false, maxFrequencySeconds: 0, send: async () => {} },
  })
  const settings = { accountSid: 'AC1', authToken: 't0ken', messageServiceSid: 'VA1' }
  const carrier = openTwilioVerify(settings, { timeoutMs: 5000, baseUrl: twilio.url })
  const deps = await auth.deps()
  deps.checkSmsCode = carrier.checkCode ?? null
})
afterAll(async () => {
  await auth.close()
  await twilio[Symbol.asyncDispose]()
})
beforeEach(() => {
  checks = new Map()
})

let made = 0
const newPhone = () => `49166${String(++made).padStart(8, '0')}`
const ada = { ip: '203.0.113.10' }
const otherClient = (number: number) => ({ ip: `198.51.100.${number}` })
const unknown = { ip: '127.0.0.1' }
const enter = (phone: string, token: string, from: { ip: string }) =>
  auth.post('/verify', { type: 'sms', phone, token }, from)
const checksOf = (phone: string) => checks.get(`+${phone}`) ?? 0

async function tryFromOthers(phone: string, count = 12) {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, number) => enter(phone, '000000', otherClient(number))),
  )
  return [...new Set(answers.map(({ status, body }) => `${status} ${body.error_code}`))]
}

describe('H08: wrong codes of other clients, where a carrier counts the attempts', () => {
  it('leave most of them to the requester of the code', async () => {
    const phone = newPhone()
    await auth.post('/otp', { phone }, ada)

    const answers = await tryFromOthers(phone)
    const checksByOthers = checksOf(phone)
    const own = [await enter(phone, '000000', ada), await enter(phone, right, ada)]

    expect([answers, checksByOthers]).toEqual([['403 otp_expired'], 2])
    expect(own.map(({ status }) => status)).toEqual([403, 200])
  })

  it('leave them some attempts, although they continue until the code expires', async () => {
    const phone = newPhone()
    await auth.post('/otp', { phone }, ada)
    for (let second = 0; second < 50; second += 10) {
      await tryFromOthers(phone)
      auth.clock.advance(10)
    }

    expect((await enter(phone, right, ada)).status).toBe(200)
  })

  it('cost the carrier the same for an unknown number', async () => {
    const phone = newPhone()

    const answers = await tryFromOthers(phone)

    expect([answers, checksOf(phone)]).toEqual([['403 otp_expired'], 2])
  })

  it('do not prevent the owner from entering the code in another network', async () => {
    const phone = newPhone()
    await auth.post('/otp', { phone }, ada)

    expect((await enter(phone, right, otherClient(1))).status).toBe(200)
  })

  it('are checked again after ten minutes', async () => {
    const phone = newPhone()
    await tryFromOthers(phone)
    auth.clock.advance(600)
    await tryFromOthers(phone)

    expect(checksOf(phone)).toBe(3)
  })
})

describe('T44: the attempts of the requester, where a carrier counts them', () => {
  let patient: TestAuth

  beforeAll(async () => {
    patient = await startTestAuth({
      sms: { autoconfirm: false, send: async () => {} },
      rateLimits: { smsSent: 'off', otp: 'off', verify: 'off' },
    })
    const deps = await patient.deps()
    deps.checkSmsCode = (await auth.deps()).checkSmsCode
  })
  afterAll(() => patient.close())

  const unknownPhone = async () => newPhone()
  const unproved = async () => {
    const phone = newPhone()
    await patient.post('/signup', { phone, password: 'the password of Ada' }, ada)
    patient.clock.advance(60)
    return phone
  }
  const proved = async () => {
    const phone = newPhone()
    await patient.auth.admin.createUser({ phone, phoneConfirm: true })
    return phone
  }

  it.each([
    ['/resend', { type: 'sms' }],
    ['/otp', { create_user: false }],
  ])('are as many for every number after %s', async (path, body) => {
    const eve = otherClient(66)
    const counts: number[] = []
    for (const make of [unknownPhone, unproved, proved]) {
      const phone = await make()
      for (let round = 0; round < 2; round += 1) {
        await patient.post(path, { phone, ...body }, eve)
        for (let time = 0; time < 7; time += 1)
          await patient.post('/verify', { type: 'sms', phone, token: '000000' }, eve)
        counts.push(checksOf(phone))
        patient.clock.advance(60)
      }
    }

    expect(counts).toEqual([5, 10, 5, 10, 5, 10])
  })

  it('are for the requester only, while the code is valid', async () => {
    const phone = newPhone()
    await patient.post('/resend', { type: 'sms', phone }, otherClient(1))
    for (const one of [2, 3, 4, 5])
      await patient.post('/verify', { type: 'sms', phone, token: '000000' }, otherClient(one))

    expect(checksOf(phone)).toBe(2)
  })
})

describe('clients that cannot be identified', () => {
  it('have the five attempts of the carrier', async () => {
    const phone = newPhone()
    await auth.post('/otp', { phone }, unknown)
    for (let time = 1; time < 5; time += 1) await enter(phone, '000000', unknown)

    expect((await enter(phone, right, unknown)).status).toBe(200)
  })
})

it('a carrier that cannot be reached is no fault of the service: a code gets a 503', async () => {
  const deps = await auth.deps()
  const { checkSmsCode } = deps
  deps.checkSmsCode = () => Promise.reject(new Error('connect ECONNREFUSED'))

  const phone = newPhone()
  await auth.post('/otp', { phone })
  const answer = await enter(phone, '000000', ada)
  deps.checkSmsCode = checkSmsCode

  expect([answer.status, answer.body.error_code]).toEqual([503, 'service_unavailable'])
  expect(answer.headers.get('retry-after')).toBe('1')
})
